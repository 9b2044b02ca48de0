"""`python -m cite_lsp` is the command `cite-lsp`."""

import sys

from cite_lsp.cli import main

if __name__ == "__main__":
    sys.exit(main())

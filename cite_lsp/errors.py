"""What errors have in common that are no fault of the program."""

from __future__ import annotations


class CiteLspError(Exception):
    """Something cannot be done; the message is one line: what, where and what to do.

    The command line prints it as it is, whichever part of the program it comes from.
    """

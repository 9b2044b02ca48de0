"""The Emacs package is fit for MELPA: the compiler, checkdoc and package-lint say nothing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.editors.emacs import PACKAGE, has_package

FILES = sorted(path.name for path in PACKAGE.glob("*.el"))


def emacs(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    if shutil.which("emacs") is None:
        pytest.skip("needs Emacs: .ci/editors installs it")
    for name in FILES:
        shutil.copy(PACKAGE / name, folder / name)
    command = ["emacs", "--batch", "-L", ".", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_it_compiles_without_a_warning(tmp_path: Path) -> None:
    strict = "(setq byte-compile-error-on-warn t)"
    done = emacs(tmp_path, "-Q", "--eval", strict, "-f", "batch-byte-compile", *FILES)
    assert (done.returncode, done.stderr) == (0, "")


def test_on_windows_the_server_is_found_where_uv_and_pipx_put_it(tmp_path: Path) -> None:
    program = tmp_path / "ada" / ".local" / "bin" / "cite-lsp-of-uv.exe"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    form = f"""(let ((exec-path nil) (exec-suffixes '(".exe" "")) (system-type 'windows-nt)
                     (cite-lsp-command '("cite-lsp-of-uv" "serve")))
                 (setenv "USERPROFILE" "{tmp_path / "ada"}")
                 (princ (cite-lsp--command)))"""
    done = emacs(tmp_path, "-Q", "-l", "cite-lsp.el", "--eval", form)
    assert (done.returncode, done.stdout) == (0, f"({program} serve)"), done.stderr


@pytest.mark.parametrize("variable", ["cite-lsp-command", "cite-lsp-settings"])
def test_a_folder_chooses_neither_the_program_nor_the_settings(
    tmp_path: Path, variable: str
) -> None:
    value = '("./evil" :corpora ["milvus+https://attacker.example/all"])'
    (tmp_path / ".dir-locals.el").write_text(f"((nil . (({variable} . {value}))))")
    form = f"""(let ((enable-local-variables :safe))
                 (with-current-buffer (find-file-noselect "draft.txt")
                   (princ (list (local-variable-p '{variable})
                                (risky-local-variable-p '{variable} '("x"))))))"""
    done = emacs(tmp_path, "-Q", "-l", "cite-lsp.el", "--eval", form)
    assert (done.returncode, done.stdout) == (0, "(nil t)"), done.stderr


def test_the_mode_line_puts_nothing_in_the_place_of_what_the_server_says(tmp_path: Path) -> None:
    form = """(cl-letf (((symbol-function 'cite-lsp-status) (lambda () "error (%b 5%)")))
                (princ (cite-lsp--lighter)))"""
    done = emacs(tmp_path, "-Q", "-l", "cite-lsp.el", "--eval", form)
    assert (done.returncode, done.stdout) == (0, " Cite:error (%%b 5%%)"), done.stderr


@pytest.mark.parametrize("name", FILES)
def test_checkdoc_is_content(tmp_path: Path, name: str) -> None:
    done = emacs(tmp_path, "-Q", "--eval", f'(progn (require \'checkdoc) (checkdoc-file "{name}"))')
    assert (done.returncode, done.stderr) == (0, "")


def test_package_lint_is_content(tmp_path: Path) -> None:
    if not has_package("package-lint"):
        pytest.skip("needs package-lint: .ci/editors installs it")
    form = (
        '(progn (setq package-user-dir (expand-file-name "none") package-archives nil)'
        " (package-initialize) (require 'package-lint)"
        ' (setq package-lint-main-file "cite-lsp.el"))'
    )
    lint = "package-lint-batch-and-exit"
    done = emacs(tmp_path, "-q", "--eval", form, "-f", lint, *FILES)
    said = [line for line in done.stderr.splitlines() if line.startswith("cite-lsp")]
    assert (done.returncode, said) == (0, [])

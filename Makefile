# Everything runs in .venv, which each target makes first when it is missing or out of date.
#
#   make demo        what a writer sees, from a real server on a sample draft
#   make test        the tests (TORCH=1: with torch, so that its tests are not skipped;
#                    WORKERS=0: one after the other in one process, as a debugger wants them)
#   make lint        style, formatting and the order of the rooms
#   make typecheck   types
#   make wheel       what users install, in dist/
#   make clean       removes what these made, the environment included

PYTHON ?= python3
TORCH ?=
WORKERS ?= logical
# PyPI's default wheel of torch for Linux brings gigabytes of CUDA with it. It is installed first and
# by its exact version, so that a smaller build of that version, where pip knows one, is kept.
TORCH_REQUIREMENT := $(shell grep '^torch==' constraints.txt)

BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
READY := $(if $(TORCH),.venv/.ready-torch,.venv/.ready)

.PHONY: environment demo test lint typecheck wheel clean

environment: $(READY)

.venv/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "cite-lsp needs Python 3.11 or newer: set PYTHON, as in make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	$(PIP) --editable '.[dev]'
	@touch $@

.venv/.ready-torch: .venv/.ready
	$(PIP) '$(TORCH_REQUIREMENT)'
	$(PIP) --editable '.[dev,train]'
	@touch $@

demo: $(READY)
	@$(BIN)/python examples/demo.py

test: $(READY)
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --maxprocesses 4 --dist loadfile $(ARGUMENTS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

typecheck: $(READY)
	$(BIN)/mypy

wheel: $(READY)
	rm -rf dist
	$(BIN)/python -m build --outdir dist .

clean:
	rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find cite_lsp examples tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# Everything runs in .venv, which each target makes first when it is missing or out of date.
#
#   make demo        what a writer sees, from a real server on a sample draft
#   make test        the tests but for the slow ones (TORCH=1: with torch, so that its tests are not
#                    skipped; WORKERS=0: one after the other in one process, as a debugger wants them)
#   make test-slow   the slow tests
#   make bench       what a writer waits for, beside other servers (fetches them from PyPI)
#   make chaos       what hostile files, kills and damage do to it; writes docs/reliability.md
#   make lint        style, formatting and the order of the rooms
#   make typecheck   types
#   make audit       what bandit says of the code, and PyPI of the packages that it needs
#   make wheel       what users install, in dist/
#   make clean       removes what these made, the environment included

PYTHON ?= python3
TORCH ?=
WORKERS ?= logical
# PyPI's default wheel of torch for Linux brings gigabytes of CUDA with it. It is installed first and
# by its exact version, so that a smaller build of that version, where pip knows one, is kept.
TORCH_REQUIREMENT := $(shell grep '^torch==' constraints.txt)

BIN := .venv/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check --no-input --constraint constraints.txt
# Each worker computes on one thread: more of them than processors wait for one another, spinning.
PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses $(WORKERS) --maxprocesses 4 --dist worksteal

# Without its bytecode, each of the hundreds of processes that tests start would compile all modules.
unexport PYTHONDONTWRITEBYTECODE

# The environment grows in three steps, each with a stamp: what the server needs, what development
# needs, torch. While pip works there is no stamp at all: of a package that it was kept from
# installing to the end, it may later take the half for the whole. What is then found without a stamp
# is made anew (make looks for the stamp before the recipe begins); what was fetched before comes from
# pip's cache.
SERVER := .venv/.ready-server
DEVELOPMENT := .venv/.ready
WITH_TORCH := .venv/.ready-torch
STAMPS := $(SERVER) $(DEVELOPMENT) $(WITH_TORCH)
READY := $(if $(TORCH),$(WITH_TORCH),$(DEVELOPMENT))

.PHONY: environment demo test test-slow bench chaos lint typecheck audit wheel clean

environment: $(READY)

$(SERVER): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "cite-lsp needs Python 3.11 or newer: set PYTHON, as in make PYTHON=python3.12")'
	@echo '==> Step 1: a Python environment in .venv (nothing is fetched; some seconds)'
	@rm -f $(STAMPS)
	@$(PYTHON) -m venv $(if $(wildcard $@),,--clear) .venv
	@echo '==> Step 2: the server and the 19 packages it needs (fetches 45 MB, takes 200 MB; about a minute)'
	@$(PIP) --editable .
	@touch $@

$(DEVELOPMENT): $(SERVER)
	@rm -f $(STAMPS)
	@echo '==> Step 3: what tests and checks need, 101 packages more (fetches 190 MB, takes 740 MB; about a minute)'
	@$(PIP) --editable '.[dev]'
	@touch $(SERVER) && touch $@

$(WITH_TORCH): $(DEVELOPMENT)
	@rm -f $(STAMPS)
	@echo '==> Step 4: torch (fetches 190 MB where pip knows a build for the CPU, else some gigabytes; takes 0.8 GB)'
	@$(PIP) '$(TORCH_REQUIREMENT)'
	@echo '==> Step 5: what training needs beside torch (fetches 170 MB, takes 0.6 GB)'
	@$(PIP) --editable '.[dev,train]'
	@touch $(SERVER) && touch $(DEVELOPMENT) && touch $@

# The demo needs no more than the server.
demo: $(if $(TORCH),$(WITH_TORCH),$(SERVER))
	@echo '==> The demo: a real server on examples/demo/paper.tex (some seconds)'
	@$(BIN)/python examples/demo.py

test: $(READY)
	@echo '==> The tests (nothing is fetched)'
	$(PYTEST) -m 'not slow' $(ARGUMENTS)

test-slow: $(READY)
	@echo '==> The slow tests'
	$(PYTEST) -m slow $(ARGUMENTS)

bench: $(READY)
	@echo '==> What a writer waits for (some minutes; other citation servers are fetched from PyPI)'
	$(BIN)/python -m benchmarks --figure docs/images/waits.svg

chaos: $(READY)
	@echo '==> Trials of hostile files, kills and damage (an hour and a half)'
	$(BIN)/python -m tests.chaos --write $(ARGUMENTS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

typecheck: $(READY)
	$(BIN)/mypy

audit: $(READY)
	$(BIN)/bandit --quiet --recursive --configfile pyproject.toml cite_lsp
	$(BIN)/python .ci/audit.py $(BIN)/pip-audit

wheel: $(READY)
	rm -rf dist
	$(BIN)/python -m build --outdir dist .

clean:
	rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find cite_lsp examples tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

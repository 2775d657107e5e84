# Two commands matter: `make demo` shows what philia does, `make test` checks that it does it right.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.PHONY: demo test check fuzz test-elsewhere docs bench format clean

demo: $(VENV)/.installed
	$(BIN)/philia demo --output demo

test check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n auto

# The documents' examples and the tests of fitted numbers, as other processors would run them.
test-elsewhere: $(VENV)/.installed-dev
	$(BIN)/python -m tests.elsewhere

# Mutated files, models, checkpoints and certificates; `make fuzz INPUTS=100000` for as long as you like.
INPUTS ?= 10000
fuzz: $(VENV)/.installed-dev
	$(BIN)/python -m tests.fuzz --inputs $(INPUTS)

# The site, in build/docs: tutorials are run, no network is needed, and a warning is an error.
docs: $(VENV)/.installed-docs
	$(BIN)/sphinx-build -W --keep-going -q -c docs -d build/doctrees . build/docs
	@echo 'Open build/docs/index.html'

bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "philia needs Python 3.11 or newer; try: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@ $(VENV)/.installed

$(VENV)/.installed-docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,bench]'
	touch $@ $(VENV)/.installed $(VENV)/.installed-dev

clean:
	rm -rf $(VENV) demo build dist

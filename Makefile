# Two commands matter: `make demo` shows what philia does, `make test` checks that it does it right.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.PHONY: demo test check test-slow test-elsewhere test-lowest test-python dist-check style fuzz docs bench format clean

demo: $(VENV)/.installed
	$(BIN)/philia demo --output demo

# Everything that a change should be tried on but the tests marked slow.
test: style
	$(BIN)/pytest $(WORKERS) -m 'not slow'

test-slow: $(VENV)/.installed-dev
	$(BIN)/pytest $(WORKERS) -m slow --durations=25

# A first answer in a minute: style, types, layers, and the laws and contracts on one model of each kind.
check: style
	$(BIN)/pytest $(WORKERS) -m 'not slow and not same_kind' tests/laws tests/contracts

style: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Neighbours in a file share fixtures, and whoever is done takes over from the others.
WORKERS := -n auto --dist worksteal

# Another Python in an environment of its own: `make test-python PYTHON=python3.13`.
test-python: build/$(notdir $(PYTHON))/.installed-dev
	build/$(notdir $(PYTHON))/bin/pytest $(WORKERS) -m 'not slow'

build/$(notdir $(PYTHON))/.installed-dev: pyproject.toml
	$(MAKE) VENV=$(@D) $@

# The oldest versions that pyproject.toml allows, on the tests of tests/smoke.txt. Old libraries use much that newer ones
# call deprecated, and no warning about that is ours.
test-lowest: build/lowest/.installed
	build/lowest/bin/pytest -n 2 --dist worksteal -m 'not slow' -W ignore::DeprecationWarning @tests/smoke.txt

build/lowest/.installed: pyproject.toml tests/lowest.txt
	$(PYTHON) -m venv --clear build/lowest
	build/lowest/bin/python -m pip install --quiet --disable-pip-version-check --constraint tests/lowest.txt --editable '.[test]'
	touch $@

# The package as others get it: built, installed into an empty environment, and tried there without this folder.
dist-check: $(VENV)/.installed-dev
	$(BIN)/python .ci/try_package.py

# The documents' examples and the tests of fitted numbers, as the oldest and the newest processor would run them;
# `python -m tests.elsewhere --all` tries those in between too.
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

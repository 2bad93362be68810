# Everything a fresh machine with Python and make needs: each target sets up what it stands on.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ARGS ?= --domain airline --play user

.PHONY: play test check bench wheel clean

play: $(VENV)/ready
	@$(BIN)/tau-tui $(ARGS)

test: $(VENV)/ready-dev
	$(BIN)/python -m pytest -n auto --dist worksteal $(TESTS)

check: $(VENV)/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/ready-dev
	$(BIN)/python -m bench $(BENCH)

wheel: $(VENV)/ready-dev
	$(BIN)/python -m build --wheel --no-isolation

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tau-tui needs Python 3.11 or newer: make PYTHON=python3.11")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/ready: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (once) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

$(VENV)/ready-dev: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Setting up $(VENV) for development (once) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@ $(VENV)/ready

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

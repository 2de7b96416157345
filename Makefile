# Each target does all of its own set-up: it needs Python 3.11 or newer and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := .demo
SCHEMA := .cache/cloud-init.schema.json

.PHONY: demo test lint clean

# Installed once, and again when what is needed changes. PIP_CONSTRAINT and the like work as ever.
$(VENV)/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("provision needs Python 3.11 or newer; this is " + sys.version.split()[0] + "; try: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

# The main job on the simulated Azure, in a folder of its own: from a file to running scale sets, and back to nothing.
demo: $(VENV)/installed
	@rm -rf $(DEMO) && mkdir $(DEMO)
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash tools/demo.sh $(DEMO)

test: $(VENV)/installed | $(SCHEMA)
	$(BIN)/python -m pytest -q -rs -n auto

# For one test only, which skips without it: no network is no reason to test nothing.
$(SCHEMA): $(VENV)/installed
	$(BIN)/python tools/cloud_init_schema.py $@

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf $(VENV) $(DEMO) .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist

# The two commands of the README are `make demo` and `make test`; both set up all they need.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= 2
N ?= 20000
SEED ?= 1
SIZE ?= 20000
STEPS ?=
MINUTES ?= 1
# The oldest Python and the lowest versions that pyproject.toml allows.
LOWEST_PYTHON ?= python3.10
LOWEST := .venv-lowest

.PHONY: demo test test-lowest lint oracle bench truth fuzz protos docs clean

demo: $(VENV)/installed
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh tools/demo.sh

test: $(VENV)/test-installed lint
	$(BIN)/python -m pytest -n $(JOBS)

# The tests that need no TensorFlow, with every dependency at its lower bound.
test-lowest: $(LOWEST)/installed
	TFPROF_LOWEST=1 PYTHONPATH=src:. $(LOWEST)/bin/python -m pytest -n $(JOBS)

lint: $(VENV)/test-installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/protos.py --check
	$(BIN)/python tools/docs.py --check

# More cases of the comparison with the original than the tests run.
oracle: $(VENV)/test-installed
	$(BIN)/python -m tests.oracle --cases $(N) --seed $(SEED) --jobs $(JOBS)

bench: $(VENV)/test-installed
	$(BIN)/python -m benchmarks --size $(SIZE) $(if $(STEPS),--steps $(STEPS)) --page

# Hostile inputs for every reader and parser; what fails is kept in crashers/.
fuzz: $(VENV)/test-installed
	$(BIN)/python -m fuzz --minutes $(MINUTES) --jobs $(JOBS)

# The float operations of known models, by hand, by tfprof and by others.
truth: $(VENV)/test-installed
	$(BIN)/python -m benchmarks.truth

protos: $(VENV)/test-installed
	$(BIN)/python tools/protos.py

docs: $(VENV)/test-installed
	$(BIN)/python tools/docs.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check .
	@touch $@

$(VENV)/test-installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	@touch $@ $(VENV)/installed

$(LOWEST)/installed: pyproject.toml tools/lowest.py
	$(LOWEST_PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python tools/lowest.py > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -r $(LOWEST)/lowest.txt \
	  hatchling hypothesis pexpect pytest pytest-xdist
	@touch $@

clean:
	rm -rf $(VENV) $(LOWEST) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

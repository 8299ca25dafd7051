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
WORKERS ?= 1000
XPROF ?= python3
# The oldest Python and the lowest versions that pyproject.toml allows.
LOWEST_PYTHON ?= python3.10
LOWEST := .venv-lowest
# The newest Python, with the newest versions that there are.
NEWEST_PYTHON ?= python3.13
NEWEST := .venv-newest

.PHONY: demo test test-lowest test-newest lint browser java oracle layers diff-pairs fleet-kills bench bench-page bench-traces bench-fleet truth memory-truth gate-trials fuzz fuzz-coverage growth mutants sbom constraints protos docs web clean

demo: $(VENV)/installed
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh tools/demo.sh

test: $(VENV)/test-installed browser java lint
	$(BIN)/python -m pytest -n $(JOBS)

# The tests that need no TensorFlow, with every dependency at its lower bound.
test-lowest: $(LOWEST)/installed
	TFPROF_LOWEST=1 PYTHONPATH=src:. $(LOWEST)/bin/python -m pytest -n $(JOBS)

# The same with every dependency as new as it gets; what is installed is looked up each time.
test-newest:
	test -x $(NEWEST)/bin/python || $(NEWEST_PYTHON) -m venv $(NEWEST)
	$(NEWEST)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade \
	  --upgrade-strategy eager . hatchling hypothesis pexpect pytest pytest-xdist
	$(NEWEST)/bin/python -m pip list --format freeze --disable-pip-version-check
	TFPROF_NEWEST=1 PYTHONPATH=src:. $(NEWEST)/bin/python -m pytest -n $(JOBS)

lint: $(VENV)/test-installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/protos.py --check
	$(BIN)/python tools/docs.py --check
	$(BIN)/python tools/web.py --check

# The tests of the page drive Chromium; without it they are skipped.
browser:
	@command -v chromium > /dev/null || command -v google-chrome > /dev/null \
	  || { [ "$$(id -u)" = 0 ] && apt-get update -qq > /dev/null 2>&1 \
	    && apt-get install -qq -y --no-install-recommends chromium > /dev/null 2>&1; } \
	  || echo "Chromium is not installed: the tests of the page are skipped"

# The tests of Spark need Java; without it they are skipped.
java:
	@command -v java > /dev/null \
	  || { [ "$$(id -u)" = 0 ] && apt-get update -qq > /dev/null 2>&1 \
	    && apt-get install -qq -y --no-install-recommends default-jre-headless > /dev/null 2>&1; } \
	  || echo "Java is not installed: the tests of Spark are skipped"

# Ingest killed at 100 random moments, of which the tests run two.
fleet-kills: $(VENV)/test-installed
	TFPROF_KILLS=100 $(BIN)/python -m pytest -n $(JOBS) tests/fleet/test_ingest.py -k killed

# More cases of the comparison with the original than the tests run.
oracle: $(VENV)/test-installed
	$(BIN)/python -m tests.oracle --cases $(N) --seed $(SEED) --jobs $(JOBS)

# The layer table of all models in all forms against Keras, of which the tests run a sample.
layers: $(VENV)/test-installed
	TFPROF_LAYERS=all $(BIN)/python -m pytest -n 0 tests/flops/layers

# What changed, was added and removed adds up to the whole, of 10,000 random pairs of profiles.
diff-pairs: $(VENV)/test-installed
	TFPROF_DIFF_PAIRS=10000 $(BIN)/python -m pytest -n $(JOBS) tests/diffs

bench: $(VENV)/test-installed
	$(BIN)/python -m benchmarks --size $(SIZE) $(if $(STEPS),--steps $(STEPS)) --page

# How long pages take to write, open and use, into docs/page.md; it needs Chromium and a quiet machine.
bench-page: $(VENV)/test-installed browser
	$(BIN)/python -m benchmarks.browser --size 0
	$(BIN)/python -m benchmarks.browser --size 20000 --steps 2
	$(BIN)/python -m benchmarks.browser --size 200000 --steps 3
	$(BIN)/python -m benchmarks.browser --size 200000 --steps 3 --ui
	$(BIN)/python -m benchmarks.browser --page

# Op view of a large trace beside xprof, which XPROF, a Python, has.
bench-traces: $(VENV)/test-installed
	$(BIN)/python -m benchmarks.traces --xprof $(XPROF) --page

# Ingest and questions about WORKERS x STEPS of a cluster that is traced first.
bench-fleet: $(VENV)/test-installed
	rm -rf build/fleet
	$(BIN)/python -m benchmarks.fleet.cluster build/fleet/traces --workers 1 --steps 12 --blocks 141
	$(BIN)/python -m benchmarks.fleet.generate build/fleet/traces build/fleet/store \
	  --workers $(WORKERS) --steps $(or $(STEPS),131) --copies 20
	$(BIN)/python -m benchmarks.fleet.measure build/fleet/traces build/fleet/store --page

# Hostile inputs for every reader and parser; what fails is kept in crashers/.
fuzz: $(VENV)/test-installed
	$(BIN)/python -m fuzz --minutes $(MINUTES) --jobs $(JOBS)

# All lines that hostile inputs reach; too few are an error, and what is missing is listed.
fuzz-coverage: $(VENV)/test-installed
	$(BIN)/python -m fuzz --minutes $(MINUTES) --jobs $(JOBS) --coverage

# The work per node of random graphs of 1,000 to 100,000 nodes, counted in calls.
growth: $(VENV)/test-installed
	$(BIN)/python -m benchmarks.growth

# Small faults, each of which the tests that need no TensorFlow have to notice.
mutants: $(VENV)/test-installed
	$(BIN)/python -m tools.mutants --jobs $(JOBS)

# What an installed tfprof is made of, with versions and licences (CycloneDX).
sbom: $(VENV)/installed
	$(BIN)/python tools/sbom.py > sbom.json

# One version of each package with the hashes of its files, for the same installation everywhere.
constraints: $(VENV)/bin/python
	$(BIN)/python tools/constraints.py

# How often the gate is right; it needs a quiet machine for twenty minutes.
gate-trials: $(VENV)/test-installed
	$(BIN)/python -m benchmarks.gate build/gate_trials

# The float operations of known models, by hand, by tfprof and by others.
truth: $(VENV)/test-installed
	$(BIN)/python -m benchmarks.truth

# Recorded and predicted memory of seven models against memray, which only this target needs.
memory-truth: $(VENV)/test-installed
	$(BIN)/python -m pip install --quiet memray
	$(BIN)/python -m benchmarks.memory_truth --page

protos: $(VENV)/test-installed
	$(BIN)/python tools/protos.py

docs: $(VENV)/test-installed
	$(BIN)/python tools/docs.py

# The page without data, from web/; it needs npm.
web:
	$(PYTHON) tools/web.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check .
	@touch $@

$(VENV)/test-installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	@# It requires `tensorflow`, which would be installed over the files of `tensorflow-cpu`.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps "tf_keras>=2.21,<2.22"
	@touch $@ $(VENV)/installed

$(LOWEST)/installed: pyproject.toml tools/lowest.py
	$(LOWEST_PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python tools/lowest.py > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -r $(LOWEST)/lowest.txt \
	  hatchling hypothesis pexpect pytest pytest-xdist
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

clean:
	rm -rf $(VENV) $(LOWEST) $(NEWEST) web/node_modules web/dist sbom.json build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

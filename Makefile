# Two commands for newcomers: `make demo` and `make test`. Both make .venv themselves.
PYTHON ?= python3
BIN := .venv/bin
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
LOWEST_TESTS ?= tests/tables tests/encoding tests/io tests/estimators tests/search tests/cli tests/plot \
	tests/export tests/persistence
COMPAT_PYTHON ?= $(PYTHON)
COVERED_TESTS ?= tests
TIMES ?= 20
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal

# Compiled modules and tests are kept: else each worker and each command compiles them anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-quick test-plain test-slow test-lowest test-recipes coverage lint audit changelog bench bench-accuracy bench-peers bench-rfm bench-scale bench-side docs docs-cli dist gallery clean fuzz fuzz-loader test-compat test-orders mutation faults

demo: .venv/core.stamp
	$(BIN)/nearkind demo

# Style and types are checked beside the tests.
test: .venv/test.stamp
	$(MAKE) -j2 lint test-quick

test-quick: .venv/test.stamp
	$(PYTEST) -m "not slow"

# The whole suite, exports included, on the plain code that optimisations are checked against.
test-plain: .venv/test.stamp
	NEARKIND_PLAIN=1 $(PYTEST) -m "not slow"

# The slow tests, and ten times as many examples of each law.
test-slow: .venv/test.stamp
	$(PYTEST) -m "slow or hypothesis" --hypothesis-profile thorough

# Searches for input that breaks a property, for so many seconds or examples of each.
FUZZ_SECONDS ?= 3600
FUZZ_EXAMPLES ?= 1000000
fuzz: .venv/test.stamp
	PYTHONPATH=tests FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) \
		$(BIN)/python -m fuzz $(FUZZ_ONLY)

# Searches the loader of model files by coverage; atheris has wheels for Linux.
fuzz-loader: .venv-fuzz/stamp
	PYTHONPATH=tests .venv-fuzz/bin/python -m fuzz.loader build/corpus \
		-artifact_prefix=build/ -max_total_time=$(FUZZ_SECONDS)

# The oldest versions of all dependencies that pyproject.toml allows and that have wheels.
# They may warn of their own age, so warnings of deprecation are no errors here. Pages show
# what the newest versions print, to the last digit.
test-lowest: .venv-lowest/stamp
	.venv-lowest/bin/python -m pytest -n auto --dist worksteal -m "not slow" \
		-W ignore::DeprecationWarning -W ignore::FutureWarning \
		--ignore tests/cli/test_cli_page.py $(LOWEST_TESTS)

# Pages of docs/recipes with what they need: UMAP, PostgreSQL with pgvector, Jupyter.
test-recipes: .venv-tasks/stamp
	.venv-tasks/bin/python -m pytest -W ignore tests/test_readme.py tests/test_notebook.py -k "recipes or notebook"

# The newest versions of all dependencies, without pre-releases, in an environment made anew:
# make test-compat COMPAT_PYTHON=python3.13
test-compat:
	$(COMPAT_PYTHON) -m venv --clear .venv-compat
	.venv-compat/bin/python $(PIP_INSTALL) --editable ".[test]"
	.venv-compat/bin/python -m pytest -n auto --dist worksteal -m "not slow" $(LOWEST_TESTS)

# Commands and workers of a cluster that are killed or interrupted TIMES times each, at
# random moments; full disks.
faults: .venv/test.stamp
	TIMES=$(TIMES) $(BIN)/python -m pytest tests/faults
	for time in $$(seq $(TIMES)); do \
		$(BIN)/python -m pytest -q tests/dask_backend -k killed || exit 1; \
	done

# All tests in TIMES random orders, each on one core, as many at a time as there are cores.
test-orders: .venv/random.stamp
	mkdir -p build
	seq $(TIMES) | xargs -P $$(nproc) -I{} sh -c ' \
		taskset -c $$(({} % $$(nproc))) $(BIN)/python -m pytest -q -m "not slow" \
			-p random_order --random-order-bucket=module --random-order-seed={} \
			> build/order-{}.log 2>&1; code=$$?; \
		echo "order {}: $$(tail -1 build/order-{}.log)"; exit $$code'

# How many small changes of the source do the tests notice? See tools/mutation.py.
MUTANTS ?= 400
mutation: .venv/mutation.stamp
	mkdir -p build
	COVERAGE_FILE=build/mutation.coverage $(BIN)/python -m pytest -n auto --dist worksteal \
		-m "not slow" --cov --cov-context=test --cov-report= -vv \
		--durations=0 --durations-min=0.0 > build/mutation.log
	$(BIN)/python -m tools.mutation run --sample $(MUTANTS)
	$(BIN)/python -m tools.mutation report

coverage: .venv/test.stamp
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" --cov --cov-report= $(COVERED_TESTS)
	$(BIN)/coverage html --quiet
	@echo "Lines and branches that tests reach, in percent; see build/coverage/index.html:"
	@$(BIN)/coverage report --format=total

lint: .venv/test.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# Weak spots in the source, what is installed (a software bill of materials, CycloneDX) and
# known holes in it. The last asks PyPI, and fails without the network.
audit: .venv/core.stamp .venv-audit/stamp
	mkdir -p build
	.venv-audit/bin/bandit --quiet --recursive --configfile pyproject.toml src
	.venv-audit/bin/cyclonedx-py environment --output-file build/sbom.json $(BIN)/python
	$(BIN)/python -m pip freeze --exclude-editable > build/installed.txt
	.venv-audit/bin/pip-audit --strict --no-deps --disable-pip --requirement build/installed.txt

# At most 20 minutes; lines of all tables are kept in build/bench.jsonl.
bench: .venv/test.stamp
	$(BIN)/python -m benchmarks; code=$$?; $(BIN)/python -m benchmarks.history; exit $$code

# Tables of NEARKIND_TABLES too, and of NEARKIND_REGRESSION, if these folders are known.
bench-accuracy: .venv/core.stamp .venv-anchors/stamp
	$(BIN)/python -m benchmarks.accuracy
	test -z "$$NEARKIND_REGRESSION" || \
		$(BIN)/python -m benchmarks.accuracy.regression bench-accuracy/regression.jsonl

bench-peers: .venv/test.stamp .venv-peers/stamp
	$(BIN)/python -m benchmarks.peers

bench-rfm: .venv/test.stamp .venv-anchors/stamp
	$(BIN)/python -m benchmarks.peers.rfm

bench-scale: .venv/test.stamp
	$(BIN)/python -m benchmarks.scale --agreement
	$(BIN)/python -m benchmarks.scale.load
	$(BIN)/python -m benchmarks.scale.dask_agreement
	$(BIN)/python -m benchmarks.index

bench-side: .venv/test.stamp
	$(BIN)/python -m benchmarks.side_information

changelog: .venv/test.stamp
	$(BIN)/python -m tools.changelog

docs: .venv/test.stamp
	$(BIN)/python -m tools.house
	$(BIN)/python -m tools.walk
	$(BIN)/python -m tools.notebooks
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

dist: .venv/test.stamp
	rm -rf dist
	$(BIN)/python -m build --outdir dist .

docs-cli: .venv/test.stamp
	$(BIN)/python -m tools.command_output README.md docs/cli.md docs/start.md

gallery: .venv/test.stamp
	$(BIN)/python -m tools.gallery

clean:
	rm -rf .venv .venv-anchors .venv-audit .venv-compat .venv-fuzz .venv-lowest .venv-peers .venv-tasks \
		build dist .pytest_cache .mypy_cache .ruff_cache

.venv/core.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python $(PIP_INSTALL) --editable .
	touch $@

.venv/test.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python $(PIP_INSTALL) --editable ".[test]"
	touch $@ .venv/core.stamp

.venv/random.stamp: .venv/test.stamp
	$(BIN)/python $(PIP_INSTALL) pytest-random-order
	touch $@

.venv/mutation.stamp: .venv/test.stamp
	$(BIN)/python $(PIP_INSTALL) cosmic-ray
	touch $@

.venv/bench.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python $(PIP_INSTALL) --editable ".[bench]"
	touch $@ .venv/core.stamp

.venv-peers/stamp: benchmarks/peers/requirements.txt
	test -x .venv-peers/bin/python || $(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python $(PIP_INSTALL) --requirement $<
	touch $@

.venv-anchors/stamp: benchmarks/accuracy/requirements.txt
	test -x .venv-anchors/bin/python || $(PYTHON) -m venv .venv-anchors
	.venv-anchors/bin/python $(PIP_INSTALL) --requirement $<
	touch $@

.venv-tasks/stamp: pyproject.toml benchmarks/tasks/requirements.txt
	test -x .venv-tasks/bin/python || $(PYTHON) -m venv .venv-tasks
	.venv-tasks/bin/python $(PIP_INSTALL) --editable ".[test]" \
		--requirement benchmarks/tasks/requirements.txt
	touch $@

.venv-fuzz/stamp: pyproject.toml
	test -x .venv-fuzz/bin/python || $(PYTHON) -m venv .venv-fuzz
	.venv-fuzz/bin/python $(PIP_INSTALL) atheris --editable ".[pandas]"
	touch $@

.venv-audit/stamp:
	test -x .venv-audit/bin/python || $(PYTHON) -m venv .venv-audit
	.venv-audit/bin/python $(PIP_INSTALL) bandit cyclonedx-bom pip-audit
	touch $@

.venv-lowest/stamp: pyproject.toml
	test -x .venv-lowest/bin/python || $(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python $(PIP_INSTALL) uv
	.venv-lowest/bin/uv pip compile --quiet --resolution lowest-direct \
		--only-binary :all: --extra test --python .venv-lowest/bin/python \
		--output-file .venv-lowest/requirements.txt pyproject.toml
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python \
		--requirement .venv-lowest/requirements.txt
	.venv-lowest/bin/python $(PIP_INSTALL) --no-deps --editable .
	touch $@

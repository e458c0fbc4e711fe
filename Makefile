# Two commands for newcomers: `make demo` and `make test`. Both make .venv themselves.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-slow lint bench bench-accuracy bench-peers bench-scale bench-side docs docs-cli gallery clean

demo: .venv/core.stamp
	$(BIN)/nearkind demo

test: .venv/test.stamp lint
	$(BIN)/python -m pytest -n auto -m "not slow"

test-slow: .venv/test.stamp
	$(BIN)/python -m pytest -n auto -m slow

lint: .venv/test.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: .venv/test.stamp
	$(BIN)/python -m benchmarks

bench-accuracy: .venv/bench.stamp
	$(BIN)/python -m benchmarks.accuracy

bench-peers: .venv/test.stamp .venv-peers/stamp
	$(BIN)/python -m benchmarks.peers

bench-scale: .venv/test.stamp
	$(BIN)/python -m benchmarks.scale --agreement
	$(BIN)/python -m benchmarks.scale.dask_agreement
	$(BIN)/python -m benchmarks.index

bench-side: .venv/test.stamp
	$(BIN)/python -m benchmarks.side_information

docs: .venv/test.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

docs-cli: .venv/test.stamp
	$(BIN)/python -m tools.command_output README.md docs/cli.md docs/start.md

gallery: .venv/test.stamp
	$(BIN)/python -m tools.gallery

clean:
	rm -rf .venv .venv-peers build dist .pytest_cache .mypy_cache .ruff_cache

.venv/core.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/test.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch $@ .venv/core.stamp

.venv/bench.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[bench]"
	touch $@ .venv/core.stamp

.venv-peers/stamp: benchmarks/peers/requirements.txt
	test -x .venv-peers/bin/python || $(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

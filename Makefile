# `make demo` and `make test` are all there is to know. Both make .venv from requirements.lock first, once.

VENV  := .venv
BIN   := $(VENV)/bin
STAMP := $(VENV)/.installed
CHECK_DB := build/check.duckdb

# Compiled modules are kept whatever the shell says: without them every process compiles sympy, dbt and pandas again,
# which takes longer than most of what it was started for.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint static dbt-check pytest docs readme lock clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(STAMP) ## make .venv from the lock file (once)

$(STAMP): requirements.lock pyproject.toml
	@python=$$(for p in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
	    "$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done); \
	if [ -z "$$python" ]; then \
	    echo "mathmart needs Python 3.11 or newer with the venv module, and found none among: $(PYTHON) python3 python3.13 python3.12 python3.11." >&2; \
	    echo "Install one (on Debian or Ubuntu: apt-get install python3 python3-venv), or name it: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)" >&2; \
	    exit 1; \
	fi; \
	echo "setting up $(VENV) with $$($$python --version) (once; a minute or two)" >&2; \
	[ -x $(BIN)/python ] || "$$python" -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --no-compile 'pip>=25' || true # older ones take twice as long
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --no-compile -r requirements.lock
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q -j 2 -x '/(tests|pip|setuptools)/' $(VENV)/lib > /dev/null || true
	@touch $@

demo: setup ## the whole main job on the bundled demo files
	@$(BIN)/mathmart demo

test: setup lint dbt-check ## everything that must hold
	@MATHMART_DEMO_DB=$(CURDIR)/$(CHECK_DB) $(BIN)/pytest -m "not timed" --numprocesses auto --maxprocesses 4 --dist loadfile
	@MATHMART_DEMO_DB=$(CURDIR)/$(CHECK_DB) $(BIN)/pytest -m timed

lint: static ## style, types, import contracts and SQL style
	@echo "sqlfluff" && $(BIN)/sqlfluff lint --disable-progress-bar --processes 2 dbt_project > $(VENV)/sqlfluff.log 2>&1 || (cat $(VENV)/sqlfluff.log; exit 1)

static: setup
	@echo "ruff" && $(BIN)/ruff check --quiet . && $(BIN)/ruff format --check --quiet .
	@echo "mypy" && $(BIN)/mypy --no-error-summary
	@echo "import contracts" && $(BIN)/lint-imports > $(VENV)/lint-imports.log 2>&1 || (cat $(VENV)/lint-imports.log; exit 1)

dbt-check: setup # dbt build on the demo files with all its tests, then the unit tests, in a database of its own
	@echo "dbt build on the demo files"
	@mkdir -p build && rm -f $(CHECK_DB) $(CHECK_DB).wal
	@$(BIN)/mathmart --db $(CHECK_DB) demo > build/check.log 2>&1 || (cat build/check.log; exit 1)
	@cd dbt_project && MATHMART_DB=../$(CHECK_DB) DBT_TARGET_PATH=../build/target DBT_LOG_PATH=../build/logs \
	    ../$(BIN)/dbt --warn-error test --profiles-dir . --select test_type:unit > ../build/unit_tests.log 2>&1 \
	    || (cat ../build/unit_tests.log; exit 1) # none at all is a warning, and so an error

pytest: setup # the tests alone; the demo is built for them
	@$(BIN)/pytest

docs: setup ## dbt docs of the warehouse as one static page
	@$(BIN)/mathmart docs

readme: setup ## regenerate the outputs that README.md quotes
	@$(BIN)/python -m tests.readme

lock: setup ## pin the newest versions that pyproject.toml allows
	@$(BIN)/python -m pip install --quiet pip-tools
	@$(BIN)/pip-compile --quiet --upgrade --extra dev --strip-extras --allow-unsafe --no-header --annotation-style=line \
	    --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options -o requirements.lock pyproject.toml

clean: ## remove what can be made again; databases stay
	rm -rf $(VENV) build dbt_project/target dbt_project/logs .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

-include benchmarks/bench.mk

# make demo    build .venv if needed, train and attack four small models, write runs/demo/report.html
# make test    build .venv if needed, run the tests
# make check   everything a change must pass: lint, format, types, architecture, tests with coverage
# make clean   remove .venv and what the tools left behind

PYTHON ?= python3
PYTEST_ARGS ?=
DEMO_ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# Both names: newer versions of pip hand only the second one to the isolated build of the package.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_BUILD_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Tests run in two processes: more threads would only get into each other's way.
export OMP_NUM_THREADS ?= 1

# Tests that read public data sets skip where there are none.
ifndef DIVULGE_DATA
ifneq ($(wildcard ../shared/data),)
export DIVULGE_DATA := $(abspath ../shared/data)
endif
endif

.DELETE_ON_ERROR:
.PHONY: install demo test check lint types architecture coverage clean

# One thread in each of the worker processes, one worker per core.
demo: $(STAMP)
	$(BIN)/divulge demo $(DEMO_ARGS)

test: $(STAMP)
	$(BIN)/pytest -n 2 --dist worksteal -q $(PYTEST_ARGS)

check: lint types architecture coverage

install: $(STAMP)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy
	$(BIN)/mypy examples/python_api

architecture: $(STAMP)
	$(BIN)/pytest -q tests/test_architecture.py

coverage: $(STAMP)
	$(BIN)/pytest -n 2 -q --cov --cov-report=term $(PYTEST_ARGS)

# An editable install: changed sources need no new one, changed requirements do.
$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -e ".[demo,dev]"
	touch $@

clean:
	rm -rf $(VENV) build dist htmlcov .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

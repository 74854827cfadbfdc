# Two commands on a fresh machine (needs python3 >= 3.11 with venv, and make):
#   make demo    sets everything up, writes the demo web, adds it and shows its topics
#   make test    the same, then all tests
SHELL := /bin/bash -o pipefail
VENV := .venv
PY := $(VENV)/bin/python
UV := VIRTUAL_ENV=$(CURDIR)/$(VENV) $(VENV)/bin/uv
.PHONY: demo test check docs lock bench clean
.DELETE_ON_ERROR:

$(VENV)/.ready: requirements.lock pyproject.toml
	test -x $(PY) || python3 -m venv $(VENV)
	test -x $(VENV)/bin/uv || $(PY) -m pip install -q --disable-pip-version-check uv
	$(UV) pip install -q --compile-bytecode --require-hashes -r requirements.lock
	$(UV) pip install -q --no-deps --no-build-isolation -e .
	touch $@

demo: $(VENV)/.ready
	$(VENV)/bin/weft demo

test: $(VENV)/.ready
	$(PY) -m pytest -q -n 2 $(PYTEST_ARGS)

check: $(VENV)/.ready
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/ruff check
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

docs: $(VENV)/.ready   ## write the generated parts anew: commands, methods, output, picture
	$(PY) docs/generate.py

bench: $(VENV)/.ready
	$(PY) -m benchmarks.add
	$(PY) -m benchmarks.search
	$(PY) -m benchmarks.graph
	$(PY) -m benchmarks.rank

lock: $(VENV)/.ready   ## names, versions and hashes only: no registry address is written
	$(UV) pip compile -q --universal --generate-hashes --no-header --group dev pyproject.toml -o requirements.lock
	! grep -nE '(https?|file)://' requirements.lock

clean:
	rm -rf $(VENV) dist weft-demo benchmarks/out

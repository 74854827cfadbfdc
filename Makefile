# Two commands on a fresh machine (needs python3 >= 3.11 with venv, and make):
#   make demo    sets everything up, writes the demo web, adds it, shows its topics and writes a report
#   make test    the same, then all tests; make quick leaves out the slow ones
SHELL := /bin/bash -o pipefail
VENV := .venv
PY := $(VENV)/bin/python
UV := VIRTUAL_ENV=$(CURDIR)/$(VENV) $(VENV)/bin/uv
NODE := $(shell node -e 'process.exit(+(parseInt(process.versions.node) < 20))' 2>/dev/null && command -v npm)
LOCK := $(UV) pip compile -q --universal --generate-hashes --no-header --extra serve pyproject.toml
PAGE := src/weft/server/workbench/index.html
PAGE_SOURCES := $(wildcard web/*.json web/*.ts web/*.html) $(shell find web/src web/public -type f 2>/dev/null)
.PHONY: demo test quick check docs docs-site try-ranges types pictures page dist lock bench clean
.DELETE_ON_ERROR:

$(VENV)/.ready: requirements.lock pyproject.toml
	test -x $(PY) || python3 -m venv $(VENV)
	test -x $(VENV)/bin/uv || $(PY) -m pip install -q --disable-pip-version-check uv
	$(UV) pip install -q --compile-bytecode --require-hashes -r requirements.lock
	$(UV) pip install -q --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.ready
	$(UV) pip install -q --compile-bytecode --require-hashes -r requirements-dev.lock
	touch $@

page: $(PAGE)   ## build the workbench; needs node >= 20. Without it `weft serve` has the API alone

web/node_modules/.ready: web/package-lock.json
	cd web && npm ci --no-fund --no-audit
	touch $@

$(PAGE): web/node_modules/.ready $(PAGE_SOURCES)
	cd web && npm run --silent build

dist: $(VENV)/.ready $(PAGE)   ## wheel and sdist with the workbench in them; needs node >= 20
	rm -rf dist
	$(PY) -m hatchling build

try-ranges: $(VENV)/.ready $(PAGE)   ## install the wheel with the lowest and the highest versions allowed, and run it
	$(PY) packaging/try_ranges.py

demo: $(VENV)/.ready $(if $(NODE),$(PAGE))
	$(VENV)/bin/weft demo

test: $(VENV)/.dev $(if $(NODE),$(PAGE))
	$(PY) -m pytest -q -n 2 $(PYTEST_ARGS)

quick: $(VENV)/.dev   ## the tests without those marked slow: what to run while working
	$(PY) -m pytest -q -n 2 -m "not slow" $(PYTEST_ARGS)

check: $(VENV)/.dev $(if $(NODE),web/node_modules/.ready)
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/ruff check
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	$(if $(NODE),cd web && npm run --silent check)

docs: $(VENV)/.dev   ## write the generated parts anew: commands, methods, output, picture
	$(PY) docs/generate.py

docs-site: $(VENV)/.dev   ## the documentation as a site with search, to read offline: build/site/index.html
	$(PY) docs/build_site.py

types: $(VENV)/.dev web/node_modules/.ready   ## the types of the API for the workbench, from its OpenAPI document
	$(PY) web/schemas.py | (cd web && npm run --silent types) > web/src/api/schemas.ts

pictures: $(VENV)/.dev $(PAGE)   ## the pictures of the workbench in README and docs; needs chromium
	$(PY) docs/pictures.py

bench: $(VENV)/.dev
	$(PY) -m benchmarks.add
	$(PY) -m benchmarks.search
	$(PY) -m benchmarks.graph
	$(PY) -m benchmarks.rank
	$(PY) -m benchmarks.serve
	$(PY) -m benchmarks.screens
	$(PY) -m benchmarks.frames

lock: $(VENV)/.ready   ## names, versions and hashes only, so that any mirror of the registries serves
	$(LOCK) --group build -o requirements.lock
	$(LOCK) --extra crawl --extra mcp --extra notebook --extra spark --group dev -c requirements.lock -o requirements-dev.lock
	! grep -nE '(https?|file)://' requirements.lock requirements-dev.lock
	$(if $(NODE),cd web && npm install --silent --package-lock-only)
	! grep -n '"resolved"' web/package-lock.json

clean:
	rm -rf $(VENV) build dist weft-demo benchmarks/out web/node_modules src/weft/server/workbench

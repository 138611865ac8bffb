# Every command of the project. `make` alone lists them.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
PORT ?= 8000
VENV := .venv
RUN := $(VENV)/bin/python
INTL := $(RUN) -m gallery_intl
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help html serve catalogs progress test lint format linkcheck clean

help:  ## list the commands
	@grep -hE '^[a-z-]+[a-z%-]*:.*## ' $(MAKEFILE_LIST) \
	  | sed -E 's/^([^:]+):.*## /\1|/; s/%/ko/' \
	  | awk -F'|' '{printf "  make %-10s %s\n", $$1, $$2}'

html: $(READY)  ## build the site in all languages
	@$(INTL) html

html-%: $(READY)  ## build one language
	@$(INTL) html $*

serve: $(READY)  ## show the built site at http://127.0.0.1:8000 (PORT=...)
	@$(INTL) serve --port $(PORT)

catalogs: $(READY)  ## bring the .po files up to the scripts
	@$(INTL) catalogs

progress: $(READY)  ## show how much of each page each language has
	@$(INTL) progress

test: html $(VENV)/.browser  ## run all tests, the browser's too
	@$(RUN) -m pytest

lint: $(READY)  ## check style, types and catalogs' form
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check gallery_intl tests
	@$(RUN) -m mypy
	@$(RUN) -m sphinxlint --enable=all --disable=line-too-long index.rst about.rst gallery

format: $(READY)  ## put the code into the one style
	@$(RUN) -m ruff check --fix .
	@$(RUN) -m ruff format gallery_intl tests

linkcheck: $(READY)  ## visit the links that lead to other sites
	@$(RUN) -m sphinx -q -b linkcheck . _build/linkcheck

clean:  ## remove what was built; the environment stays
	rm -rf _build tutorials
	find locales -name '*.mo' -delete

$(READY): requirements.txt constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or say make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed, $(PYTHON) is older: say make PYTHON=/path/to/python"; exit 1; }
	@echo "installing packages into $(VENV) (a few minutes, once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.browser: $(READY) tests/browser.py
	@$(RUN) tests/browser.py
	@touch $@

# The commands for people who write, translate and program. `make` alone lists them;
# `make -f .ci/maintain.mk` lists those for maintainers too.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
PORT ?= 8000
VENV := .venv
COMMAND ?= make
PY := $(VENV)/bin/python
SITE := $(PY) -m gallery_site
READY := $(VENV)/.ready
# packages are installed without bytecode (240 MB); Python writes it for what it imports
unexport PYTHONDONTWRITEBYTECODE
# to record on a machine with GPUs, whose own torch is used if there is none of ours
PYTHON_HERE := $(if $(wildcard $(READY)),$(PY),$(PYTHON))
# commands that run no lesson need no torch
LIGHT := $(VENV)/.ready-without-torch
PACKAGES := gallery-intl po-check-cjk sphinx-cjk-search
INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --no-compile
OURS := --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation \
  $(foreach package,$(PACKAGES),--editable packages/$(package))
PREVIEW := $(filter no,$(RUN))
FORMATTED := --force-exclude gallery_run gallery_site packages tests .ci
# a busy machine may fail a test: up to three failed tests run once more, alone
AGAIN = { test $$? = 1 && echo "running failed tests once more, alone:" \
  && $(PY) -m pytest --last-failed --last-failed-no-failures none --maxfail 3; }
LIVE_READY := $(if $(PREVIEW),$(LIGHT),$(READY))

.DEFAULT_GOAL := help
.PHONY: help html zip serve catalogs check progress quick test record lint format

help:
	@grep -hE '^[a-z-]+[a-z%-]*:.*## ' $(MAKEFILE_LIST) \
	  | sed -E 's/^([^:]+):.*## /\1|/; s/%/ko/' \
	  | awk -F'|' '{printf "  $(COMMAND) %-14s %s\n", $$1, $$2}'

html: $(READY)  ## build the site in all languages
	@$(SITE) html

html-%: $(READY)  ## build one language
	@$(SITE) html $*

zip: html  ## pack the site into a zip to read offline
	@$(SITE) zip

serve: $(LIGHT)  ## serve the built site at http://127.0.0.1:8000 (PORT=...)
	@$(SITE) serve --port $(PORT)

live-%: $(LIVE_READY)  ## live preview of saved edits (RUN=no: runs no script)
	@$(SITE) live $* --port $(PORT) $(if $(PREVIEW),--no-run)

catalogs: $(LIGHT)  ## update the .po files from the scripts; runs no script
	@$(SITE) catalogs

todo-%: $(LIGHT)  ## list untranslated and fuzzy messages, as file:line
	@$(SITE) todo $*

progress: $(LIGHT)  ## show how much of each page is translated
	@$(SITE) progress

reviewed-%: $(LIGHT)  ## record who reviewed a page (PAGE=... BY="a name")
	@$(SITE) reviewed $* "$(PAGE)" --by "$(BY)"

check: $(LIGHT)  ## check the catalogs
	@$(SITE) check $(if $(FORMAT),--format $(FORMAT))

STYLE = $(PY) -m ruff check . && $(PY) -m ruff format --check $(FORMATTED) && $(PY) -m mypy

quick: $(LIGHT)  ## check style and types, run the unit tests (half a minute)
	@$(STYLE)
	@$(PY) -m pytest $(ENGLISH) -n auto tests/unit

# until a new lesson is translated: make quick test TRANSLATED=no
ENGLISH = $(if $(filter no,$(TRANSLATED)),-m "not translated")

test: html $(VENV)/.browser  ## run all tests (TRANSLATED=no: a lesson in English)
	@$(PY) -m pytest $(ENGLISH) -n auto --dist loadfile --no-loadscope-reorder || $(AGAIN)
	@$(if $(ENGLISH),echo "complete but for translations:" && $(SITE) check && $(SITE) todo)

record:  ## record outputs on a machine with GPUs (PAGES=...); needs torch
	@$(PYTHON_HERE) -m gallery_run $(PAGES)

CHECK_FORM = $(PY) -m check_jsonschema --builtin-schema

lint: $(READY)  ## check style, types, reST and workflows
	@$(STYLE)
	@$(PY) -m sphinxlint --enable=all --disable=line-too-long *.rst gallery
	@$(CHECK_FORM) vendor.github-workflows .github/workflows/*.yml
	@$(CHECK_FORM) custom.github-workflows-require-timeout .github/workflows/*.yml
	@$(CHECK_FORM) vendor.github-actions .github/actions/*/action.yml
	@$(CHECK_FORM) vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml
	@$(CHECK_FORM) vendor.dependabot .github/dependabot.yml
	@$(CHECK_FORM) vendor.citation-file-format CITATION.cff

format: $(READY)  ## format the code
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format $(FORMATTED)

define NEW_ENOUGH
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or run make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed, $(PYTHON) is older: run make PYTHON=/path/to/python"; exit 1; }
endef

$(LIGHT): locks/site.txt $(wildcard packages/*/pyproject.toml)
	$(NEW_ENOUGH)
	@echo "installing packages into $(VENV) (a minute, once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(INSTALL) -r locks/site.txt
	@$(PY) -m pip install $(OURS)
	@touch $@

# torch's CPU build where there is no NVIDIA GPU (TORCH=cpu or TORCH=cuda decides)
$(READY): $(LIGHT) locks/torch.txt locks/torch-cpu.txt locks/cuda.txt
	@echo "installing torch into $(VENV) (a few minutes, once) ..."
	@$(PY) .ci/install_torch.py $(TORCH)
	@touch $@

$(VENV)/.browser: $(READY) tests/tools/browser.py
	@$(PY) tests/tools/browser.py
	@touch $@

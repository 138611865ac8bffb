# Every command of the project. `make` alone lists them.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
PORT ?= 8000
VENV := .venv
PY := $(VENV)/bin/python
SITE := $(PY) -m gallery_site
READY := $(VENV)/.ready
# packages come without bytecode (240 MB): Python writes that of what it imports
unexport PYTHONDONTWRITEBYTECODE
# a machine with GPUs has a torch of its own; ours is used if it is there
PYTHON_HERE := $(if $(wildcard $(READY)),$(PY),$(PYTHON))
# what does not run the gallery needs no torch
LIGHT := $(VENV)/.ready-without-torch
PACKAGES := gallery-intl po-check-cjk sphinx-cjk-search
INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --no-compile
PREVIEW := $(filter no,$(RUN))
FORMATTED := --force-exclude gallery_intl gallery_run gallery_site packages tests
BENCH := PYTHONPATH=.:tests/tools $(PY) tests/bench
# a busy machine may fail a test: what failed, if it is little, is tried once more alone
AGAIN = { test $$? = 1 && echo "what failed, once more and alone:" \
  && $(PY) -m pytest --last-failed --last-failed-no-failures none --maxfail 3; }
# where there is no GPU, torch's CPU build is the newest that is wanted
NEWEST_TORCH := --extra-index-url https://download.pytorch.org/whl/cpu
# the newest Sphinx may ask for a newer Python than ours (NEWEST_PYTHON=python3.13)
NEWEST_PYTHON ?= $(PYTHON)
# these hold what is installed against the lock
OF_THE_LOCK := test_all_that_is_installed_for_the_site_is_locked
UV := $(VENV)/uv/bin/python -m uv
LIVE_READY := $(if $(PREVIEW),$(LIGHT),$(READY))

.DEFAULT_GOAL := help
.PHONY: help html zip serve catalogs check progress quick test record bench torture lint format linkcheck lock clean
.PHONY: foreign foreigners themes newest
.PHONY: wheel try-wheel publish

help:  ## list the commands
	@grep -hE '^[a-z-]+[a-z%-]*:.*## ' $(MAKEFILE_LIST) \
	  | sed -E 's/^([^:]+):.*## /\1|/; s/%/ko/' \
	  | awk -F'|' '{printf "  make %-14s %s\n", $$1, $$2}'

html: $(READY)  ## build the site in all languages
	@$(SITE) html

html-%: $(READY)  ## build one language
	@$(SITE) html $*

zip: html  ## pack the site into a zip that is read offline, by double click
	@$(SITE) zip

serve: $(LIGHT)  ## show the built site at http://127.0.0.1:8000 (PORT=...)
	@$(SITE) serve --port $(PORT)

live-%: $(LIVE_READY)  ## show each saved edit in the browser (RUN=no: runs no script)
	@$(SITE) live $* --port $(PORT) $(if $(PREVIEW),--no-run)

catalogs: $(LIGHT)  ## bring the .po files up to the scripts; runs none of them
	@$(SITE) catalogs

todo-%: $(LIGHT)  ## list what is untranslated or fuzzy, as file:line
	@$(SITE) todo $*

progress: $(LIGHT)  ## show how much of each page each language has
	@$(SITE) progress

reviewed-%: $(LIGHT)  ## note who has reviewed a page (PAGE=... BY="a name")
	@$(SITE) reviewed $* "$(PAGE)" --by "$(BY)"

check: $(LIGHT)  ## check every rule that a translation must keep
	@$(SITE) check $(if $(FORMAT),--format $(FORMAT))

quick: $(LIGHT)  ## check style, types and what needs no site, in half a minute
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check $(FORMATTED)
	@$(PY) -m mypy
	@$(PY) -m pytest -n auto tests/unit

test: html $(VENV)/.browser  ## run all tests, the browser's too
	@$(PY) -m pytest -n auto --dist loadfile --no-loadscope-reorder || $(AGAIN)

record:  ## record on a machine with GPUs what pages print (PAGES=...); needs torch
	@$(PYTHON_HERE) -m gallery_run $(PAGES)

bench: html $(VENV)/.browser  ## measure builds, pages, search and the live view
	@$(BENCH)/bench_builds.py
	@$(BENCH)/bench_search.py
	@$(BENCH)/bench_lighthouse.py

themes: $(VENV)/.browser  ## show the language menu under six themes, in _build/themes
	@PYTHONPATH=tests/tools $(PY) tests/torture/themes.py

torture: html themes  ## kill builds, pretend machines, compare two builds (two hours)
	@$(PY) -m pytest -n 2 --dist load $(addprefix tests/torture/torture,.py _machines.py _downloads.py _oldest.py)
	@PYTHONPATH=tests/tools $(PY) tests/torture/torture_builds.py
	@$(MAKE) --no-print-directory foreigners

foreign: $(READY)  ## put the extension into a project of others (FROM=folder DOCS=doc)
	@PYTHONPATH=tests/tools:. $(PY) tests/torture/foreign.py "$(FROM)" --docs "$(or $(DOCS),doc)"

foreigners: $(LIGHT)  ## fetch published galleries of others, try each, print a table (NAMES=...)
	@PYTHONPATH=tests/tools $(PY) tests/torture/foreigners.py $(NAMES)

lint: $(READY)  ## check style, types and catalogs' form
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check $(FORMATTED)
	@$(PY) -m mypy
	@$(PY) -m sphinxlint --enable=all --disable=line-too-long *.rst gallery
	@$(PY) .ci/check_forms.py

format: $(READY)  ## put the code into the one style
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format $(FORMATTED)

linkcheck: $(READY)  ## visit the links that lead to other sites
	@$(PY) -m sphinx -q -b linkcheck . _build/linkcheck && echo "every link to another site leads somewhere"

newest: $(VENV)/.browser  ## build and test with the newest versions of all packages
	@$(NEWEST_PYTHON) -m venv $(VENV)/newest
	@grep -v '^-c' requirements.txt | sed 's/==.*//' > $(VENV)/newest/requirements.txt
	@$(VENV)/newest/bin/python -m pip install --quiet --disable-pip-version-check \
	  --upgrade $(NEWEST_TORCH) -r $(VENV)/newest/requirements.txt
	@$(VENV)/newest/bin/python -m gallery_site html
	@$(VENV)/newest/bin/python -m pytest -n auto --dist loadfile tests/unit tests/build \
	  $(addprefix --deselect tests/build/test_lock.py::,$(OF_THE_LOCK))

wheel: $(VENV)/.uv  ## build gallery_intl's wheel and source package into _build/dist
	@rm -rf _build/dist
	@SOURCE_DATE_EPOCH=315532800 $(UV) build --quiet --no-create-gitignore --out-dir _build/dist

try-wheel:  ## install the wheel alone and try it (WITH="sphinx==8.2.3 ...")
	@$(PYTHON) .ci/try_wheel.py $(WITH)

publish: $(VENV)/.uv  ## publish _build/dist on PyPI by trusted publishing; a workflow does it
	@$(UV) publish --trusted-publishing always _build/dist/*

lock: $(VENV)/.uv  ## lock all packages by their hashes, after requirements.txt was edited
	@$(VENV)/uv/bin/python .ci/lock.py

clean:  ## remove what was built; the environment stays
	rm -rf _build tutorials
	find locales -name '*.mo' -delete

define NEW_ENOUGH
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or say make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed, $(PYTHON) is older: say make PYTHON=/path/to/python"; exit 1; }
endef

$(LIGHT): locks/site.txt $(wildcard packages/*/pyproject.toml)
	$(NEW_ENOUGH)
	@echo "installing packages into $(VENV) (a minute, once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(INSTALL) -r locks/site.txt
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
	  --no-index $(foreach package,$(PACKAGES),--editable packages/$(package))
	@touch $@

# torch's CPU build where there is no NVIDIA GPU (TORCH=cpu or TORCH=cuda decides)
$(READY): $(LIGHT) locks/torch.txt locks/torch-cpu.txt locks/cuda.txt
	@echo "installing torch into $(VENV) (a few minutes, once) ..."
	@$(PY) .ci/install_torch.py $(TORCH)
	@touch $@

$(VENV)/.uv: Makefile
	$(NEW_ENOUGH)
	@$(PYTHON) -m venv $(VENV)/uv
	@$(VENV)/uv/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.8
	@touch $@

$(VENV)/.browser: $(READY) tests/tools/browser.py
	@$(PY) tests/tools/browser.py
	@touch $@

# Commands for maintainers, and all those of the Makefile. Run from the root folder:
#
#     make -f .ci/maintain.mk torture

COMMAND := make -f .ci/maintain.mk
include Makefile

BENCH := PYTHONPATH=.:tests/tools $(PY) tests/bench
MAINTAIN := $(MAKE) --no-print-directory -f .ci/maintain.mk
UV := $(VENV)/uv/bin/python -m uv
# the newest Sphinx may need a newer Python than ours (NEWEST_PYTHON=python3.13)
NEWEST_PYTHON ?= $(PYTHON)
# where there is no GPU, torch's CPU build is enough
NEWEST_TORCH := --extra-index-url https://download.pytorch.org/whl/cpu
# the package that is built and published
PACKAGE ?= gallery-intl

.PHONY: lock linkcheck newest bench torture foreign foreigners wheel try-wheel publish clean

lock: $(VENV)/.uv  ## lock all packages after an edit of requirements.txt
	@$(VENV)/uv/bin/python .ci/lock.py

bench: html $(VENV)/.browser  ## measure builds, pages and search
	@$(BENCH)/bench_builds.py
	@$(BENCH)/bench_search.py
	@$(BENCH)/bench_lighthouse.py

torture: html  ## kill builds, simulate machines, compare two builds (two hours)
	@$(PY) -m pytest -n 2 --dist load $(addprefix tests/torture/torture,.py _builds.py _pages.py)
	@$(MAINTAIN) foreigners

foreign: $(READY)  ## try gallery_intl in another project (FROM=folder DOCS=doc)
	@PYTHONPATH=tests/tools:. $(PY) tests/torture/foreign.py "$(FROM)" --docs "$(or $(DOCS),doc)"

foreigners: $(LIGHT)  ## try gallery_intl in published galleries (NAMES=...)
	@PYTHONPATH=tests/tools $(PY) tests/torture/foreigners.py $(NAMES)

linkcheck: html-en  ## check links to other sites
	@$(PY) -m sphinx -q -b linkcheck _build/source/en _build/linkcheck && echo "all links to other sites work"

newest: $(VENV)/.browser  ## build and test with the newest versions of all packages
	@$(NEWEST_PYTHON) -m venv $(VENV)/newest
	@grep -v '^-c' requirements.txt | sed 's/==.*//' > $(VENV)/newest/requirements.txt
	@$(VENV)/newest/bin/python -m pip install --quiet --disable-pip-version-check \
	  --upgrade $(NEWEST_TORCH) -r $(VENV)/newest/requirements.txt
	@$(VENV)/newest/bin/python -m pip install $(OURS)
	@$(VENV)/newest/bin/python -m pip list
	@echo "newer, but not allowed by a dependency:"
	@$(VENV)/newest/bin/python -m pip list --outdated
	@$(VENV)/newest/bin/python -m gallery_site html
	@$(VENV)/newest/bin/python -m pytest -n auto --dist loadfile tests/unit tests/build packages

wheel: $(VENV)/.uv  ## build wheel and source package of PACKAGE into _build/dist
	@rm -rf _build/dist
	@SOURCE_DATE_EPOCH=315532800 $(UV) build --quiet --no-create-gitignore --out-dir _build/dist packages/$(PACKAGE)

try-wheel:  ## install the wheel alone and try it (WITH="sphinx==8.2.3 ...")
	@$(PYTHON) .ci/try_package.py _build/dist/*.whl $(WITH) --in packages/gallery-intl/tests/roots/status -m gallery_intl build -- -W

publish: $(VENV)/.uv  ## publish _build/dist on PyPI; the release workflow runs it
	@$(UV) publish --trusted-publishing always _build/dist/*

clean:  ## remove built files, but not .venv
	rm -rf _build tutorials
	find locales -name '*.mo' -delete

$(VENV)/.uv: .ci/maintain.mk
	$(NEW_ENOUGH)
	@$(PYTHON) -m venv $(VENV)/uv
	@$(VENV)/uv/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.8
	@touch $@

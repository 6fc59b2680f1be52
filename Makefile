# Two commands are all a fresh machine needs: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SOURCES := pyproject.toml src/eigenselect/_version.py

.PHONY: demo test lint types unit browser bench papers examples picture clean

demo: $(VENV)/.installed ## rank the features of a real data set that ships with scikit-learn
	@$(BIN)/python examples/demo.py

test: lint types unit ## everything: style, types, all tests

lint: $(VENV)/.installed-test
	$(BIN)/ruff check src tests benchmarks examples docs papers
	$(BIN)/ruff format --check src tests benchmarks examples docs papers

types: $(VENV)/.installed-test
	$(BIN)/mypy

unit: $(VENV)/.installed-test browser
	$(BIN)/python -m pytest -n auto

browser: ## Chromium for the tests of the report, where it can be installed
	@.ci/browser

bench: $(VENV)/.installed-bench ## times, memory and ratios against peers, into benchmarks/results.json
	$(BIN)/python benchmarks/run.py $(BENCH)

papers: $(VENV)/.installed ## the papers' tables, published next to measured, into papers/RESULTS.md (needs ../shared/data)
	$(BIN)/python papers/spec.py
	$(BIN)/python papers/sselect.py
	$(BIN)/python papers/evsc.py
	$(BIN)/python papers/msfs.py
	$(BIN)/python papers/mrsf.py

examples: $(VENV)/.installed-plot ## the example pages, each ending in a figure in docs/images
	for page in three_gaussians evsc_iris sselect_text multisource_genes redundancy; do $(BIN)/python examples/$$page.py || exit 1; done

picture: $(VENV)/.installed-test browser ## the README's pictures
	$(BIN)/python docs/make_picture.py
	$(BIN)/python examples/demo.py
	$(BIN)/python docs/make_screenshot.py build/demo.html docs/images/report.png

$(VENV)/.python:
	@echo "making a virtual environment in $(VENV) (first time only) ..." >&2
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.python $(SOURCES)
	@echo "installing eigenselect ..." >&2
	@$(PIP) install -e .
	@touch $@

$(VENV)/.installed-%: $(VENV)/.python $(SOURCES)
	@echo "installing eigenselect with its $* tools ..." >&2
	@$(PIP) install -e ".[$(if $(filter test,$*),test$(comma)lint$(comma)plot,$*)]"
	@touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist

comma := ,

# Two commands are all a fresh machine needs: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SOURCES := pyproject.toml src/eigenselect/__init__.py

#: tests whose numbers come out of BLAS or LAPACK: what every estimator promises, eigenpairs, forms, the L2,1 path
NUMERICAL := test_common.py test_another_basis.py criteria graph multivariate
#: what `make test-all` adds
MORE_NUMERICAL := inference selection sensitivity similarity reporting/views test_spectral.py
OTHER_CPU := Prescott
#: every run says where its time went
SLOWEST := --durations=25 --durations-min=0.5

#: scripts of papers/, one for each paper or chapter
PAPERS := spec trace_ratio sselect evsc mrsf msfs choosing

#: where spelling is checked
PROSE := src docs README.md CHANGELOG.md CONTRIBUTING.md examples papers benchmarks tests release

.PHONY: demo test test-all quick snapshots lint format types unit other-cpu versions test-lowest test-newest browser bench differential calibration mutation papers papers-quick examples docs docs-look docs-links tables citation picture wheel recipe tag-check release-check clean

demo: $(VENV)/.installed ## rank the features of a real data set that ships with scikit-learn
	@$(BIN)/python examples/demo.py

test: $(VENV)/.installed-test ## style, types, all tests that are not slow; what depends on BLAS also as on another processor
	@$(MAKE) --no-print-directory -j2 lint types
	@$(MAKE) --no-print-directory unit other-cpu TESTS='-m "not slow"'

test-all: $(VENV)/.installed-test ## the same with the slow tests: what a release requires
	@$(MAKE) --no-print-directory -j2 lint types
	@$(MAKE) --no-print-directory unit other-cpu NUMERICAL="$(NUMERICAL) $(MORE_NUMERICAL)"

#: what `make quick` runs; PARTS="tests/cli" takes another part
PARTS ?= tests --ignore=tests/cli --ignore=tests/reporting --ignore=tests/single_cell

quick: $(VENV)/.installed-test ## under a minute, while you work: one case of each test of the core; PARTS="tests/cli" takes others
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --quick -m "not slow and not browser and not cluster" $(SLOWEST) $(PARTS)

snapshots: $(VENV)/.installed-test ## write tests/snapshots anew: review the difference before you commit it
	$(BIN)/python -m pytest -n auto --renew-snapshots -k snapshot tests
	git diff --stat tests/snapshots

lint: $(VENV)/.installed-test ## style: ruff; spelling: codespell; docstrings: numpydoc; odd phrases; frozen sentences; prettier and eslint if node is there
	$(BIN)/ruff check src tests benchmarks examples docs papers release
	$(BIN)/ruff format --check src tests benchmarks examples docs papers release
	$(BIN)/codespell $(PROSE)
	$(BIN)/python docs/check_docstrings.py
	$(BIN)/python docs/check_phrases.py
	$(BIN)/python tests/count_sentences.py
	@.ci/javascript

format: $(VENV)/.installed-test ## write everything in that style
	$(BIN)/ruff format src tests benchmarks examples docs papers release
	@.ci/javascript format

types: $(VENV)/.installed-test ## mypy
	$(BIN)/mypy

unit: $(VENV)/.installed-test ## all tests; those of the page only where there is a browser (make browser)
	@.ci/browser look
	$(BIN)/python -m pytest -n auto --dist loadgroup $(SLOWEST) $(TESTS)

# OpenBLAS then multiplies and factorises as on a processor without AVX: other last bits, other bases of equal
# eigenvalues. tests/test_another_basis.py asks the same of the eigensolvers on any machine.
other-cpu: $(VENV)/.installed-test ## the numerical tests as on another processor (x86 only)
	@case "$$(uname -m)" in \
	x86_64|amd64|i?86) set -x; \
	  OPENBLAS_CORETYPE=$(OTHER_CPU) $(BIN)/python -m pytest -n auto $(SLOWEST) $(TESTS) $(addprefix tests/,$(NUMERICAL)) -k "not scikit_learn_checks and not calibration and not approximate";; \
	*) echo "*** OTHER-CPU TESTS DID NOT RUN: $$(uname -m) has no OPENBLAS_CORETYPE=$(OTHER_CPU) ***" >&2;; \
	esac

versions: test-lowest test-newest ## the tests with the lowest and with the newest libraries

# PYTHONS="3.12 3.13" chooses Pythons, TESTS="tests/io tests/matrix" tests; each has an environment in build/versions
test-lowest: $(VENV)/.installed-release ## the tests with the lowest libraries that pyproject.toml allows, on the lowest Python
	@$(BIN)/python -m release.versions lowest

test-newest: $(VENV)/.installed-release ## the tests with the newest libraries, on every promised Python that is on this machine
	@$(BIN)/python -m release.versions newest

wheel: $(VENV)/.installed-release ## wheel and sdist into dist/, the same bytes anywhere
	@$(BIN)/python -m release.archives

recipe: wheel ## dist/recipe.yaml, for conda-forge: the conda recipe with the sdist's address and SHA-256
	@$(BIN)/python -m release.recipe dist

tag-check: $(VENV)/.installed-release ## TAG=v0.1.0: is this the tag of this version?
	@$(BIN)/python -m release.tag

release-check: wheel ## what must hold before a release (FULL=1: the sdist runs all of its tests, not the quick ones)
	@$(BIN)/python -m release.check

browser: ## install Chromium for the tests of the report's page: the only target that installs a system package
	@.ci/browser install

bench: $(VENV)/.installed-bench ## times, memory and ratios against peers, into benchmarks/results.json
	$(BIN)/python benchmarks/run.py $(BENCH)

differential: $(VENV)/.installed-test ## OLD=CHECKOUT: thousands of random public calls there and here, compared value by value
	$(BIN)/python benchmarks/differential.py $(OLD) $(DIFFERENTIAL)

calibration: $(VENV)/.installed-peers ## how often noise is called significant, deep into the tail, ours and others', into docs/calibration.md
	$(BIN)/python benchmarks/calibration.py $(CALIBRATION)

mutation: $(VENV)/.installed-mutation ## how many small mistakes in the mathematics make a test fail (under an hour on two cores)
	$(BIN)/python benchmarks/mutation/run.py $(MUTATION)

papers: $(VENV)/.installed-plot ## the papers' tables and figures, published next to measured, into papers/RESULTS.md (needs ../shared/data); goes on where it was stopped
	@for paper in $(PAPERS); do $(BIN)/python papers/$$paper.py || exit 1; done

papers-quick: $(VENV)/.installed-plot ## the same with few trials of small sets, printed (under 10 minutes)
	@for paper in $(PAPERS); do $(BIN)/python papers/$$paper.py --quick || exit 1; done

examples: $(VENV)/.installed-all ## the example pages, each ending in a figure in docs/images
	for page in three_gaussians evsc_iris sselect_text multisource_genes redundancy genes_on_graphs; do $(BIN)/python examples/$$page.py || exit 1; done

docs: $(VENV)/.installed-docs ## the site, into docs/_build/html: examples run, warnings are errors, links and anchors are checked
	$(BIN)/sphinx-build -b html -j 2 -n -W --keep-going docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html

docs-look: docs $(VENV)/.installed-test ## look at the built pages in Chromium, light and dark, wide and narrow; takes their pictures (make browser)
	$(BIN)/python docs/look_at_site.py

docs-links: $(VENV)/.installed-docs ## whether the addresses of other sites that pages name still answer (needs a network)
	$(BIN)/sphinx-build -b linkcheck -D plot_gallery=0 docs docs/_build/links

tables: $(VENV)/.installed-test ## what is made of the code: tables of methods and storages, the command's reference, BibTeX, names for type checkers, CONTRIBUTING's walk
	$(BIN)/python docs/make_tables.py all

citation: $(VENV)/.installed ## CITATION.cff, of the changelog and the references in the code
	$(BIN)/python -m release.citation

picture: $(VENV)/.installed-test ## the picture of README and start page, and those of every kind of page; pages need a browser (make browser)
	$(BIN)/python docs/make_picture.py
	$(BIN)/python docs/make_screenshots.py $(PAGES)

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
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis node_modules build dist docs/_build docs/api docs/auto_examples docs/tutorials docs/backreferences

comma := ,

# Each target works on a fresh clone with only Python (3.11 or newer), pip and make; none needs a GPU.
# Without make (Windows): pip install -e ".[emulator,cli]", then python -m tilewright compare.

PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11 python3.14 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$python && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
INSTALL := $(PIP) install
# So that the hundreds of processes that tests start do not compile the package each time (2 of 4 s).
unexport PYTHONDONTWRITEBYTECODE
# A process for each core, but each takes half a gigabyte. Who is done takes tests from the others.
TESTS := python -m pytest -n auto --maxprocesses 8 --dist worksteal
PYTEST := $(BIN)/$(TESTS)

.PHONY: help compare test test-slow test-long test-all test-lowest test-cuda12 check docs format fuzz-ptx fuzz-readers fuzz-cuda mutants bench-emulator bench-call-cost bench-gpu bench-precisions bench-random bench-in-a-row tables pictures ship-ptx clean

help: ## this list
	@grep -E '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

compare: .venv/runs ## every float32 kernel on real matrices, checked and counted
	$(BIN)/python -m tilewright compare

test: .venv/develops ## the tests: eight to twenty minutes on two cores
	$(PYTEST) -m "not slow and not long"

test-slow: .venv/has-toolkit .venv/has-browser .venv/has-docs ## what `make test` leaves out: slow tests, and those that need nvcc, a C compiler, torch, a browser, Jupyter or Sphinx
	$(PYTEST) -m "slow and not long"

test-long: .venv/has-toolkit ## the tests that repeat much or search long (kills, flipped bits, mutants, wrong kernels, awkward products), as much as the docs say
	TILEWRIGHT_LONG_TESTS=1 $(PYTEST) tests/lab/limited tests/lab/source tests/lab/watch tests/emulate/test_kept_unit.py tests/lab/check tests/lab/planted tests/counters tests/kernels tests/choose/test_multiplication_plan.py tests/call/test_invariant.py tests/nets

test-all: .venv/has-toolkit .venv/has-browser .venv/has-docs ## all tests but the long ones, with all that any of them needs
	$(PYTEST) -m "not long"

test-lowest: .venv-lowest/runs ## `make test` with the lowest versions that pyproject.toml allows
	.venv-lowest/bin/$(TESTS) -m "not slow and not long"

test-cuda12: .venv-cuda12/runs ## compiler, emulator and kernels with the oldest NVRTC that is supported
	.venv-cuda12/bin/$(TESTS) -m "not slow and not long" tests/compile tests/emulate tests/kernels tests/lab/source
	.venv-cuda12/bin/python -m pytest tests/lab/source/test_stand_ins.py

fuzz-ptx: .venv/develops ## mutants of PTX on the emulator: COUNT=20000 SEED=1 FIRST=0; failures go to .fuzz/ptx
	$(BIN)/python -m tests.emulate.fuzzing.run --count $(or $(COUNT),20000) --seed $(or $(SEED),1) --first $(or $(FIRST),0)

check: .venv/develops ## ruff, mypy --strict, import-linter
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/has-docs ## the site, in docs/_build/html; a warning is an error
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

format: .venv/develops ## ruff's formatter and its safe fixes
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

fuzz-readers: .venv/develops ## 20,000 damaged files: each is read or refused in one sentence
	$(BIN)/python -m tests.call.files.fuzz_readers 20000

fuzz-cuda: .venv/develops ## mutants of CUDA texts, COUNT=5000 SEED=1 FIRST=0: each ends in a verdict, a refusal in one sentence, or a question
	$(BIN)/python -m tests.lab.source.cuda_mutants --count $(or $(COUNT),5000) --seed $(or $(SEED),1) --first $(or $(FIRST),0)

mutants: .venv/has-toolkit ## small changes of the sources, and whether a test notices: MODULE=choose SEED=1 COUNT=60; survivors go to .fuzz/mutants.json
	$(BIN)/python -m tests.mutants $(if $(MODULE),--modules $(MODULE)) --seed $(or $(SEED),1) --count $(or $(COUNT),60) --all --reached .fuzz/reached

bench-emulator: .venv/develops ## how fast the emulator is, on this machine
	$(BIN)/python -m benchmarks.measure.bench_emulator

bench-call-cost: .venv/has-toolkit ## what a call costs on the host beside torch's (needs a GPU, torch and [cuda13])
	$(BIN)/python -m benchmarks.measure.bench_call_cost

bench-gpu: .venv/develops ## products in 16-bit types beside torch, on this GPU (needs torch and [cuda13])
	$(BIN)/python -m benchmarks.measure.bench_gpu

bench-precisions: .venv/develops ## float32 products by precision beside torch, on this GPU (needs torch and [cuda13])
	$(BIN)/python -m benchmarks.measure.bench_precisions

bench-random: .venv/develops ## products drawn at random beside torch, on this GPU: SEED=... (needs torch and [cuda13])
	$(BIN)/python -m benchmarks.measure.bench_random --seed $(or $(SEED),1)

bench-in-a-row: .venv/develops ## products each of the result of the one before, beside torch (needs torch and [cuda13])
	$(BIN)/python -m benchmarks.measure.bench_in_a_row

tables: .venv/develops ## the README's tables from benchmarks/results/*.json
	$(BIN)/python -m benchmarks.tables.write_tables

pictures: .venv/develops ## the pictures of the README and docs/
	$(BIN)/python -m benchmarks.pictures.write_pictures

ship-ptx: .venv/runs ## compile the PTX that ships with the package
	$(BIN)/python -m tilewright.compile.ship

clean: ## remove .venv and caches
	rm -rf .venv .venv-lowest .venv-cuda12 docs/_build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# Stamps: each says which set of packages .venv holds, and is written only after pip has succeeded.
# Where Debian's python3 comes without ensurepip, pip installs itself into the new environment.
.venv/pip:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed, and none was found: make PYTHON=/path/to/python"; exit 1; }
	@echo "building .venv with $(PYTHON) (a minute or two, once)"
	@rm -rf .venv
	@$(PYTHON) -m venv .venv 2>/dev/null || \
		{ $(PYTHON) -m venv --clear --without-pip .venv && $(PYTHON) -m pip --quiet --python .venv install pip; }
	@$(INSTALL) "pip>=25.1"
	@touch $@

.venv/runs: .venv/pip pyproject.toml
	@$(INSTALL) --editable ".[emulator,cli,lab,plots]"
	@touch $@

.venv/develops: .venv/runs
	@$(INSTALL) --group dev
	@touch $@

.venv/has-toolkit: .venv/develops native/pyproject.toml $(wildcard native/*.py native/*.pyx native/*.pxi)
	@$(INSTALL) --group toolkit --group arrays ./native
	@touch $@

.venv/has-browser: .venv/develops
	@$(INSTALL) --group browser
	@$(BIN)/python tests/lab/watch/install_browser.py
	@touch $@

.venv/has-docs: .venv/develops
	@$(INSTALL) --group docs
	@touch $@

# Environments of their own: CUDA 12's wheels must not lie beside those of CUDA 13. CONSTRAINTS holds each extra at its lowest version.
CONSTRAINTS = $(BIN)/python -m tests.lowest_versions
FRESH = rm -rf $(@D) && $(BIN)/python -m venv --without-pip $(@D)
INTO = $(BIN)/python -m pip --quiet --disable-pip-version-check --python $(@D) install --constraint $(@D)/lowest.txt --group test

.venv-lowest/runs: .venv/pip pyproject.toml
	@$(FRESH)
	@$(CONSTRAINTS) emulator cli lab plots cuda13 >$(@D)/lowest.txt
	@$(INTO) --editable ".[emulator,cli,lab,plots,cuda13]"
	@touch $@

# What the emulator needs beside NVRTC, which the extra of that name brings as CUDA 13's.
.venv-cuda12/runs: .venv/pip pyproject.toml
	@$(FRESH)
	@$(CONSTRAINTS) cuda12 lab >$(@D)/lowest.txt
	@$(INTO) --editable ".[cuda12,lab,cli]" numba filelock
	@touch $@

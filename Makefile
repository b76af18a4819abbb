# Two commands do everything: `make run` and `make test`.  Both set up the environment first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test check bench report docs nightly clean small setup browser storm proofs statements checker ocaml rehearsal lowest mutate coverage

run: small  ## plan, learn, audit: the main job, in under three minutes
	$(BIN)/verified-risk models show frozen_lake
	$(BIN)/verified-risk plan frozen_lake --objective "cvar(33/100)"
	$(BIN)/verified-risk learn two_paths --objective "cvar(1/4)" --episodes 5000
	$(BIN)/verified-risk audit --examples 50
	@echo
	@echo "Next: README.md for the library, docs/audit.md for what is true in the paper, docs/theory/ for the proofs."

test: setup browser storm ocaml  ## every test that fits in CI
	$(BIN)/python -m pytest -n 2 --dist loadfile -rs

check: setup  ## style, types, docstrings and the examples in them, stale generated files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/repository/test_docstrings.py
	$(BIN)/python -m pytest --doctest-modules verified_risk proofs_checks --ignore-glob="*/wheel_hook.py" -p no:cacheprovider
	$(BIN)/python -m proofs_checks report --check

bench: setup storm ocaml  ## ratios of one run, both sides' times, on docs/benchmarks.md; half an hour, on an idle machine
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[bench]"
	$(BIN)/python tests/benchmarks/run.py --page docs/benchmarks.md

report: setup  ## regenerate docs/audit.md, docs/statements.svg and the certificates
	$(BIN)/python -m proofs_checks report

docs: setup  ## the documentation, tutorials executed, into docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

proofs:  ## compile every Coq proof and print its axioms; installs Coq with apt when run as root
	INSTALL=1 sh proofs_checks/formal/compile.sh

statements: proofs  ## print the headline theorems, each on its own with its definitions and axioms
	sh proofs_checks/formal/statements.sh

checker:  ## build the verified checker of plans from its extracted source; installs OCaml with apt when run as root
	INSTALL=1 sh proofs_checks/formal/checker/driver/build.sh

nightly: setup browser storm ocaml  ## slow campaigns
	HYPOTHESIS_PROFILE=nightly $(BIN)/python -m pytest -m "slow or not slow"
	INSTALL=1 CHECK=1 sh proofs_checks/formal/compile.sh

mutate: setup ocaml  ## sampled faults, one at a time, judged by the tests that execute them; goes on where it was stopped
	$(BIN)/python tests/mutation/campaign.py $(MUTATE)

coverage: setup ocaml  ## which lines and branches no test executes, file by file
	$(BIN)/python -m pytest --cov=verified_risk --cov=proofs_checks --cov-branch --cov-report=term-missing:skip-covered

rehearsal:  ## build wheel and sdist, check them, and run the tests against the wheel in an empty environment
	PYTHON=$(PYTHON) sh tests/rehearsal.sh

lowest:  ## an environment with the oldest versions that pyproject.toml allows; then `make test`
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --resolution lowest-direct --editable ".[dev]"
	touch $(VENV)/.ready $(VENV)/.small

# The audit page is tested in a real Chromium; without one its tests are skipped and say so.
browser:
	@command -v chromium >/dev/null 2>&1 || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 \
	  && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium \
	  >/dev/null; } || echo "no Chromium: the tests of the audit page will be skipped"

# Storm, a model checker, is an oracle of the tests and a rival in the benchmark; it has wheels for some platforms only.
storm: setup
	@$(BIN)/python -c "import stormpy" 2>/dev/null \
	  || $(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary stormpy "stormpy>=2.0" \
	  || echo "no Storm: the tests that compare with it will be skipped"

# Plans are confirmed by the verified checker; without OCaml its tests are skipped and say so.
ocaml:
	@INSTALL=1 sh proofs_checks/formal/checker/driver/build.sh || echo "no OCaml: the tests of the verified checker will be skipped"

# What `make run` needs, and everything.
small: $(VENV)/.small
$(VENV)/.small: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[audit]"
	touch $@

setup: $(VENV)/.ready
$(VENV)/.ready: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $@ $(VENV)/.small

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

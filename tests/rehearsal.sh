#!/bin/sh
# Build the wheel and the source archive, check their metadata and contents, install the wheel into an empty environment
# in an empty folder, and run there the tests that need no file of the repository.  What needs one: the tests of
# documentation and repository, of generated reports, and of the command line's pages, which a user of the wheel does not
# have.  WORKERS: processes of the tests.
set -eu
cd "$(dirname "$0")/.."
: "${PYTHON:=python3}" "${WORKERS:=2}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
quiet="--quiet --disable-pip-version-check"

"$PYTHON" -m venv "$work/tools"
tools="$work/tools/bin/python"
# shellcheck disable=SC2086
"$tools" -m pip install $quiet "build>=1.2" "twine>=6"
"$tools" -m build --outdir "$work/dist" . >"$work/build.log" 2>&1 || { tail -n 20 "$work/build.log" >&2; exit 1; }
"$tools" -m twine check --strict "$work"/dist/*
ls -l "$work/dist"
wheel="$(echo "$work"/dist/*.whl)"
git ls-files verified_risk proofs_checks >"$work/tracked"
"$tools" tests/support/wheel_contents.py "$wheel" "$work/tracked"

"$PYTHON" -m venv "$work/empty"
# shellcheck disable=SC2086
"$work/empty/bin/python" -m pip install $quiet "$wheel[audit,plot,gym,cluster]" scipy highspy mpmath pytest-xdist
mkdir "$work/place"
cp -r tests "$work/place/"
cp pyproject.toml "$work/place/"
cd "$work/place"
"$work/empty/bin/python" -c "import verified_risk, proofs_checks; print(verified_risk.__version__, verified_risk.__file__)"
"$work/empty/bin/verified-risk" plan frozen_lake --objective "cvar(33/100)" | head -n 5
"$work/empty/bin/verified-risk" recheck "$("$work/empty/bin/python" -c \
    "from proofs_checks.engine.certificate import DIRECTORY; print(DIRECTORY / 'thm_main.json')")"
"$work/empty/bin/verified-risk" plan two_paths --objective "cvar(1/4)" --exact --save plan.json >/dev/null
if command -v ocamlfind >/dev/null 2>&1; then  # the checker is in the wheel, and so are its sources and the script that builds it
    case "$wheel" in *-none-any.whl) echo "no checker in the wheel, though OCaml is present" >&2; exit 1;; esac
    "$work/empty/bin/verified-risk" prove plan.json
    sh "$("$work/empty/bin/python" -c "from verified_risk.proving.run_checker import BUILT; print(BUILT.parents[1])")/driver/build.sh"
    "$work/empty/bin/verified-risk" prove plan.json
else
    "$work/empty/bin/verified-risk" prove plan.json && exit 1
    echo "no OCaml: \`prove\` says how to build the checker"
fi
"$work/empty/bin/python" -m pytest -n "$WORKERS" --dist loadfile -q -p no:cacheprovider \
    tests/model tests/objectives tests/planning tests/learning tests/interop tests/checks/test_certificates.py \
    tests/checks/test_known_numbers.py tests/checks/test_strategies.py

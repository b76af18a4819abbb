#!/bin/sh
# Extracts the checker to extracted/checker.ml.  With "check": says whether that file is what extraction gives, byte for byte.
#   ./extract.sh          write it
#   ./extract.sh check    compare; exit code 1 if it differs
# The proofs must have been compiled (../compile.sh).
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cat > "$work/Extraction_.v" <<'END'
From VerifiedRisk Require Import Tree Program Verdict Reading ReadFile CheckText DataFile Directives.
Extraction Language OCaml.
Extraction Inline Sumbool.sumbool_of_bool and_then answered.
Extraction "checker.ml" check_any_text latest_format check verdict check_curved verdict_curved check_upper verdict_upper set get.
END
(cd "$work" && coqc -w -ambiguous-paths -Q "$here/.." VerifiedRisk Extraction_.v)
if [ "${1:-}" = check ]; then
    if cmp -s "$work/checker.ml" "$here/extracted/checker.ml"; then
        echo "extracted/checker.ml is what extraction gives"
    else
        echo "extracted/checker.ml is not what extraction gives: run extract.sh" >&2
        exit 1
    fi
else
    mkdir -p "$here/extracted"
    cp "$work/checker.ml" "$here/extracted/checker.ml"
fi

#!/bin/sh
# Prints the headline theorems as a stranger would check them: the page of definitions that they share, then each file that
# restates a theorem on its own, with the axioms it rests on.  The proofs must have been compiled (compile.sh).
#   ./statements.sh                    all of them
#   ./statements.sh RegretStatement    one of them
set -eu
cd "$(dirname "$0")"

FLAGS="-w -ambiguous-paths -Q . VerifiedRisk"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

if [ $# -eq 0 ]; then
    echo "(* ==== The definitions that statements may import: the first pages of three files *)"
    sed -n '/^(\*\* \*\* Definitions \*)/,/^(\*\* \*\* Indicators \*)/p' foundations/FiniteLaw.v | sed '$d'
    sed -n '/^(\*\* \*\* Distribution function and quantile \*)/,/^(\*\* \*\* The integral is unique \*)/p' foundations/Objective.v | sed '$d'
    sed -n '/^(\*\* \*\* Definitions \*)/,/(\*\* \*\* Expectations along the process \*)/p' foundations/Mdp.v | sed '$d'
fi

for file in statements/*.v checker/Statement.v checker/CurvedStatement.v checker/TextStatement.v checker/DataStatement.v learner/KlStatement.v learner/LogStatement.v; do
    name="$(basename "$file" .v)"
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    [ -e "${file}o" ] || { echo "$file is not compiled: run compile.sh" >&2; exit 2; }
    theorem="$(sed -n 's/^ *Theorem \([A-Za-z0-9_]*\).*/\1/p' "$file" | tail -n 1)"
    printf '\n(* ==== %s *)\n' "$file"
    cat "$file"
    printf '(* ==== the axioms of %s *)\n' "$theorem"
    printf 'From VerifiedRisk Require %s.\nPrint Assumptions %s.%s.\n' "$name" "$name" "$theorem" > "$work/Axioms.v"
    # shellcheck disable=SC2086
    coqc $FLAGS "$work/Axioms.v" | sed -n 's/^\([A-Za-z_.]*[a-z_]\)\( :.*\)\{0,1\}$/\1/p' | grep -v '^Axioms' || true
done

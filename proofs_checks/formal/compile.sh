#!/bin/sh
# Compiles every proof in dependency order, with the time of each file, and prints the assumptions of the main theorems.
#   ./compile.sh             needs Coq 8.16 with Coquelicot; says what is missing
#   INSTALL=1 ./compile.sh   installs what is missing with apt (as root)
#   EACH=1 ./compile.sh      prints the assumptions theorem by theorem instead of by group
#   CHECK=1 ./compile.sh     also runs coqchk over the compiled files
set -eu
cd "$(dirname "$0")"

PACKAGES="coq libcoq-coquelicot"
FLAGS="-w -ambiguous-paths -Q . VerifiedRisk"

missing() {
    command -v coqc >/dev/null 2>&1 || return 0
    lib="$(coqc -where)/user-contrib"
    [ -d "$lib/Coquelicot" ] && return 1
    return 0
}

if missing; then
    if [ "${INSTALL:-0}" = 1 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        apt-get update -qq
        # shellcheck disable=SC2086
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $PACKAGES
    else
        echo "The proofs need Coq 8.16 with Coquelicot. On Debian or Ubuntu, as root:" >&2
        echo "  apt-get install --no-install-recommends $PACKAGES" >&2
        echo "or run this script as root with INSTALL=1. With opam: opam install coq.8.16.1 coq-coquelicot." >&2
        exit 2
    fi
fi
if missing; then
    echo "Coq or one of its libraries is still missing." >&2
    exit 2
fi

# _CoqProject lists the files; one that is in a folder and not on the list would never be compiled.
LISTED="$(grep '\.v$' _CoqProject)"
found="$(find . -name '*.v' ! -path './setup/*' | sed 's|^\./||' | sort)"
if [ "$found" != "$(printf '%s\n' "$LISTED" | sort)" ]; then
    echo "_CoqProject does not list the files that are here:" >&2
    { printf '%s\n' "$found"; printf '%s\n' "$LISTED"; } | sort | uniq -u >&2
    exit 1
fi
# What an earlier place of a file left behind would make its name ambiguous.
find . -name '*.vo' | while read -r old; do [ -e "${old%o}" ] || rm -f "$old" "${old}s" "${old}k" "${old%vo}glob"; done
# shellcheck disable=SC2086
if grep -nE '^[[:space:]]*(Admitted|Axiom|Conjecture|Parameter)\b|\badmit\b' $LISTED setup/*.v; then
    echo "A proof is missing (see above)." >&2
    exit 1
fi

coqc --version | head -n 1
# shellcheck disable=SC2046
FILES="$(coqdep -Q . VerifiedRisk -sort $(printf '%s\n' "$LISTED" | grep -v Assumptions) 2>/dev/null)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
started=$(date +%s)
if command -v make >/dev/null 2>&1; then
    # One rule and coqdep's dependencies: files that do not need each other compile side by side, unchanged ones not at all.
    {
        echo "all: $(for file in $FILES; do printf '%svo ' "${file%v}"; done)"
        printf '%%.vo: %%.v\n\t@from=$$(date +%%s); coqc %s $< && printf "%%4ss  %%s\\n" "$$(($$(date +%%s) - from))" "$<"\n' "$FLAGS"
        # shellcheck disable=SC2086
        coqdep -Q . VerifiedRisk $FILES 2>/dev/null
    } > "$work/Makefile"
    make --no-print-directory -f "$work/Makefile" -j "${JOBS:-$(nproc 2>/dev/null || echo 1)}" all
else
    for file in $FILES; do
        from=$(date +%s)
        # shellcheck disable=SC2086
        coqc $FLAGS "$file"
        printf '%4ss  %s\n' "$(($(date +%s) - from))" "${file#./}"
    done
fi
printf '%4ss  in all\n' "$(($(date +%s) - started))"

# Print Assumptions answers in the order of the file, without names: put each name in front of its answer.
# An axiom's line is not indented and has its name first; only the axioms of the classical reals may appear.
assumptions() {
    names="$(sed -n 's/^Print Assumptions \([A-Za-z0-9_.]*\)\.$/\1/p' "$1")"
    # shellcheck disable=SC2086
    coqc $FLAGS "$1" | awk -v names="$names" '
        BEGIN {
            count = split(names, name, "\n")
            allowed["ClassicalDedekindReals.sig_forall_dec"]
            allowed["ClassicalDedekindReals.sig_not_dec"]
            allowed["FunctionalExtensionality.functional_extensionality_dep"]
            allowed["Classical_Prop.classic"]
        }
        /^Axioms:/ || /^Closed under the global context/ { if (k) print line; k++; line = name[k] ":"; next }
        /^[A-Za-z]/ { line = line " " $1; if (!($1 in allowed)) { print "not allowed: " $1; bad = 1 } }
        END {
            if (k) print line
            if (k != count) { print "expected " count " answers, got " k; bad = 1 }
            exit bad
        }'
}

echo
if [ "${EACH:-0}" = 1 ]; then
    echo "Assumptions of each main theorem (theorem: axioms):"
    sed -n '/^From/,/\.$/p' Assumptions.v > "$work/Each.v"
    grep -o '@[A-Za-z0-9_]*' Assumptions.v | sed 's/@\(.*\)/Print Assumptions \1./' >> "$work/Each.v"
    assumptions "$work/Each.v"
else
    echo "Assumptions of the main theorems, by group (see Assumptions.v for the members):"
    assumptions Assumptions.v
fi

if [ "${CHECK:-0}" = 1 ]; then
    modules=""
    for file in $FILES; do modules="$modules VerifiedRisk.$(echo "${file%.v}" | sed 's|^\./||; s|/|.|g')"; done
    # shellcheck disable=SC2086
    coqchk -silent -o -Q . VerifiedRisk $modules
fi

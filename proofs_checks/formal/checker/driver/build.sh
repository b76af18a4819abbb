#!/bin/sh
# Builds build/checker from the extracted source and the program around it.  Needs OCaml and zarith, not Coq.
#   ./build.sh             says what is missing
#   INSTALL=1 ./build.sh   installs what is missing with apt (as root)
#   STATIC=1 ./build.sh    links all libraries into the program if the linker can: it runs where GMP is not installed
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
PACKAGES="ocaml-nox ocaml-findlib libzarith-ocaml-dev"

# Coq's packages bring zarith without the files that a program is compiled against.
missing() {
    ! { command -v ocamlopt >/dev/null 2>&1 && command -v ocamlfind >/dev/null 2>&1 \
        && [ -f "$(ocamlfind query zarith 2>/dev/null)/zarith.cmxa" ]; }
}

if missing && [ "${INSTALL:-0}" = 1 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $PACKAGES >/dev/null
fi
if missing; then
    echo "The checker needs OCaml with zarith. On Debian or Ubuntu, as root:" >&2
    echo "  apt-get install --no-install-recommends $PACKAGES" >&2
    echo "With opam: opam install ocamlfind zarith." >&2
    exit 2
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cp "$here/../extracted/integer.ml" "$here/../extracted/checker.ml" "$here"/*.ml "$work"
cd "$work"
SOURCES="integer.ml checker.ml main.ml"
# The program knows what it was built from: `checker --version` says so.
# shellcheck disable=SC2086
cat $SOURCES > all
echo 'let () = Printf.printf "let source = %S\n" (Digest.to_hex (Digest.file "all"))' > digest.ml
ocamlfind ocamlopt digest.ml -o digest
./digest > version.ml
compile() {
    # shellcheck disable=SC2086
    ocamlfind ocamlopt -inline 200 -package zarith -linkpkg -w +a-4-40..42-44-45-70 -warn-error -a "$@" \
        version.ml $SOURCES -o checker
}
if [ "${STATIC:-0}" != 1 ] || ! compile -ccopt -static 2>/dev/null; then compile; fi
# `plan.prove()` believes only the program with this SHA-256, made of these sources.
{ sha256sum checker 2>/dev/null || shasum -a 256 checker; } | cut -d ' ' -f 1 > record
sed 's/let source = "\(.*\)"/\1/' version.ml >> record
mkdir -p "$here/../build"
mv checker record "$here/../build/"
echo "built $here/../build/checker"

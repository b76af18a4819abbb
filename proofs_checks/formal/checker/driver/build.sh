#!/bin/sh
# Builds build/checker from the extracted source and the program around it.  Needs OCaml and zarith, not Coq.
# Where js_of_ocaml is present, also build/checker.js, the same source for a page that checks its own certificate.
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
if ! command -v js_of_ocaml >/dev/null 2>&1 && [ "${INSTALL:-0}" = 1 ] && [ "$(id -u)" = 0 ] \
    && command -v apt-get >/dev/null 2>&1; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends js-of-ocaml; } >/dev/null 2>&1 || :
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
mkdir -p "$work/browser" "$here/../build"
cp "$here/../extracted/checker.ml" "$here/answer.ml" "$here"/browser/* "$work/browser"
sha256() { { sha256sum "$1" 2>/dev/null || shasum -a 256 "$1"; } | cut -d ' ' -f 1; }

cd "$work"
SOURCES="integer.ml checker.ml answer.ml main.ml"
# The program knows what it was built from: `checker --version` says so.
# shellcheck disable=SC2086
cat $SOURCES > all
cat > digest.ml <<'END'
let () = print_endline (Digest.to_hex (Digest.file Sys.argv.(1)))
END
ocamlfind ocamlopt digest.ml -o digest
echo "let source = \"$(./digest all)\"" > version.ml
compile() {
    # shellcheck disable=SC2086
    ocamlfind ocamlopt -inline 200 -package zarith -linkpkg -w +a-4-40..42-44-45-70 -warn-error -a "$@" \
        version.ml $SOURCES -o checker
}
if [ "${STATIC:-0}" != 1 ] || ! compile -ccopt -static 2>/dev/null; then compile; fi
# `plan.prove()` believes only the program with this SHA-256, made of these sources.
{ sha256 checker; ./digest all; } > checker.record
mv checker checker.record "$here/../build/"
echo "built $here/../build/checker"

cd browser
if ! command -v js_of_ocaml >/dev/null 2>&1; then
    echo "no js_of_ocaml: the page of a proof will not check its own certificate (Debian and opam: js-of-ocaml, js_of_ocaml)"
    exit
fi
SOURCES="integer.ml checker.ml answer.ml page.ml"
# shellcheck disable=SC2086
cat integers.js $SOURCES > all
# shellcheck disable=SC2086
ocamlfind ocamlc -no-check-prims -w -a $SOURCES -o page
js_of_ocaml --opt 3 integers.js page -o checker.js
if grep -qiE '</script|<!--' checker.js; then  # a page could not hold it as text
    echo "js_of_ocaml wrote what would end a script element" >&2
    exit 1
fi
{ sha256 checker.js; ../digest all; } > checker.js.record
chmod +x checker.js
mv checker.js checker.js.record "$here/../build/"
echo "built $here/../build/checker.js"

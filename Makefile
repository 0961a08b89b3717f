# What there is to do here; plain `make` lists it.

SWIFT ?= swift
# More flags for every compilation, for example SWIFT_FLAGS='-Xswiftc -warnings-as-errors'.
SWIFT_FLAGS ?=
# For example BENCH_FLAGS='--filter insert --runs 5'.
BENCH_FLAGS ?=
# How long `make fuzz` mutates files, or how many; the seed of a run, and a case of one, SEED/NUMBER, to have again, in a
# directory that stays.
FUZZ_SECONDS ?= 60
FUZZ_FILES ?=
FUZZ_SEED ?=
FUZZ_WORKERS ?=
FUZZ_CASE ?=
FUZZ_KEEP ?=
# For example SANITIZE_FLAGS='--filter ContextTests'.
SANITIZE_FLAGS ?=
# What the demo keeps its trips in: sqlite or journal.
STORE = sqlite
# Packages of their own. Each builds in its own .build: SwiftPM takes what stands in a shared one for its own plan, and
# then runs another package's tests.
PACKAGES := $(patsubst %/Package.swift,%,$(wildcard Examples/*/Package.swift Tests/*/Package.swift))
SOURCES := $(wildcard Package.swift Sources Tests Examples Benchmarks .ci/*.swift)

demo_build = $(SWIFT) build --package-path Examples/SampleTrips $(SWIFT_FLAGS)

.DEFAULT_GOAL := help

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: demo
demo: ready ## the story of an app and its widget, two processes on a real file; STORE=journal: on another store
	$(if $(filter sqlite journal,$(STORE)),,$(error There is no store "$(STORE)": STORE is sqlite or journal))
	@$(demo_build) --product demo
	@"$$($(demo_build) --show-bin-path)/demo" "$(STORE)"

.PHONY: test
test: ready ## every test, those of other packages first
	@failed=0; \
	SWIFT=$(SWIFT) .ci/mistakes $(SWIFT_FLAGS) || failed=1; \
	for package in $(PACKAGES) .; do \
		[ ! -d $$package/Tests ] || $(SWIFT) test --package-path $$package $(SWIFT_FLAGS) || failed=1; \
	done; \
	exit $$failed

.PHONY: docs
docs: ready ## the documentation as a static site, in .build/documentation; its warnings are errors
	@SWIFT=$(SWIFT) .ci/documentation $(SWIFT_FLAGS)

.PHONY: fuzz
fuzz: ready ## mutated store files, for FUZZ_SECONDS=60; FUZZ_CASE=SEED/NUMBER: one of them again
	@$(SWIFT) build --product ChronicleFuzz $(SWIFT_FLAGS) >&2
	@"$$($(SWIFT) build $(SWIFT_FLAGS) --show-bin-path)/ChronicleFuzz" --seconds "$(FUZZ_SECONDS)" \
		--files "$(FUZZ_FILES)" --seed "$(FUZZ_SEED)" --workers "$(FUZZ_WORKERS)" --case "$(FUZZ_CASE)" \
		--keep "$(FUZZ_KEEP)"

.PHONY: sanitize
sanitize: ready ## every test under Thread Sanitizer, then under Address Sanitizer
	@failed=0; \
	for sanitizer in thread address; do \
		SWIFT=$(SWIFT) .ci/sanitize $$sanitizer $(SWIFT_FLAGS) $(SANITIZE_FLAGS) || failed=1; \
	done; \
	exit $$failed

.PHONY: bench
bench: ready ## speed, as a table: name, median, ratio to the plain C API, limit, ok or over
	@$(SWIFT) build -c release --package-path Benchmarks >&2
	@"$$($(SWIFT) build -c release --package-path Benchmarks --show-bin-path)/Benchmarks" $(BENCH_FLAGS)

.PHONY: format
format: ## formats every source file
	@$(SWIFT) format format --in-place --parallel -r --configuration .swift-format $(SOURCES)

.PHONY: lint
lint: ## checks the format and style of every source file
	@$(SWIFT) format lint --strict --parallel -r --configuration .swift-format $(SOURCES)

# SQLite's headers to build with, and its shell, the second writer in the tests and the demo. Installed when they are
# missing and we may: as root, or with a sudo that asks no questions.
.PHONY: ready
ready:
	@command -v $(SWIFT) > /dev/null || \
		{ echo "Swift 6.3 or later is needed and not in PATH: see https://www.swift.org/install" >&2; exit 1; }
	@missing=; \
	[ "$$(uname)" != Linux ] || [ -e /usr/include/sqlite3.h ] || pkg-config --exists sqlite3 2> /dev/null || \
		missing="libsqlite3-dev"; \
	command -v sqlite3 > /dev/null || missing="$$missing sqlite3"; \
	[ -n "$$missing" ] || exit 0; \
	[ "$$(id -u)" = 0 ] && sudo= || sudo="sudo -n"; \
	if command -v apt-get > /dev/null && $$sudo true 2> /dev/null; then \
		echo Installing $$missing; \
		$$sudo apt-get update -qq; \
		$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes $$missing > /dev/null && exit 0; \
	fi; \
	echo "SQLite is missing. Type: sudo apt-get install" $$missing >&2; exit 1

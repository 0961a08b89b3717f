# The tasks of this repository; plain `make` lists them.

SWIFT ?= swift
# More flags for every compilation, for example SWIFT_FLAGS='-Xswiftc -warnings-as-errors'.
SWIFT_FLAGS ?=
# The traits of every compilation of the package itself, so that nothing is built twice. The store on PostgreSQL needs libpq, and
# sealed history libcrypto.
TRAITS = --traits default,Postgres,Seals
# SwiftPM passes traits to the compiler in the order of a set. With random hash seeds, the order changes and everything is
# compiled again.
export SWIFT_DETERMINISTIC_HASHING = 1
# Programs that look for defects run with random hash seeds.
RANDOM_SEEDS = env -u SWIFT_DETERMINISTIC_HASHING
# For example BENCH_FLAGS='--filter insert --runs 5'.
BENCH_FLAGS ?=
# The duration of `make fuzz` or its number of files, the seed of a run, and a case to repeat, SEED/NUMBER, in a directory
# that is kept.
FUZZ_SECONDS ?= 60
FUZZ_FILES ?=
FUZZ_SEED ?=
FUZZ_WORKERS ?=
FUZZ_CASE ?=
FUZZ_KEEP ?=
# The duration of `make faults`, the seed of a run, the largest number of images of one recording (0: all), the operations, the
# number of processes, a file in which to sum up several runs, and a case to repeat.
FAULT_SECONDS ?= 120
FAULT_SEED ?=
FAULT_LIMIT ?=
FAULT_OPERATIONS ?=
FAULT_WORKERS ?=
FAULT_TOTALS ?=
FAULT_CASE ?=
# The duration of `make soak` and the seed of a run.
SOAK_SECONDS ?= 120
SOAK_SEED ?=
# The duration of `make chaos` and the seed of a run.
CHAOS_SECONDS ?= 120
CHAOS_SEED ?=
# The duration of `make model` or its number of sequences, the seed of a run, the kind of store (hook, triggers, file, stores,
# main or postgres), and the operations to leave out.
MODEL_SECONDS ?=
MODEL_SEQUENCES ?=
MODEL_SEED ?=
MODEL_KIND ?=
MODEL_WITHOUT ?=
# The duration of `make feed` and the seed of a run.
FEED_SECONDS ?= 60
FEED_SEED ?=
# The programs of `make tracked`, such as TRACKED='peewee huey', or fast for those that take a few seconds; all if empty.
TRACKED ?=
# For example SANITIZERS=thread SANITIZE_FLAGS='--filter ContextTests'.
SANITIZERS ?= thread address
SANITIZE_FLAGS ?=
# The store of the demo: sqlite, journal or postgres.
STORE = sqlite
# The duration of `make converge`.
CONVERGE_SECONDS ?= 120
# Where `make install` puts the tool: DESTDIR is the root of a package that is being built.
PREFIX ?= /usr/local
DESTDIR ?=
# The tool without Swift's libraries, which a computer that only runs it need not have.
tool_build = $(SWIFT) build -c release --product chronicle --scratch-path .build/tool $(TRAITS) $(SWIFT_FLAGS) \
	$(if $(filter Linux,$(shell uname)),--static-swift-stdlib)
# Separate packages, none of which has the trait Seals. Those with the same traits share a build, because most of it is this
# package. Without the last flag, SwiftPM would reuse the plan of another package and run its tests.
PACKAGES := $(patsubst %/Package.swift,%,$(wildcard Examples/*/Package.swift Tests/*/Package.swift))
PLAIN = --scratch-path .build/packages --disable-build-manifest-caching
WITH_POSTGRES = --traits default,Postgres --scratch-path .build/packages-postgres --disable-build-manifest-caching
POSTGRES_PACKAGES := $(patsubst %/Package.swift,%,$(shell grep -l 'name: "Postgres"' $(PACKAGES:=/Package.swift)))
package_flags = --package-path $(1) $(if $(filter $(1),$(POSTGRES_PACKAGES)),$(WITH_POSTGRES),$(PLAIN)) $(SWIFT_FLAGS)
test_package = $(if $(filter $(1),$(POSTGRES_PACKAGES)),.ci/postgres) $(SWIFT) test $(call package_flags,$(1))
SOURCES := $(wildcard Package.swift Sources Tests Examples Benchmarks .ci/*.swift .ci/apple)

demo_build = $(SWIFT) build --package-path Examples/SampleTrips $(if $(filter postgres,$(STORE)),$(WITH_POSTGRES),$(PLAIN)) \
	$(SWIFT_FLAGS)

.DEFAULT_GOAL := help

.PHONY: help
help: ## lists the tasks
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: demo
demo: $(if $(filter postgres,$(STORE)),ready-postgres,ready) ## runs an app and its widget, two processes that share a file; STORE=journal or postgres: with another store
	$(if $(filter sqlite journal postgres,$(STORE)),,$(error There is no store "$(STORE)": STORE is sqlite, journal or postgres))
	@$(demo_build)
	@$(if $(filter postgres,$(STORE)),.ci/postgres) "$$($(demo_build) --show-bin-path)/demo" "$(STORE)"
	@echo "To look at the history of a store in a browser:"
	@echo "  $(SWIFT) run chronicle timeline FILE -o timeline.html    a page to open"
	@echo "  $(SWIFT) run chronicle serve FILE                        the same page, live"

.PHONY: tool
tool: ready-traits
	@$(tool_build) >&2

.PHONY: install
install: tool ## installs the tool chronicle, its manual page and completions in PREFIX=/usr/local
	@.ci/install-tool "$$($(tool_build) --show-bin-path)/chronicle" "$(DESTDIR)$(PREFIX)"

.PHONY: deb
deb: tool ## builds a Debian package of the tool in .build
	@.ci/install dpkg-deb $$(command -v dpkg-shlibdeps > /dev/null || echo dpkg-dev)
	@.ci/deb "$$($(tool_build) --show-bin-path)/chronicle" .build

.PHONY: build
build: ready-traits ## builds everything with its tests, and the other packages
	@$(SWIFT) build --build-tests $(TRAITS) $(SWIFT_FLAGS)
	@$(foreach package,$(PACKAGES),$(SWIFT) build --build-tests $(call package_flags,$(package)) &&) true

.PHONY: test
test: ready-traits browser proxy ## runs every test, first those of other packages
	@failed=0; \
	SWIFT=$(SWIFT) .ci/mistakes $(TRAITS) $(SWIFT_FLAGS) || failed=1; \
	$(foreach package,$(PACKAGES),$(call test_package,$(package)) || failed=1;) \
	SWIFT=$(SWIFT) .ci/suite $(TRAITS) $(SWIFT_FLAGS) || failed=1; \
	exit $$failed

.PHONY: versions
versions: ready-traits ## runs the tests that depend on SQLite with other versions of it, from packages of PyPI
	@$(SWIFT) build --build-tests $(TRAITS) $(SWIFT_FLAGS)
	@SWIFT=$(SWIFT) .ci/sqlite-versions $(TRAITS) $(SWIFT_FLAGS)

.PHONY: docs
docs: ready-traits ## builds the documentation as a static site in .build/documentation; warnings are errors
	@SWIFT=$(SWIFT) .ci/documentation $(TRAITS) $(SWIFT_FLAGS)

.PHONY: fuzz
fuzz: ready-traits ## uses mutated store files for FUZZ_SECONDS=60; FUZZ_CASE=SEED/NUMBER: repeats one of them
	@$(SWIFT) build --product ChronicleFuzz $(TRAITS) $(SWIFT_FLAGS) >&2
	@$(RANDOM_SEEDS) "$$($(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) --show-bin-path)/ChronicleFuzz" --seconds "$(FUZZ_SECONDS)" \
		--files "$(FUZZ_FILES)" --seed "$(FUZZ_SEED)" --workers "$(FUZZ_WORKERS)" --case "$(FUZZ_CASE)" \
		--keep "$(FUZZ_KEEP)"

.PHONY: faults
faults: ready-traits ## interrupts operations by power failures, failing calls and kills for FAULT_SECONDS=120
	@$(SWIFT) build --product ChronicleFaults $(TRAITS) $(SWIFT_FLAGS) >&2
	@$(RANDOM_SEEDS) "$$($(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) --show-bin-path)/ChronicleFaults" --seconds "$(FAULT_SECONDS)" \
		--seed "$(FAULT_SEED)" --limit "$(FAULT_LIMIT)" --operations "$(FAULT_OPERATIONS)" \
		--workers "$(FAULT_WORKERS)" --totals "$(FAULT_TOTALS)" --case "$(FAULT_CASE)"

.PHONY: soak
soak: ready-traits ## kills and restarts writers and consumers of one file for SOAK_SECONDS=120, and verifies the result
	@$(SWIFT) build --product ChronicleSoak $(TRAITS) $(SWIFT_FLAGS) >&2
	@$(RANDOM_SEEDS) "$$($(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) --show-bin-path)/ChronicleSoak" --seconds "$(SOAK_SECONDS)" \
		--seed "$(SOAK_SEED)"

.PHONY: chaos
chaos: ready-traits ## kills writers, consumers and servers of a PostgreSQL database for CHAOS_SECONDS=120, and verifies the history
	@$(SWIFT) build --product ChronicleChaos $(TRAITS) $(SWIFT_FLAGS) >&2
	@$(RANDOM_SEEDS) "$$($(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) --show-bin-path)/ChronicleChaos" --seconds "$(CHAOS_SECONDS)" \
		--seed "$(CHAOS_SEED)"

.PHONY: model
model: ready-traits ## compares contexts with a reference in MODEL_SEQUENCES random sequences or for MODEL_SECONDS=60
	@$(SWIFT) build --product ChronicleModel $(TRAITS) $(SWIFT_FLAGS) >&2
	@$(RANDOM_SEEDS) "$$($(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) --show-bin-path)/ChronicleModel" --seconds "$(MODEL_SECONDS)" \
		--sequences "$(MODEL_SEQUENCES)" --seed "$(MODEL_SEED)" --kind "$(MODEL_KIND)" --without "$(MODEL_WITHOUT)"

.PHONY: mutations
mutations: ready-traits ## checks that `make model` detects the defects in Tests/Mutations, in half an hour
	@SWIFT=$(SWIFT) .ci/mutations $(TRAITS) $(SWIFT_FLAGS)

.PHONY: converge
converge: ready-postgres ## edits and synchronises devices until CONVERGE_SECONDS=120 have passed, and compares them
	@TRIP_SYNC_SECONDS="$(CONVERGE_SECONDS)" $(call test_package,Examples/TripSync) --filter processesConverge

.PHONY: feed
feed: ready-traits ## kills the server of Examples/TripServer and its clients for FEED_SECONDS=60, and compares what they received
	@.ci/install Python $$(command -v python3 > /dev/null || echo python3) $$(command -v curl > /dev/null || echo curl)
	@$(SWIFT) build --product TripServer $(TRAITS) $(SWIFT_FLAGS) >&2
	@$(SWIFT) build --product chronicle $(TRAITS) $(SWIFT_FLAGS) >&2
	@python3 Examples/TripServer/test.py "$$($(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) --show-bin-path)" \
		--seconds "$(FEED_SECONDS)" $(if $(FEED_SEED),--seed "$(FEED_SEED)")

.PHONY: tracked
tracked: ready-traits ## tracks the databases of real programs and compares the results; TRACKED=NAMES: some of them
	@.ci/install Python $$(command -v python3 > /dev/null || echo python3)
	@python3 -m pip --version > /dev/null 2>&1 || .ci/install pip python3-pip || \
		echo "Programs that pip has not installed before are skipped." >&2
	@$(SWIFT) build --product chronicle $(TRAITS) $(SWIFT_FLAGS) >&2
	@python3 Tests/TrackedPrograms/run.py \
		--tool "$$($(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) --show-bin-path)/chronicle" $(TRACKED)

.PHONY: sanitize
sanitize: ready-traits ## runs every test under Thread Sanitizer, then under Address Sanitizer
	@failed=0; \
	for sanitizer in $(SANITIZERS); do \
		SWIFT=$(SWIFT) .ci/sanitize $$sanitizer $(TRAITS) $(SWIFT_FLAGS) $(SANITIZE_FLAGS) || failed=1; \
	done; \
	exit $$failed

.PHONY: bench
bench: ready-traits ## prints a table: name, median, ratio to the plain C API, limit, ok or over
	@$(SWIFT) build -c release --package-path Benchmarks >&2
	@"$$($(SWIFT) build -c release --package-path Benchmarks --show-bin-path)/Benchmarks" $(BENCH_FLAGS)

.PHONY: format
format: ## formats every source file
	@$(SWIFT) format format --in-place --parallel -r --configuration .swift-format $(SOURCES)

.PHONY: lint
lint: ## checks the format and style of every source file, and that the patches of `make mutations` apply
	@$(SWIFT) format lint --strict --parallel -r --configuration .swift-format $(SOURCES)
	@for patch in Tests/Mutations/*.patch; do git apply --check "$$patch" || exit 1; done

# Installs SQLite's headers for the build, and its shell for the tests and the demo, if they are missing and permissions
# allow it: as root, or with sudo without a password.
.PHONY: ready
ready:
	@command -v $(SWIFT) > /dev/null || \
		{ echo "Swift 6.3 or later is needed and not in PATH: see https://www.swift.org/install" >&2; exit 1; }
	@missing=; \
	[ "$$(uname)" != Linux ] || [ -e /usr/include/sqlite3.h ] || pkg-config --exists sqlite3 2> /dev/null || \
		missing="libsqlite3-dev"; \
	command -v sqlite3 > /dev/null || missing="$$missing sqlite3"; \
	.ci/install SQLite $$missing

# Installs libpq for the build, and a PostgreSQL server that the tests start, in the same way.
.PHONY: ready-postgres
ready-postgres: ready
	@missing=; \
	command -v pkg-config > /dev/null || missing=pkg-config; \
	pkg-config --exists libpq 2> /dev/null || missing="$$missing libpq-dev"; \
	command -v initdb > /dev/null || ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || \
		missing="$$missing postgresql"; \
	.ci/install PostgreSQL $$missing

# The same for everything that the traits need: also libcrypto.
.PHONY: ready-traits
ready-traits: ready-postgres
	@[ "$$(uname)" != Linux ] || pkg-config --exists libcrypto 2> /dev/null || .ci/install OpenSSL libssl-dev

# Installs the pooling proxy of the tests of PostgreSQL in the same way. Without it, these tests are skipped.
.PHONY: proxy
proxy:
	@[ "$$(uname)" = Linux ] || exit 0; \
	[ -x /usr/sbin/pgbouncer ] && exit 0; \
	.ci/install PgBouncer pgbouncer || echo "The tests with a pooling proxy are skipped." >&2

# Installs the browser of the timeline's tests in the same way. Without it, these tests are skipped.
.PHONY: browser
browser:
	@[ "$$(uname)" = Linux ] || exit 0; \
	command -v chromedriver > /dev/null && command -v chromium > /dev/null && exit 0; \
	.ci/install Chromium chromium chromium-driver || echo "The tests with a browser are skipped." >&2

# The two commands of the README are `make demo` and `make test`; the others
# are what CI and people who work on wfc use.

GO ?= go
STATICCHECK = $(CURDIR)/bin/dev/staticcheck
# dev_program builds a program of the module dev, and begins a command with it.
dev_program = $(GO) -C dev build -o $(CURDIR)/bin/dev/$(subst /,-,$(1)) ./$(1) && bin/dev/$(subst /,-,$(1))
# folders returns the folders of the files that a command prints.
folders = $(shell $(1) | xargs -n 1 dirname | sort -u | sed 's|^|./|')

.PHONY: help all demo test test-suites test-agents test-overnight test-sarif test-temporal record-temporal test-otel test-browser demo-cluster attacks test-sandbox test-contained fmt-check vet lint vuln race test-drawn test-kills test-month test-leases test-lsp test-schedules \
	vscode check-vscode test-vscode test-editors playground test-playground site test-site conformance cross golden api released docs lines fuzz bench bench-peers \
	build dist test-dist ci clean

# help lists the targets, each by the first sentence of its comment.
help:
	@awk '/^#/ {text = (comment ? text " " : "") substr($$0, 3); comment = 1; next} {comment = 0} \
	  /^[a-z-]+:/ {sub(/:.*/, "", $$1); if (index(text, $$1 " ") == 1) {sub(/^[^ ]+ /, "", text); sub(/[.:;] .*|\.$$/, "", text); printf "  %-15s %s\n", $$1, text}}' $(MAKEFILE_LIST)

# all checks, tests and builds everything.
all: fmt-check vet lint test build

# demo builds wfc and runs the demonstration of every example: it builds a binary
# and runs it with scripted agents, without a model.
demo: build
	@for demo in examples/*/demo.sh; do echo "== $$demo"; ./$$demo bin/wfc || exit 1; echo; done

# build compiles wfc to bin/wfc.
build:
	$(GO) build -trimpath -o bin/wfc ./cmd/wfc

# test runs all tests of both modules: wfc's, and the one in dev. Packages wait for processes
# now and then, so one more than there are processors are tested at once. The longest take
# minutes, so that they come first, and on a busy machine more than the 10 that go test allows.
# REST=1 leaves out the packages that race runs whole: after both, all tests have run.
PACKAGES_AT_ONCE ?= $(shell expr $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) + 1)
PACKAGES ?= ./cmd/... ./dev/... ./...
ifdef REST
test: PACKAGES = $(or $(shell $(BOTH) $(GO) run ./dev/raced -rest),$(error dev/raced finds no packages))
endif
test:
	$(BOTH) $(GO) test -timeout 25m -p $(PACKAGES_AT_ONCE) $(PACKAGES)

# BOTH begins a command on packages of both modules. One command for each would compile most
# packages twice, and the longest test of the first would hold up the second.
BOTH = GOWORK=$(CURDIR)/dev/modules.work

# test-suites generates tests for all real workflows: examples, the corpus, the recorded
# cases of all dialects. It runs them, demands every edge that a run can take, and runs
# them with mutants. It takes about five minutes; `make test` does it for a few.
test-suites:
	WFC_TEST_SUITES=1 $(GO) -C dev test -count=1 -timeout 30m -v -run TestGeneratedSuites ./e2e/suites

# test-agents installs the real agent programs that dev/agentlab/install pins
# into a cache folder, WFC_AGENTS_CACHE, and runs them against a fake model. It is
# skipped with a line when npm cannot reach its registry and the cache lacks them.
# RUN=TestAgents/codex-0.169.0/denial runs one cell; SANDBOX=on runs them in the sandbox; UPDATE=1 writes
# docs/guide/agents-verified.md when all cells pass; AGENTS=N runs N at once.
RUN ?= TestAgents
AGENTS ?= 4
test-agents:
	$(GO) -C dev test -c -o ../bin/agentlab.test ./agentlab
	cd dev/agentlab && WFC_AGENTS=1 WFC_AGENTS_SANDBOX=$(SANDBOX) ../../bin/agentlab.test -test.run '$(RUN)' -test.parallel $(AGENTS) -test.timeout 40m $(if $(UPDATE),-update)

# test-overnight lets the real agent programs work unattended for an hour, HOUR=1h, while their
# services refuse and their processes are killed. It installs them as test-agents does.
HOUR ?= 1h
test-overnight:
	$(GO) -C dev test -c -o ../bin/agentlab.test ./agentlab
	cd dev/agentlab && WFC_AGENTS=1 WFC_AGENTS_HOUR=$(HOUR) WFC_AGENTS_SANDBOX=$(SANDBOX) ../../bin/agentlab.test -test.run 'TestHour' -test.parallel 8 -test.timeout 4h

# test-temporal runs the engine on Temporal against real servers on loopback: all recorded
# cases, runs of great size, workers and servers that are killed, and Temporal's analyser on
# generated code. It takes about 10 minutes on two processors, and the first time more, since
# it compiles the server. RUN_TEMPORAL=TestMove runs one test.
RUN_TEMPORAL ?= .
test-temporal: build $(STATICCHECK)
	cd dev/temporal && $(GO) build -o ../../bin/temporal-server ./server && \
	  $(GO) vet ./server && $(STATICCHECK) ./server && \
	  $(GO) test -count=1 ./kubernetes && \
	  $(GO) test -count=1 -timeout 40m -parallel 4 -v -run '$(RUN_TEMPORAL)' . -wfc $(CURDIR)/bin/wfc -server $(CURDIR)/bin/temporal-server

# record-temporal writes the histories that `make test` replays to the folder testdata of the
# engine, from a real server. Add samples rather than record old ones anew: histories of
# earlier builds are what the test is for.
record-temporal: build
	cd dev/temporal && $(GO) build -o ../../bin/temporal-server ./server && \
	  WFC_TEST_TEMPORAL_RECORD=$(CURDIR)/runtime/engine/temporal/internal/durable/testdata \
	  $(GO) test -count=1 -v -run '^TestRecord$$' . -server $(CURDIR)/bin/temporal-server

# test-otel exports the trace of a run to a real OpenTelemetry Collector on loopback. The first
# time, it compiles the collector, which takes some minutes.
test-otel: build
	cd dev/otel && $(GO) build -o ../../bin/otel-collector ./collector && $(GO) vet ./... && \
	  $(GO) test -count=1 -timeout 20m -v . -wfc $(CURDIR)/bin/wfc -collector $(CURDIR)/bin/otel-collector

# test-browser tries the pages of `wfc serve` in Chromium, which must be installed, and audits them
# with axe-core, which it gets from npm. It leaves pictures of all pages in SHOTS, and reads no
# other file of yours. RUN_BROWSER=TestForms runs one test.
SHOTS ?= $(or $(TMPDIR),/tmp)/wfc-pages
RUN_BROWSER ?= .
AXE := bin/axe/node_modules/axe-core/axe.min.js
$(AXE):
	npm install --no-save --no-audit --no-fund --prefix bin/axe axe-core@4.14.1

test-browser: build $(AXE)
	cd dev/browser && $(GO) vet ./... && \
	  $(GO) test -count=1 -timeout 20m -v -run '$(RUN_BROWSER)' . -wfc $(CURDIR)/bin/wfc -axe $(CURDIR)/$(AXE) -shots $(SHOTS)

# demo-cluster runs a workflow on a Temporal server with three workers, kills one of them in a
# step, and ends the run on the others. The first time, it compiles the server, which takes
# many minutes.
demo-cluster: build
	cd dev/temporal && $(GO) build -o ../../bin/temporal-server ./server
	./dev/temporal/demo/demo.sh bin/wfc bin/temporal-server

# attacks runs scripts with hostile values through a real wfc: those of the folder
# beside the repository, where it is there; SANDBOX=on runs them in the sandbox. `make test`
# runs the repository's own.
ATTACKS ?= ../shared/attacks
attacks: build
	@if [ -f $(ATTACKS)/run.py ]; then python3 $(ATTACKS)/run.py $(if $(SANDBOX),--sandbox) bin/wfc $(wildcard $(ATTACKS)/*.txt); else echo "no $(ATTACKS)/run.py"; fi

# test-sandbox attacks the sandbox of steps, as this user and as an ordinary one, and runs
# hostile scripts in it as test-contained does. What cannot be tried on this machine fails it.
test-sandbox: test-contained
	WFC_SANDBOX_STRICT=1 $(GO) test -timeout 25m -p 1 ./runtime/internal/sandbox ./runtime/internal/confine/probes

# test-contained runs hostile scripts in the sandbox where the folder with them is beside the
# repository.
CONTAINED ?= $(ATTACKS)/mixed-contained.txt
test-contained: build
	@if [ -f $(ATTACKS)/run.py ]; then python3 $(ATTACKS)/run.py --sandbox bin/wfc $(CONTAINED); else echo "no $(ATTACKS)/run.py"; fi

# fmt-check fails if a file is not formatted.
fmt-check:
	@out="$$(git ls-files '*.go' | xargs gofmt -l)"; if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi

# vet runs go vet, also on the modules dev and dev/temporal.
vet:
	$(BOTH) $(GO) vet $(PACKAGES)
	$(call in_temporal,$(GO) vet)

# lint runs staticcheck, also on the modules dev and dev/temporal.
lint: $(STATICCHECK)
	$(BOTH) $(STATICCHECK) $(PACKAGES)
	$(call in_temporal,$(STATICCHECK))

# Only dev requires staticcheck, so that module builds it.
.PHONY: $(STATICCHECK)
$(STATICCHECK):
	$(GO) -C dev build -o $@ honnef.co/go/tools/cmd/staticcheck

# in_temporal runs a command on the packages of the module dev/temporal but its server: to
# compile what the server imports takes many minutes, so `make test-temporal` checks it. It
# says so and succeeds when the modules cannot be downloaded.
TEMPORAL = $(filter-out ./server,$(patsubst ./dev/temporal%,.%,$(call folders,git ls-files 'dev/temporal/*.go')))
define in_temporal
@cd dev/temporal && if out=$$($(GO) list -deps $(TEMPORAL) 2>&1 >/dev/null); then echo "$(1) $(TEMPORAL)"; $(1) $(TEMPORAL); else \
  case "$$out" in *"dial tcp"*|*"no such host"*|*"disabled by GOPROXY"*) echo "skipped: the modules of dev/temporal cannot be downloaded";; *) echo "$$out"; exit 1;; esac; fi
endef

# vuln looks for known vulnerabilities in what the module links. It says so and
# succeeds when the database cannot be reached.
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.1.4
vuln:
	@out=$$($(GO) run $(GOVULNCHECK) ./cmd/wfc ./runtime/... 2>&1) && { echo "$$out" | tail -1; exit 0; }; \
	  case "$$out" in *"fetching vulnerabilities"*|*"no such host"*|*"dial tcp"*) echo "skipped: the database of vulnerabilities cannot be reached";; *) echo "$$out"; exit 1;; esac

# race runs the tests of RACED with the race detector: of the packages whose tests may have several
# goroutines, as dev/raced finds them. -short leaves out tests that compile
# workflows, and some long ones: `make test` has run them; see CONTRIBUTING.md. Programs under the race detector wait a
# second before they exit unless told otherwise, and tests start many of them.
#
# The translation of SQLite's C is compiled without the detector, and its Go driver
# with it. The detector sees only Go's own memory, and SQLite has its data elsewhere: it
# would find next to nothing there, and tests with a database would take half as long again.
# The cipher that hashes passwords works long on memory of its own, and ten times as long with
# the detector. Go's formatter turns one text into another, by itself, and was a third of what the
# tests of generated code do. Nothing else is inlined: packages compile in about two thirds of the time.
RACE = -race '-gcflags=all=-dwarf=false -l' $(foreach p,modernc.org/sqlite/lib golang.org/x/crypto/blowfish \
  go/parser go/printer go/scanner text/tabwriter,'-gcflags=$(p)=-dwarf=false -race=false')
RACED = $(eval RACED := $(or $(shell $(BOTH) $(GO) run ./dev/raced),$(error dev/raced finds no packages)))$(RACED)
race: PACKAGES = $(RACED)
race:
	$(BOTH) GORACE=atexit_sleep_ms=0 $(GO) test -timeout 25m -p $(PACKAGES_AT_ONCE) $(RACE) -short $(PACKAGES)

# test-leases cuts processes off from a PostgreSQL server for real seconds: by a
# proxy on loopback that refuses, swallows and delays. It takes a minute; the tests
# have the same with a clock of their own. Run it when leases change.
test-leases:
	WFC_TEST_LEASES=1 $(GO) test -count=1 -timeout 3m -parallel 8 -v -run TestRealSeconds ./runtime/store/entstore/postgres

# test-schedules compares the next 20 times of 20,000 drawn schedules, in all time
# zones, with what the guide says, followed minute by minute: with Go's time zones
# and with this machine's. It takes minutes; the tests compare 400.
test-schedules:
	$(GO) test -count=1 -timeout 60m -v -run TestNextAgainstTheGuide ./runtime/schedule/cron -draws 20000
	$(GO) test -count=1 -timeout 60m -v -run TestNextAgainstTheGuide ./runtime/schedule/cron -draws 20000 -zones system

# test-drawn compiles 20,000 drawn workflows of all formats, with all constructs, and checks the
# types of their code. It takes about ten minutes on one processor; `make test` draws 800.
test-drawn:
	$(GO) test -count=1 -timeout 60m -v -run TestDrawnWorkflows ./gen -rapid.checks 2500

# test-kills kills real programs ten times as often as `make test`, at other moments with each SEED,
# and resumes their runs. It takes about twenty minutes.
SEED ?= 1
test-kills:
	$(GO) -C dev test -count=1 -v -timeout 90m ./crash -kills 1000 -seed $(SEED)

# test-month simulates ten months of runs that nobody watches, and a day in which a process dies at
# each change of the store. It takes about two minutes; `make test` simulates one month and a
# quarter of the deaths.
test-month:
	$(GO) test -count=1 -v -run 'TestMonth|TestEveryChangeOfADay' ./runtime/engine/local -full

# conformance runs the recorded cases of the original engines and says how many
# ran; WFC_CONFORMANCE names further folders.
conformance:
	$(GO) -C dev test -v -run 'TestRecordedCases|TestCorpus|TestNow' ./conformance

# cross checks the types of wfc, its whole runtime and the playground's page for macOS, Windows
# and browsers. `make dist` compiles and links for other systems.
cross:
	$(GO) -C dev run ./cross

# golden rewrites the golden files, the generated code, pictures and outputs of the
# examples, and the outputs in documents; look at the difference before committing.
golden:
	$(GO) test ./gen -update
	$(GO) -C dev test ./checks ./e2e/examples -update
	$(GO) test ./runtime/internal/diagram -run TestDocumentedRun -update
	$(GO) -C dev test ./conformance -run TestRecordedCases -update

# api writes the list of public names, which `make test` compares.
api:
	$(GO) -C dev test ./house -run TestAPI -update

# released writes what the promises of docs/upgrading.md are compared with: the names,
# commands, flags, diagnostics, keys and generated code of this version. Run it at a
# release, when the section Unreleased of the changelog gets its version.
released:
	$(GO) -C dev test ./house -run TestReleased -update

# docs writes the parts of the documents that are made from the code: the list of
# diagnostics, the keys of the dialects, the schema of test files and the picture of
# the packages.
docs:
	$(GO) test ./compiler/config -run TestReference -update
	$(GO) test ./runtime/internal/testfile -run TestSchemaFile -update
	$(GO) -C dev test ./checks -run TestDocs -update
	$(GO) -C dev test ./house -run TestPicture -update

# test-lsp asks the language server at every character of every example, and renames
# every name of the examples and of the workflows beside the repository; minutes.
test-lsp:
	WFC_TEST_ALL=1 $(GO) test -count=1 -timeout 30m -run 'TestEveryPrefix|TestRenameEveryName' ./cmd/wfc/lsp

# test-sarif validates what `wfc check --format sarif` writes against the schema of SARIF
# 2.1.0. The schema belongs to OASIS and is not in this repository: it is a constant of a Go
# module, which is downloaded and not linked. It says so and succeeds without a network.
SARIF_MODULE = github.com/owenrumney/go-sarif/v3@v3.3.1
test-sarif:
	@out=$$($(GO) mod download -json $(SARIF_MODULE)) && dir=$$(echo "$$out" | sed -n 's/^.*"Dir": "\(.*\)".*$$/\1/p') && [ -n "$$dir" ] || { echo "skipped: $(SARIF_MODULE) cannot be downloaded"; exit 0; }; \
	  WFC_TEST_SARIF="$$dir" $(GO) test -count=1 -run TestSARIF ./cmd/wfc/cli

# test-editors tries the settings of docs/guide/editors.md in Neovim, Emacs and Helix:
# those of them that are installed.
test-editors: build
	python3 editors/settings/try.py bin/wfc

# vscode packages the extension for VS Code as editors/vscode/wfc.vsix.
VSCODE = editors/vscode
vscode: build $(VSCODE)/node_modules
	rm -rf $(VSCODE)/schemas
	bin/wfc schema all --output $(VSCODE)/schemas
	cd $(VSCODE) && npm run --silent package

# check-vscode checks the types of that extension, lints it, and runs its unit tests.
check-vscode: $(VSCODE)/node_modules
	cd $(VSCODE) && npm run --silent check && npm test --silent

# test-vscode opens the extension in code-server, a build of VS Code from npm, with
# Chromium: it waits for squiggles, hovers, fixes and the graph, and writes screenshots
# to bin/vscode. It needs chromium, g++, make and libkrb5-dev of Debian.
test-vscode: vscode
	$(VSCODE)/smoke/install.sh bin/code-server
	node $(VSCODE)/smoke/smoke.mjs bin/code-server bin/wfc $(VSCODE)/wfc.vsix bin/vscode

$(VSCODE)/node_modules: $(VSCODE)/package-lock.json
	cd $(VSCODE) && npm ci --silent --no-audit --no-fund --ignore-scripts && touch node_modules

# playground writes the page with the checker for browsers.
playground:
	$(call dev_program,playground/build) docs/playground/index.html

# test-playground drives the page in Chromium, which CHROMIUM names.
CHROMIUM ?= $(shell command -v chromium)
test-playground:
	WFC_TEST_CHROMIUM=$(CHROMIUM) $(GO) -C dev test -count=1 -run TestBrowser ./playground/page

# site writes the documentation as HTML pages, with a search and the playground, to
# bin/site. The pages need no server: open bin/site/index.html.
site:
	$(call dev_program,site/build) -playground bin/site

# test-site searches the site in Chromium, which CHROMIUM names.
test-site:
	WFC_TEST_CHROMIUM=$(CHROMIUM) $(GO) -C dev test -count=1 -run TestBrowser ./site

# lines prints the figures of the Go code: lines, names, large types, lines by package.
lines:
	@$(call dev_program,house/lines)

# fuzz runs every fuzz target for a short while, and the property tests with
# seeds of their own: the tests draw the same values every time.
FUZZTIME ?= 30s
fuzz: PACKAGES = $(call folders,git grep -l 'pgregory.net/rapid' -- '*_test.go')
fuzz:
	$(BOTH) RAPID_SEED=0 $(GO) test -count=1 $(PACKAGES)
	@for p in $(call folders,git grep -l '^func Fuzz' -- '*_test.go'); do \
	  for f in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$p/*_test.go | cut -d' ' -f2); do \
	    echo "== $$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p || exit 1; \
	  done; done

# bench prints the budgets of the design beside what this machine does, with
# serial bash and make -j2 in the same run. RESULTS=FILE also writes them to a file,
# SLOW=1 adds what takes minutes. It also measures a Temporal cluster if `make test-temporal` has
# built bin/temporal-server.
bench: build
	$(GO) -C dev run ./bench -wfc ../bin/wfc $(if $(wildcard bin/temporal-server),-server ../bin/temporal-server) $(if $(SLOW),-slow) $(if $(RESULTS),-results $(abspath $(RESULTS)))

# bench-peers runs the same graphs by other engines, beside wfc: Dagu and go-task, those of
# them that are on PATH, and a Temporal server if `make test-temporal` has built it.
bench-peers: build
	$(GO) -C dev run ./bench -wfc ../bin/wfc -peers $(if $(wildcard bin/temporal-server),-server ../bin/temporal-server) $(if $(RESULTS),-results $(abspath $(RESULTS)))

# ci runs everything that must hold before a change lands.
ci:
	.ci/run

# dist makes the archives and packages of a release from the commit HEAD in the
# folder DIST; docs/internals/builds.md describes them. PLATFORMS=linux/amd64 makes
# those of one platform. It takes minutes: it compiles the runtime for six platforms.
DIST ?= bin/dist
dist:
	$(call dev_program,dist) -out $(DIST) $(if $(PLATFORMS),-platforms $(PLATFORMS))

# test-dist tests the release in the folder DIST: it builds it again elsewhere and
# compares, and installs and runs it in root folders without Go and without a network.
# That needs root, debootstrap and qemu-user-static; tests that miss a tool are skipped.
# WFC_TEST_ROOTS names a folder that keeps the root folders.
test-dist:
	WFC_TEST_DIST=$(abspath $(DIST)) $(GO) -C dev test -count=1 -timeout 60m -v -run TestRelease ./dist

# clean removes what was built.
clean:
	rm -rf bin

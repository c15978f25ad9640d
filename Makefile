# The two commands of the README are `make demo` and `make test`; the others
# are what CI and people who work on wfc use.

GO ?= go
STATICCHECK = $(GO) tool staticcheck
# Everything but the generated Ent code, which is not ours to format or lint.
PACKAGES = $(shell $(GO) list ./... | grep -v /internal/ent)
SOURCES = $(shell git ls-files '*.go' | grep -v /internal/ent/)
# The agents that ask services through their vendors' SDKs. An SDK takes up to two
# minutes to compile, and again for another system, for the race detector, for a
# linter's facts; the code around it is small and has nothing of one system.
SDKS = /agent/(anthropic|openai|google)$$
# The packages that share memory between goroutines: not those that only compute,
# not those whose tests only start programs, and not the simulator, which runs one
# task at a time.
SEQUENTIAL = /runtime/(flow/sim|value|outcome|signal|internal/jsonline|graph|script)(/|$$)|/agent/(catalog|program|servers|structured|turns)$$|/internal/(ent|schema)|/storetest$$
CONCURRENT = $(shell $(GO) list ./runtime/... ./compiler ./internal/cli | grep -Ev '$(SDKS)|$(SEQUENTIAL)')

.PHONY: all demo test test-agents build fmt-check vet lint lint-all race race-all test-leases test-schedules conformance cross golden fuzz bench ci clean attacks

all: fmt-check vet lint test build

# demo builds wfc, compiles an example with bash and prompt nodes into a
# binary, runs that binary with a scripted agent, and shows its graph; then one
# with a loop and a gate, one on a schedule, one with several agents, and a Go
# program that runs a workflow.
demo: build
	@./examples/triage/demo.sh bin/wfc
	@echo
	@./examples/release/demo.sh bin/wfc
	@echo
	@./examples/postmortem/demo.sh bin/wfc
	@echo
	@./examples/changelog/demo.sh bin/wfc
	@echo
	@./examples/digest/demo.sh bin/wfc
	@echo
	@./examples/agents/demo.sh bin/wfc
	@echo
	@./examples/embedded/demo.sh bin/wfc

build:
	$(GO) build -trimpath -o bin/wfc ./cmd/wfc

test:
	$(GO) test ./...

# test-agents installs the real agent programs that internal/agentlab/install pins
# into a cache folder, WFC_AGENTS_CACHE, and runs them against a fake model. It is
# skipped with a line when npm cannot reach its registry and the cache lacks them.
# RUN=TestAgents/codex-0.169.0/denial runs one cell; UPDATE=1 writes
# docs/guide/agents-verified.md when all cells pass; AGENTS=N runs N at once.
RUN ?= TestAgents
AGENTS ?= 4
test-agents:
	$(GO) test -c -o bin/agentlab.test ./internal/agentlab
	cd internal/agentlab && WFC_AGENTS=1 ../../bin/agentlab.test -test.run '$(RUN)' -test.parallel $(AGENTS) -test.timeout 40m $(if $(UPDATE),-update)

# attacks runs scripts with hostile values through a real wfc: those of the folder
# beside the repository, where it is there. `make test` runs the repository's own.
ATTACKS ?= ../shared/attacks
attacks: build
	@if [ -f $(ATTACKS)/run.py ]; then python3 $(ATTACKS)/run.py bin/wfc $(wildcard $(ATTACKS)/*.txt); else echo "no $(ATTACKS)/run.py"; fi

fmt-check:
	@out="$$(gofmt -l $(SOURCES))"; if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi

vet:
	$(GO) vet $(shell $(GO) list ./... | grep -Ev '$(SDKS)')

# What links a database, the MCP SDK or the library of notifications is left to
# lint-all, and so are tests that do: the linter looks at all that is linked, which
# takes four times as long as all the rest.
LINKED = /runtime/(store/entstore|deliver|mcp|internal/(database|ent|pgtest|gates))(/|$$)|/internal/(bench|e2e/runner)$$|/examples/embedded(/|$$)
LINKING = /internal/(cli|e2e)$$|/runtime/cli$$
lint:
	$(STATICCHECK) $(shell $(GO) list ./... | grep -Ev '$(SDKS)|$(LINKED)|$(LINKING)')
	$(STATICCHECK) -tests=false $(shell $(GO) list ./... | grep -E '$(LINKING)')

# lint-all looks at everything: run it when what lint leaves out changes.
lint-all:
	$(GO) vet ./...
	$(STATICCHECK) $(PACKAGES)

# race looks for data races. -short leaves out what compiles workflows: the tests
# have run it. Programs
# that look for races wait a second before they end unless they are told not to,
# and tests of command lines start many. The packages whose tests link a database's
# driver or another large library, which take longer to compile for this than all
# the rest, are race-all's: run that when the store, the command line of binaries,
# deliveries or MCP servers change.
MODULE = github.com/wfc-lang/wfc
race:
	GORACE=atexit_sleep_ms=0 $(GO) test -race -short $(filter-out $(MODULE)/runtime/cli $(MODULE)/runtime/store/entstore $(MODULE)/runtime/store/entstore/postgres $(addprefix $(MODULE)/runtime/,deliver mcp mcp/folder internal/database internal/pgtest internal/gates),$(CONCURRENT))

race-all:
	GORACE=atexit_sleep_ms=0 $(GO) test -race -short $(CONCURRENT)

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

# conformance runs the recorded cases of the original engines and says how many
# ran; WFC_CONFORMANCE names further folders.
conformance:
	$(GO) test -v -run 'TestRecordedCases|TestCorpus' ./internal/conformance

# cross compiles wfc and a generated binary's parts for the other systems: all but
# what links databases and SDKs, which has no code of ours for one system and takes
# longer than all the rest. Nobody runs what comes out, so it is not optimized.
PARTS = $$($(GO) list ./runtime/... | grep -Ev '$(SDKS)|$(LINKED)')
CROSS = $(GO) build -gcflags='all=-N -l'
cross:
	GOOS=darwin GOARCH=arm64 $(CROSS) -o /dev/null ./cmd/wfc
	GOOS=windows GOARCH=amd64 $(CROSS) -o /dev/null ./cmd/wfc
	GOOS=darwin GOARCH=arm64 $(CROSS) $(PARTS)
	GOOS=windows GOARCH=amd64 $(CROSS) $(PARTS)

# golden rewrites the golden files; look at the difference before committing.
golden:
	$(GO) test ./compiler/internal/script ./compiler/internal/shell ./gen ./internal/testkit -update
	$(GO) run ./cmd/wfc gen examples/postmortem/postmortem.yaml -o examples/postmortem/postmortem
	$(GO) run ./cmd/wfc gen examples/changelog/changelog.yml -o examples/changelog/changelog
	$(GO) run ./cmd/wfc gen examples/digest/digest.yaml -o examples/digest/digest
	$(GO) run ./cmd/wfc gen examples/embedded/notes.yaml -o examples/embedded/notes --engine

# fuzz runs every fuzz target for a short while, and the property tests with
# seeds of their own: the tests draw the same values every time.
FUZZTIME ?= 30s
PROPERTIES = $(shell git grep -l 'pgregory.net/rapid' -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's|^|./|')
fuzz:
	RAPID_SEED=0 $(GO) test -count=1 $(PROPERTIES)
	@for p in $$($(GO) list ./compiler/... ./internal/... ./runtime/...); do \
	  dir=$$($(GO) list -f '{{.Dir}}' $$p); \
	  for f in $$(grep -ho 'func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go 2>/dev/null | cut -d' ' -f2); do \
	    echo "== $$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p || exit 1; \
	  done; done

# bench prints the budgets of the design beside what this machine does, with
# serial bash and make -j2 in the same run.
bench: build
	$(GO) run ./internal/bench -wfc bin/wfc

ci:
	.ci/run

clean:
	rm -rf bin

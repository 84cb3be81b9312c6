# Weir's targets. `make` alone builds.
SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

export GOTOOLCHAIN := local
export CGO_ENABLED := 0
export GOFLAGS     := -trimpath

VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMIT   ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
LDFLAGS  := -s -w -X github.com/weirnet/weir/cli/command.Version=$(VERSION) -X github.com/weirnet/weir/cli/command.BuildCommit=$(COMMIT)
FUZZTIME ?= 20s

.PHONY: build run test test-all soak bench figures bench-peers bench-profiles fuzz lint sim vuln demo-mininet clean setup-build setup-test
.PHONY: stages unit single networks real long long-networks long-rest

build: setup-build ## one static binary, bin/weir
	go build -ldflags '$(LDFLAGS)' -o bin/weir ./cmd/weir

run: export TOPOLOGY ?= wan:206
run: build ## an instance and an emulated network of TOPOLOGY on this machine; it prints how to use them
	exec bin/weir up $(TOPOLOGY)

test: setup-test build stages ## what continuous integration runs

test-all: test long fuzz ## longer: bigger networks, long faults, every fuzz target

soak: export DURATION ?= 1h
soak: export SEED ?= 1
soak: export TOPOLOGY ?= wan:50
soak: build ## an instance under churn, cuts and kills for DURATION: what it takes of the machine must stay flat
	WEIR_BINARY=$(CURDIR)/bin/weir go test -vet=off -count=1 -timeout 0 -tags soak -run TestSoak -v ./internal/soak

bench: export OUT ?= bin/bench
bench: export FULL ?=
bench: build ## benchmarks of the packages and every scenario of the binary, quick; FULL=1 as the pages of docs/benchmarks ask (hours)
	scripts/bench

figures: export OUT ?= bin/figures
figures: build ## medians of five of P1 to P9, P11 to P14, P16, requests and events, on a quiet machine; SHORT=1 MINUTES=40 the most important ones; ONLY=P9,P13; OLD=BINARY measures another one alternately; LIST=1 says how long
	scripts/figures

bench-peers: export OUT ?= bin/bench
bench-peers: setup-test build ## packet-ins under Weir and other controllers (P1, P1b, P2), with plots, into OUT
	scripts/bench-peers

bench-profiles: setup-test ## flows through a real Open vSwitch, and through emulated switches of each profile (needs root)
	WEIR_PINGS=$${WEIR_PINGS:-50} CI=1 go test -vet=off -count=1 -timeout 30m -tags real,long -run '^TestMeasure' -v ./emu/profile

fuzz: setup-build ## every fuzz target for FUZZTIME each
	FUZZTIME=$(FUZZTIME) scripts/fuzz

lint: setup-build ## gofmt, go vet, staticcheck
	@unformatted=$$(gofmt -l $$(find . -name '*.go' -not -path './.cache/*')); \
	  if [ -n "$$unformatted" ]; then echo "gofmt -w these files:" $$unformatted; exit 1; fi
	nice go vet -tags real,long,soak ./...
	nice go tool staticcheck -tags real,long,soak ./...

sim: export SEEDS ?= 200
sim: export FROM ?= 1
sim: setup-build ## SEEDS histories of faults in simulated networks, from seed FROM on; each that fails says how to replay it
	go test -vet=off -count=1 -timeout 0 -run 'TestSeeds|TestIntents|TestPlanned|TestCluster' ./internal/sim -args -seeds=$$SEEDS -from=$$FROM

vuln: setup-build ## known vulnerabilities, where the database can be reached
	go run golang.org/x/vuln/cmd/govulncheck@v1.8.0 ./...

demo-mininet: export TOPOLOGY ?= torus:3x3
demo-mininet: export OPENFLOW ?= 1.3
demo-mininet: build ## a Mininet network with loops under an instance (needs root)
	scripts/setup demo
	scripts/demo-mininet

clean: ## what the targets made, the test environment included
	rm -rf bin .cache

setup-build:
	@scripts/setup build

setup-test:
	@scripts/setup build test

# Every test runs once. Under the race detector run the packages in which anything runs beside anything else. Without it run those of one
# goroutine, in which it finds nothing and takes ten times as long (internal/laws holds the list to that); the tests that count allocations
# (Budget in their names); those with more rounds than the race detector has time for (need.Rounds), or of one goroutine beside others
# (need.OneGoroutine, which counts them); and those against real programs and networks (build tag real). CI=1 turns a test that would be
# skipped for a missing program into a failure.
#
# The stages run beside each other, but for real networks, which come last and alone: they count packets lost, and an Open vSwitch that is
# stopped for seconds is another network than the test means. -trimpath and CGO_ENABLED=0 are those of the build, whose packages need no compiling again then.
SINGLE := app/broadcast app/forward changelog cluster/liveness flowtable hashtab internal/laws internal/ofcase internal/sim intent/spec openflow packet pathing plan ruleset ruleset/object tenant tenant/vswitch timerq
STAGES := lint unit single real

module     = github.com/weirnet/weir
concurrent = $(filter-out $(SINGLE:%=$(module)/%),$(shell go list ./...))
files      = $(shell grep -rlE --include='*_test.go' $(1) .)
folders    = $(sort $(patsubst %/,%,$(dir $(1))))
tests      = $(shell sed -nE 's/^func (Test[A-Za-z0-9_]*).*/\1/p' $(1) | paste -sd'|')
elsewhere  = ./internal/netlab/% $(SINGLE:%=./%/%)
COUNTING   = $(filter-out $(elsewhere),$(call files,'need\.NoRace'))
OUTSIDE    = $(filter-out $(elsewhere),$(call files,'^//go:build.*real|need\.(Rounds|OneGoroutine)'))
outside    = CI=1 WEIR_BINARY=$(CURDIR)/bin/weir go test -vet=off -count=1

stages:
	@failed=; $(MAKE) --no-print-directory -k -j $(words $(STAGES)) $(STAGES) || failed=yes; \
	  $(MAKE) --no-print-directory networks || failed=yes; [ -z "$$failed" ]

# A program with the race detector sleeps for a second before it ends, lest it misses a race of a goroutine that is left: 120 test
# binaries, and each weir that a script runs (some 200).
unit:
	CI=1 CGO_ENABLED=1 GORACE=atexit_sleep_ms=10 nice go test -vet=off -race -p 2 $(concurrent)

single:
	$(outside) -p 1 -timeout 12m -tags real $(SINGLE:%=./%)

networks:
	$(outside) -parallel 8 -timeout 12m -tags real ./internal/netlab

real:
	$(outside) -p 1 -parallel 4 -timeout 12m -tags real -run 'Budget|^($(call tests,$(OUTSIDE)))$$' $(call folders,$(COUNTING) $(OUTSIDE))

# The long twins: whole packages, those that have any, without the race detector. Most of the time is that of networks without an instance.
LONG = $(sort $(filter-out ./internal/netlab,$(call folders,$(call files,'^//go:build.*(real|long)'))))

long:
	@$(MAKE) --no-print-directory -k -j 2 long-networks long-rest

long-networks:
	$(outside) -parallel 6 -timeout 150m -tags real,long ./internal/netlab

long-rest:
	$(outside) -p 1 -parallel 4 -timeout 150m -tags real,long $(LONG)

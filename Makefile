# Weir's targets. `make` alone builds.
SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

export GOTOOLCHAIN := local

VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMIT   ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
LDFLAGS  := -s -w -X github.com/weirnet/weir/cli.Version=$(VERSION) -X github.com/weirnet/weir/cli.Commit=$(COMMIT)
FUZZTIME ?= 20s

.PHONY: build run test test-all bench bench-peers bench-profiles fuzz lint sim vuln demo-mininet clean setup-build setup-test
.PHONY: unit real real-long

build: setup-build ## one static binary, bin/weir
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/weir ./cmd/weir

run: export TOPOLOGY ?= wan:206
run: build ## an instance and an emulated network of TOPOLOGY on this machine; it prints how to use them
	exec bin/weir up $(TOPOLOGY)

test: setup-test build lint unit real ## what continuous integration runs

test-all: test real-long fuzz ## longer: bigger networks, every fuzz target

bench: build ## benchmarks of the packages and of the binary
	scripts/bench

bench-peers: export OUT ?= bin/bench
bench-peers: setup-test build ## packet-ins under Weir and other controllers (P1, P1b, P2), with plots, into OUT
	scripts/bench-peers

bench-profiles: setup-test ## ping through a real Open vSwitch, and through emulated switches of each profile (needs root)
	WEIR_PINGS=$${WEIR_PINGS:-50} CI=1 go test -vet=off -count=1 -timeout 30m -tags real,long -run '^TestMeasure' -v ./emu/profile

fuzz: setup-build ## every fuzz target for FUZZTIME each
	FUZZTIME=$(FUZZTIME) scripts/fuzz

lint: setup-build ## gofmt, go vet, staticcheck
	@unformatted=$$(gofmt -l $$(find . -name '*.go' -not -path './.cache/*')); \
	  if [ -n "$$unformatted" ]; then echo "gofmt -w these files:" $$unformatted; exit 1; fi
	go vet -tags real,long ./...
	go tool staticcheck -tags real,long ./...

sim: export SEEDS ?= 200
sim: export FROM ?= 1
sim: setup-build ## SEEDS histories of faults in simulated networks, from seed FROM on; each that fails says how to replay it
	go test -vet=off -count=1 -timeout 0 -run 'TestSeeds|TestIntents' ./internal/sim -args -seeds=$$SEEDS -from=$$FROM

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

# Unit tests run under the race detector, most of which wait more than they
# compute. Without it, one package at a time, come those that count allocations
# and bytes, those with more rounds than the race detector has time for, and
# those against real programs and networks.
# CI=1 turns a test that would be skipped for a missing program into a failure.
packages = $(shell grep -rlE --include='*_test.go' $(1) . | xargs -n1 dirname | sort -u)
BUDGET = $(call packages,'need\.NoRace')
REAL = $(call packages,'^//go:build.*real|need\.Rounds')

unit:
	CI=1 go test -vet=off -race -p 4 ./...
	CI=1 go test -vet=off -count=1 -p 1 -run Budget $(BUDGET)

real:
	CI=1 WEIR_BINARY=$(CURDIR)/bin/weir go test -vet=off -count=1 -p 1 -parallel 4 -timeout 12m -tags real $(REAL)

real-long:
	CI=1 WEIR_BINARY=$(CURDIR)/bin/weir go test -vet=off -count=1 -p 1 -parallel 4 -timeout 150m -tags real,long ./...

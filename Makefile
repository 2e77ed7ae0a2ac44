# Causeway. `make` alone prints the targets.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BIN     := $(CURDIR)/bin
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
FLEET   ?= examples/fleet/causeway.yaml
# The control plane is rebuilt only when a file of its module changed.
KUBE_SOURCES := $(shell find kube -name '*.go' -o -name 'go.*' -o -name '*.yaml' 2>/dev/null)

# The same flags everywhere, so that nothing is compiled twice.
export CGO_ENABLED ?= 0
export GOFLAGS := $(GOFLAGS) -trimpath

.PHONY: help
help: ## print this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: up
up: build ## build, then bring up the example fleet on embedded control planes (ctrl-c stops it)
	@$(BIN)/causeway up --file $(FLEET)

.PHONY: down
down: ## stop a fleet that `causeway up --detach` left running
	@$(BIN)/causeway down --file $(FLEET)

.PHONY: build
build: $(BIN)/causeway-kube ## build bin/causeway and bin/causeway-kube
	@go build -ldflags '$(LDFLAGS)' -o $(BIN)/causeway ./cmd/causeway

$(BIN)/causeway-kube: $(KUBE_SOURCES)
	@echo "building causeway-kube: a whole Kubernetes control plane. The first time takes 5 to 15 minutes on 2 cores,"
	@echo "later builds well under a minute. Packages as they are compiled (about 1,900):"
	@cd kube && go build -ldflags '-s -w' -v -o $@ ./cmd/causeway-kube 2>&1 | awk '{n++} n%100==0 {printf "  %d packages\n", n; fflush()} !/^[a-z0-9.\/_-]+$$/ {print}'
	@touch $@

.PHONY: test
test: build ## run all tests of both modules (starts embedded control planes)
	@go test ./...
	@cd kube && go test ./...
	@go test -v -run Conformance $(addprefix ./internal/,generate plan policy observe render) | grep '^Test.*cases agree' || echo "the conformance suites of ../shared are not here"

.PHONY: race
race: build ## run the engine's concurrent packages under the race detector (needs a C compiler)
	@CGO_ENABLED=1 go test -race $(addprefix ./internal/,$(addsuffix /...,app apply controller fleet generate host observe plan preview render report source))

.PHONY: e2e-corpus
e2e-corpus: build ## run public GitOps repositories unchanged on a hub and three spokes (needs ../shared/corpus)
	@go test -count=1 -timeout 30m -tags e2e -v ./test/corpus/...

.PHONY: lint
lint: ## check formatting, vet and golangci-lint
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -d $$(git ls-files '*.go'); exit 1; }
	@go vet ./...
	@cd tools && go build -o $(BIN)/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@$(BIN)/golangci-lint run ./...
	@cd kube && $(BIN)/golangci-lint run --config ../.golangci.yml ./...

.PHONY: generate
generate: ## write generated code and CRDs again
	@go generate ./...

.PHONY: bench
bench: build ## measure speed and memory against the raw limit, print a table
	@go run ./bench

.PHONY: clean
clean: ## remove what was built and the state of local fleets
	@rm -rf $(BIN) .causeway

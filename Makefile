# Causeway. `make` alone prints the targets.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BIN     := $(CURDIR)/bin
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
SEEDS   ?= 1-500
PLANES  ?= 1-6
FOR     ?= 30m
FLEET   ?= examples/fleet/causeway.yaml
# The control plane is rebuilt only when a file of its module changed.
KUBE_SOURCES := $(shell find kube -name '*.go' -o -name 'go.*' -o -name '*.yaml' 2>/dev/null)
# The pages of the browser, too: what they are built from, and a file that is as old as the last build.
WEB_SOURCES := $(shell find web -path web/node_modules -prune -o -path web/static -prune -o -path web/e2e -prune -o -type f ! -name '*.go' ! -name '*.test.*' -print 2>/dev/null)
WEB_BUILT   := web/static/app/index.html

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
build: $(BIN)/causeway-kube $(if $(shell command -v npm),$(WEB_BUILT),without-web) ## build bin/causeway and bin/causeway-kube
	@go build -ldflags '$(LDFLAGS)' -o $(BIN)/causeway ./cmd/causeway

$(BIN)/causeway-kube: $(KUBE_SOURCES)
	@echo "building causeway-kube: a whole Kubernetes control plane. The first time takes 5 to 15 minutes on 2 cores,"
	@echo "later builds well under a minute. Packages as they are compiled (about 1,900):"
	@cd kube && go build -ldflags '-s -w' -v -o $@ ./cmd/causeway-kube 2>&1 | awk '{n++} n%100==0 {printf "  %d packages\n", n; fflush()} !/^[a-z0-9.\/_-]+$$/ {print}'
	@touch $@

.PHONY: web
web: $(WEB_BUILT) ## build the pages of the browser (needs Node.js 20 with npm; a part of build where npm is there)

$(WEB_BUILT): web/node_modules/.package-lock.json $(WEB_SOURCES)
	@echo "building the pages of the browser: about a minute"
	@cd web && npm run --silent build

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	@echo "fetching the npm packages of the pages: about a minute"
	@cd web && npm ci --silent && touch node_modules/.package-lock.json

.PHONY: without-web
without-web:
	@[ -e $(WEB_BUILT) ] || echo "npm is not here: the pages of the browser are left out (Node.js 20 or newer builds them)"

.PHONY: test-web
test-web: $(WEB_BUILT) ## check and test the pages of the browser
	@cd web && npm run --silent client:check && npm run --silent lint && npm run --silent test

.PHONY: e2e-web
e2e-web: $(WEB_BUILT) ## use the pages in a browser, and look whether everybody can (needs Chromium)
	@cd web && npm run --silent e2e

.PHONY: e2e-real
e2e-real: build ## use the pages at a fleet of embedded control planes: writes, people, what goes down (needs Chromium)
	@cd web && npm run --silent e2e:real

# Terraform wants a plain version; the mirror is a folder that stands in for a registry.
TERRAFORM_VERSION  ?= $(shell git describe --tags --abbrev=0 2>/dev/null | sed 's/^v//' | grep . || echo 0.1.0)
TERRAFORM_MIRROR   := $(BIN)/terraform
TERRAFORM_PROVIDER := $(TERRAFORM_MIRROR)/registry.terraform.io/causeway-gitops/causeway/$(TERRAFORM_VERSION)/$(shell go env GOOS)_$(shell go env GOARCH)/terraform-provider-causeway_v$(TERRAFORM_VERSION)

.PHONY: terraform
terraform: ## build the Terraform provider into a mirror of its own, tell Terraform where it is
	@cd terraform/provider && go build -ldflags '-s -w -X main.version=$(TERRAFORM_VERSION)' -o $(TERRAFORM_PROVIDER) .
	@rm -f examples/bridge/.terraform.lock.hcl terraform/examples/embedded/.terraform.lock.hcl # they have the checksum of an earlier build
	@printf 'provider_installation {\n  filesystem_mirror {\n    path    = "%s"\n    include = ["registry.terraform.io/causeway-gitops/*"]\n  }\n  direct {\n    exclude = ["registry.terraform.io/causeway-gitops/*"]\n  }\n}\n' '$(TERRAFORM_MIRROR)' > $(BIN)/terraformrc
	@printf 'Terraform finds the provider with this, or with what is in that file in ~/.terraformrc:\n  export TF_CLI_CONFIG_FILE=%s\n' '$(BIN)/terraformrc'

# The conformance suites print how many cases agree; the recorded syncs are played once, for minutes.
CONFORMANCE := $(addprefix ./internal/,auth/rbac difference generate plan policy observe render)

# The engine's concurrent packages. Not internal/difference/jq: its workers end at a bound on memory, of which the race
# detector alone takes more.
ENGINE := ./internal/difference $(addprefix ./internal/,$(addsuffix /...,app apply auth controller fleet generate host observe plan policy preview render report serve server source store))

# Of those that have tests which the race detector leaves out for its memory: they run without it, too.
BOUNDED := $(addprefix ./internal/render/,directory process)

# CI tries a test that failed once more, by itself, and tells of it at the end: one that only a busy machine lets fail is a
# defect to mend, and no reason to hold back what is right. A data race, a panic, and many that fail are not tried again.
ifdef RACE
AGAIN = $(BIN)/gotestsum --format pkgname --rerun-fails=1 --rerun-fails-max-failures=5 --rerun-fails-run-root-test --rerun-fails-abort-on-data-race
test-of = $(AGAIN) --rerun-fails-report $(BIN)/again-$(1).txt --packages="$(3)" -- $(2)
else
test-of = go test $(2) $(3)
endif

# With RACE=1 the engine's packages run once, under the race detector, beside all others.
.PHONY: test
test: build terraform postgres ## run all tests of all modules (starts embedded control planes)
ifdef RACE
	@cd tools && go build -o $(BIN)/gotestsum gotest.tools/gotestsum
	@rm -f $(BIN)/again-*.txt
	@$(MAKE) --no-print-directory race >$(BIN)/race.log 2>&1 & race=$$!; failed=; \
	$(MAKE) --no-print-directory tests BESIDE=1 || failed=1; \
	wait $$race || failed=1; cat $(BIN)/race.log; [ -z "$$failed" ]
else
	@$(MAKE) --no-print-directory tests
endif
	@$(MAKE) --no-print-directory scenario
	@! grep -H . $(BIN)/again-*.txt 2>/dev/null || echo "the tests above failed once, and passed when they were tried again: mend them"

.PHONY: tests
tests:
	@$(POSTGRES) $(call test-of,tests,-timeout 40m,$$(go list ./... | grep -v /test/scenario$(if $(BESIDE), | grep -vxFf <(go list $(ENGINE)))) $(if $(BESIDE),$(BOUNDED)))
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory test-web; else echo "npm is not here: the pages of the browser were not tested"; fi
	@cd kube && $(call test-of,kube,,./...)
	@cd terraform/provider && $(call test-of,terraform,-timeout 25m,./...)
	@command -v terraform >/dev/null || echo "terraform is not in PATH: the provider and the tutorial of the bridge were not tried by it"

# The recorded syncs are played beside nothing else: whether one is at rest shows in what does not happen for a while.
.PHONY: scenario
scenario:
	@go test -timeout 25m -v ./test/scenario > $(BIN)/scenario.log || { cat $(BIN)/scenario.log; exit 1; }
	@{ cat $(BIN)/scenario.log; go test -v -run Conformance $(CONFORMANCE); } | grep '^Test.*cases agree' || echo "the conformance suites of ../shared are not here"

# The store is tested with both of its databases. Where PostgreSQL's server is neither there nor can be installed, it is
# left out, but not in CI (the variable CI is set): there nobody would read the note.
HAS_POSTGRES = command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1
POSTGRES     = $(shell { $(HAS_POSTGRES); } || echo CAUSEWAY_WITHOUT_POSTGRES=1)

.PHONY: postgres
postgres:
	@$(HAS_POSTGRES) || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql >/dev/null; } || \
	if [ -n "$${CI:-}" ]; then \
		echo "PostgreSQL's server is not here and could not be installed: in CI the store is tested with it, too (on Debian: apt-get install postgresql)" >&2; exit 1; \
	else \
		echo "PostgreSQL's server is not here: the store is tested with SQLite alone (on Debian: apt-get install postgresql)"; \
	fi

# The tests of internal/app wait for control planes one after another: in two halves they wait beside each other. The
# other packages come one at a time: more at once on two cores, with all that runs beside them, only make all of them wait.
HALF := '^Test[A-K]'

.PHONY: race
race: build ## run the engine's concurrent packages under the race detector (needs a C compiler)
	@export CGO_ENABLED=1; $(call test-of,half,-race -timeout 60m -run $(HALF),./internal/app) & half=$$!; failed=; \
	$(POSTGRES) $(call test-of,engine,-race -p 1 -timeout 60m,$$(go list $(ENGINE) | grep -v '/internal/app$$')) || failed=1; \
	$(call test-of,other,-race -timeout 60m -skip $(HALF),./internal/app) || failed=1; \
	wait $$half || failed=1; [ -z "$$failed" ]

.PHONY: e2e-corpus
e2e-corpus: build ## run public GitOps repositories unchanged on a hub and three spokes (needs ../shared/corpus)
	@go test -count=1 -timeout 30m -tags e2e -v ./test/corpus/...

.PHONY: test-faults
test-faults: build ## play seeded schedules of faults, SEEDS=1-500, PLANES=1-6 (see docs/explanation/faults.md)
	@go test -count=1 -timeout 40m -v ./test/faults -args -seeds=$(SEEDS) -planes=$(PLANES) -in-flight=50

.PHONY: lint
lint: ## check formatting, vet and golangci-lint
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -d $$(git ls-files '*.go'); exit 1; }
	@go vet ./...
	@cd tools && go build -o $(BIN)/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@$(BIN)/golangci-lint run --allow-serial-runners ./...
	@cd kube && $(BIN)/golangci-lint run --allow-serial-runners --config ../.golangci.yml ./...
	@cd terraform/provider && go vet ./... && $(BIN)/golangci-lint run --allow-serial-runners --config ../../.golangci.yml ./...

.PHONY: generate
generate: ## write generated code and CRDs again
	@go generate ./...
	@cd terraform/provider && go generate ./...

.PHONY: bench
bench: build ## measure speed and memory against the raw limit, print a table
	@go run ./bench

.PHONY: soak
soak: build ## let the engine work under faults for FOR=30m and see that it does not grow
	@CAUSEWAY_KUBE=$(BIN)/causeway-kube go run ./bench/soak --for $(FOR)

.PHONY: clean
clean: ## remove what was built and the state of local fleets
	@rm -rf $(BIN) .causeway

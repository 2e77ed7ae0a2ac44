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
KUBE_SOURCES := $(shell find kube -name '*.go' ! -name '*_test.go' -o -name 'go.*' -o -name '*.yaml' 2>/dev/null)
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
	@$(BIN)/causeway up --file $(FLEET) --secrets

.PHONY: up-secrets
up-secrets: build vault ## bring up examples/secrets beside a Vault for trials (ctrl-c stops both)
	@$(VAULT) --setup examples/secrets/vault.yaml --kubeconfig-from '$(BIN)/causeway kubeconfig --fleet secrets 2>/dev/null' -- \
		$(BIN)/causeway up --file examples/secrets/causeway.yaml --secrets

.PHONY: down
down: ## stop a fleet that `causeway up --detach` left running
	@$(BIN)/causeway down --file $(FLEET)

.PHONY: build
build: $(BIN)/causeway-kube $(if $(shell command -v npm),$(WEB_BUILT),without-web) ## build bin/causeway and bin/causeway-kube
	@go build -ldflags '$(LDFLAGS)' -o $(BIN)/causeway ./cmd/causeway

$(BIN)/causeway-kube: $(KUBE_SOURCES)
	@printf '%s\n' $(KUBE_SOURCES) | tools/keep causeway-kube $@ $(MAKE) --no-print-directory kube-binary
	@touch $@

.PHONY: kube-binary
kube-binary:
	@echo "building causeway-kube: a whole Kubernetes control plane. The first time takes 5 to 15 minutes on 2 cores,"
	@echo "later builds well under a minute. Packages as they are compiled (about 3,000):"
	@cd kube && go build -ldflags '-s -w' -v -o $(BIN)/causeway-kube ./cmd/causeway-kube 2>&1 | awk '{n++} n%100==0 {printf "  %d packages\n", n; fflush()} !/^[a-z0-9.\/_-]+$$/ {print}'

# A server for the example and for tests, of Vault's own module. It is no part of the product.
VAULT := $(BIN)/causeway-vault

.PHONY: vault
vault: $(VAULT) ## build bin/causeway-vault, a Vault for trials

$(VAULT): $(wildcard tools/vault/*.go tools/vault/go.*)
	@printf '%s\n' $^ | tools/keep causeway-vault $@ $(MAKE) --no-print-directory vault-binary
	@touch $@

.PHONY: vault-binary
vault-binary:
	@echo "building causeway-vault: a whole Vault. The first time takes 5 to 15 minutes on 2 cores."
	@cd tools/vault && go build -ldflags '-s -w' -o $(VAULT) .

.PHONY: web
web: $(WEB_BUILT) ## build the pages of the browser (needs Node.js 20 with npm; a part of build where npm is there)

$(WEB_BUILT): web/node_modules/.package-lock.json $(WEB_SOURCES)
	@printf '%s\n' $(sort $(WEB_SOURCES)) | tools/keep pages $(dir $@) $(MAKE) --no-print-directory web-pages
	@touch $@

.PHONY: web-pages
web-pages:
	@echo "building the pages of the browser: about a minute"
	@cd web && npm run --silent build

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	@printf '%s\n' $^ | tools/keep npm-packages web/node_modules $(MAKE) --no-print-directory npm-packages
	@touch $@

.PHONY: npm-packages
npm-packages:
	@echo "fetching the npm packages of the pages: about a minute"
	@cd web && npm ci --silent

.PHONY: without-web
without-web:
	@[ -e $(WEB_BUILT) ] || echo "npm is not here: the pages of the browser are left out (Node.js 20 or newer builds them)"

.PHONY: test-web
test-web: $(WEB_BUILT) ## test the pages of the browser, without one
	@cd web && npm run --silent test

.PHONY: e2e-web
e2e-web: $(WEB_BUILT) ## use the pages in a browser, and look whether everybody can (needs Chromium)
	@go run ./test/suite --tier all --only '^browser$$'

.PHONY: e2e-real
e2e-real: build ## use the pages at a fleet of embedded control planes: writes, people, what goes down (needs Chromium)
	@go run ./test/suite --tier all --only '^browser at a fleet$$'

# Terraform wants a plain version; the mirror is a folder that stands in for a registry.
TERRAFORM_VERSION  ?= $(shell git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null | sed 's/^v//' | grep . || echo 0.1.0)
TERRAFORM_MIRROR   := $(BIN)/terraform
TERRAFORM_PROVIDER := $(TERRAFORM_MIRROR)/registry.terraform.io/causeway-gitops/causeway/$(TERRAFORM_VERSION)/$(shell go env GOOS)_$(shell go env GOARCH)/terraform-provider-causeway_v$(TERRAFORM_VERSION)

.PHONY: terraform
terraform: ## build the Terraform provider into a mirror of its own, tell Terraform where it is
	@cd terraform/provider && go build -ldflags '-s -w -X main.version=$(TERRAFORM_VERSION)' -o $(TERRAFORM_PROVIDER) .
	@rm -f examples/bridge/.terraform.lock.hcl terraform/examples/embedded/.terraform.lock.hcl # they have the checksum of an earlier build
	@printf 'provider_installation {\n  filesystem_mirror {\n    path    = "%s"\n    include = ["registry.terraform.io/causeway-gitops/*"]\n  }\n  direct {\n    exclude = ["registry.terraform.io/causeway-gitops/*"]\n  }\n}\n' '$(TERRAFORM_MIRROR)' > $(BIN)/terraformrc
	@printf 'Terraform finds the provider with this, or with what is in that file in ~/.terraformrc:\n  export TF_CLI_CONFIG_FILE=%s\n' '$(BIN)/terraformrc'

# What decides whether a change lands: see CONTRIBUTING.md for what is in which tier.
.PHONY: test
test: build terraform postgres chromium ## run the tests that decide about a change, of all modules (10 minutes on 2 quiet cores)
	@$(POSTGRES) $(BROWSER) go run ./test/suite --tier gate

.PHONY: test-all
test-all: build vault terraform postgres chromium ## run all tests: the race detector, 500 seeds of faults, all tours and journeys, the corpus (about an hour)
	@$(POSTGRES) $(BROWSER) go run ./test/suite --tier all

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

# The pages are used in Chromium. Where it is neither there nor can be installed, that is left out, but not in CI.
HAS_CHROMIUM = command -v chromium >/dev/null || [ -n "$${CHROMIUM:-}" ]
BROWSER      = $(shell { $(HAS_CHROMIUM); } || echo CAUSEWAY_WITHOUT_BROWSER=1)

.PHONY: chromium
chromium:
	@$(HAS_CHROMIUM) || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	if [ -n "$${CI:-}" ]; then \
		echo "Chromium is not here and could not be installed: in CI the pages are used in it (on Debian: apt-get install chromium)" >&2; exit 1; \
	else \
		echo "Chromium is not here: the pages are not tried in a browser (on Debian: apt-get install chromium)"; \
	fi

.PHONY: e2e-corpus
e2e-corpus: build ## run public GitOps repositories unchanged on a hub and three spokes (needs ../shared/corpus)
	@go test -vet=off -count=1 -timeout 30m -tags e2e -v ./test/corpus/...

.PHONY: test-faults
test-faults: build ## play seeded schedules of faults, SEEDS=1-500, PLANES=1-6 (see docs/explanation/faults.md)
	@go test -vet=off -count=1 -timeout 40m -v ./test/faults -args -seeds=$(SEEDS) -planes=$(PLANES) -in-flight=50

LINTER := $(BIN)/golangci-lint

$(LINTER): tools/go.mod tools/go.sum
	@printf '%s\n' $^ | tools/keep golangci-lint $@ $(MAKE) --no-print-directory linter
	@touch $@

.PHONY: linter
linter:
	@cd tools && go build -ldflags '-s -w' -o $(LINTER) github.com/golangci/golangci-lint/v2/cmd/golangci-lint

VULNCHECK := $(BIN)/govulncheck
VULNDB    ?= https://vuln.go.dev

$(VULNCHECK): tools/go.mod tools/go.sum
	@printf '%s\n' $^ | tools/keep govulncheck $@ $(MAKE) --no-print-directory vulnchecker
	@touch $@

.PHONY: vulnchecker
vulnchecker:
	@cd tools && go build -ldflags '-s -w' -o $(VULNCHECK) golang.org/x/vuln/cmd/govulncheck

.PHONY: vulncheck
vulncheck: $(VULNCHECK) ## look for known vulnerabilities in the programs (asks vuln.go.dev, or VULNDB=file://FOLDER)
	@go run ./test/vulns --db '$(VULNDB)'

.PHONY: format
format: ## check the format of Go
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -d $$(git ls-files '*.go'); exit 1; }

# Its vet is Go's.
.PHONY: lint
lint: format $(LINTER) ## check formatting, and all that golangci-lint and ESLint look at
	@$(LINTER) run --allow-serial-runners ./...
	@cd kube && $(LINTER) run --allow-serial-runners --config ../.golangci.yml ./...
	@cd terraform/provider && $(LINTER) run --allow-serial-runners --config ../../.golangci.yml ./...
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory lint-web; else echo "npm is not here: the pages of the browser were not looked at"; fi

# ESLint knows all types, and so looks at everything for a minute or two: what has passed is not looked at again.
LINTED_WEB = $(shell find web -path web/node_modules -prune -o -path web/static -prune -o -type f -print 2>/dev/null)

.PHONY: lint-web
lint-web: web/node_modules/.package-lock.json
	@printf '%s\n' $(LINTED_WEB) docs/reference/openapi.yaml | tools/keep pages-linted $(BIN)/pages-linted $(MAKE) --no-print-directory pages-linted

.PHONY: pages-linted
pages-linted:
	@cd web && npm run --silent client:check && npm run --silent lint
	@touch $(BIN)/pages-linted

.PHONY: generate
generate: ## write generated code and CRDs again
	@go generate ./...
	@cd terraform/provider && go generate ./...

.PHONY: bench
bench: build ## measure speed and memory against the raw limit, print a table
	@CAUSEWAY_KUBE=$(BIN)/causeway-kube go run ./bench

.PHONY: measure
measure: $(WEB_BUILT) chromium ## measure the pages and the API at 10,000 applications on 500 clusters, print a table (needs Chromium)
	@cd web && npm run --silent measure

.PHONY: screenshots
screenshots: $(WEB_BUILT) chromium ## take the pictures of the browser that the documentation shows, in both themes (needs Chromium)
	@cd web && npm run --silent screenshots

.PHONY: soak
soak: build ## let the engine work under faults for FOR=30m and see that it does not grow
	@CAUSEWAY_KUBE=$(BIN)/causeway-kube go run ./bench/soak --for $(FOR)

.PHONY: clean
clean: ## remove what was built and the state of local fleets
	@rm -rf $(BIN) .causeway

#!/bin/sh
# Writes what is generated from the API types: deep copies beside them and the
# CustomResourceDefinitions in deploy/crds. Called by `go generate ./api/...`.
set -eu
cd "$(dirname "$0")/.."

# The version is pinned here and not in go.mod, to keep the generator's
# dependencies out of the module.
gen="go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.20.0"
out=deploy/crds

$gen object paths=./api/...
$gen crd paths=./api/argoproj/... paths=./api/causeway/... output:crd:dir="$out"
# External Secrets' kinds are for clusters that use them.
$gen crd paths=./api/externalsecrets/... output:crd:dir="$out/secrets"
# An ApplicationSet repeats the Application's spec in each generator: with
# descriptions its definition would be larger than etcd takes.
$gen crd:maxDescLen=0 paths=./api/argoproj/... output:crd:dir="$out/.short"
mv "$out/.short/argoproj.io_applicationsets.yaml" "$out/"
rm -r "$out/.short"

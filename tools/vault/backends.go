package main

import (
	"maps"
	"slices"

	jwt "github.com/hashicorp/vault-plugin-auth-jwt"
	kubernetes "github.com/hashicorp/vault-plugin-auth-kubernetes"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/builtin/credential/approle"
	"github.com/hashicorp/vault/builtin/credential/cert"
	"github.com/hashicorp/vault/builtin/credential/userpass"
	"github.com/hashicorp/vault/builtin/logical/database"
	"github.com/hashicorp/vault/builtin/logical/transit"
	"github.com/hashicorp/vault/plugins/database/postgresql"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
)

// engines are those of secrets, by the type that a mount names.
func engines() map[string]logical.Factory {
	return map[string]logical.Factory{"kv": kv.Factory, "transit": transit.Factory, "database": database.Factory}
}

// methods are those of logging in.
func methods() map[string]logical.Factory {
	return map[string]logical.Factory{
		"approle": approle.Factory, "cert": cert.Factory, "jwt": jwt.Factory, "kubernetes": kubernetes.Factory, "userpass": userpass.Factory,
	}
}

// registry tells Vault what is built in: a mount is refused otherwise.
type registry struct{}

func factories(of consts.PluginType) map[string]func() (any, error) {
	all := map[string]func() (any, error){}
	add := func(backends map[string]logical.Factory) {
		for name, factory := range backends {
			all[name] = func() (any, error) { return factory, nil }
		}
	}
	switch of {
	case consts.PluginTypeSecrets:
		add(engines())
	case consts.PluginTypeCredential:
		add(methods())
	case consts.PluginTypeDatabase:
		all["postgresql-database-plugin"] = postgresql.New
	}
	return all
}

// Contains implements the registry of Vault's plugin catalog, as the others do.
func (registry) Contains(name string, of consts.PluginType) bool {
	_, there := factories(of)[name]
	return there
}

// Get is what makes a plugin.
func (registry) Get(name string, of consts.PluginType) (func() (any, error), bool) {
	factory, there := factories(of)[name]
	return factory, there
}

// Keys are the names of the plugins of a type.
func (registry) Keys(of consts.PluginType) []string { return slices.Sorted(maps.Keys(factories(of))) }

// DeprecationStatus is that nothing goes away.
func (r registry) DeprecationStatus(name string, of consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, r.Contains(name, of)
}

// IsBuiltinEntPlugin reports whether a plugin is of Vault Enterprise.
func (registry) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }

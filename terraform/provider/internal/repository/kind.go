// Package repository is the Secret that tells the engine how to log in to a
// repository.
package repository

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/declare"
	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

const (
	labelType = "argocd.argoproj.io/secret-type"
	// prefix of addresses, for all repositories that start with it.
	typePrefix     = "repo-creds"
	typeRepository = "repository"
)

// Kind is the resource causeway_repository.
func Kind() declare.Kind {
	return declare.Kind{
		Type: "repository", APIVersion: "v1", Kind: "Secret", Version: "credentials_wo_version",
		Doc:      "A repository of Git, Helm or OCI, and how to log in to it. Credentials are write-only: they are in no plan and no state.",
		Fields:   declare.Named(fields()...),
		Complete: complete, Absorb: absorb, Adopt: adopt,
		Plain: slices.Collect(maps.Values(flags)), Hides: hides,
	}
}

func fields() []declare.Field {
	secret := func(name, key, doc string) declare.Field {
		return declare.Field{Name: name, Path: "stringData." + key, WriteOnly: true, Doc: doc + " Write-only."}
	}
	plain := func(name, key, doc string) declare.Field {
		return declare.Field{Name: name, Path: "stringData." + key, Doc: doc}
	}
	return []declare.Field{
		{Name: "url", Path: "stringData.url", Doc: "Address of the repository."},
		{Name: "url_prefix", Doc: "Instead of `url`: the credentials are for all repositories whose address starts so."},
		plain("type", "type", "`git`, `helm` or `oci` (default `git`)."),
		plain("project", "project", "The one AppProject that may use it."),
		plain("username", "username", "User name."),
		secret("password_wo", "password", "Password or token."),
		secret("bearer_token_wo", "bearerToken", "Bearer token."),
		secret("ssh_private_key_wo", "sshPrivateKey", "Private key for SSH."),
		plain("tls_client_cert_data", "tlsClientCertData", "Client certificate, in PEM."),
		secret("tls_client_cert_key_wo", "tlsClientCertKey", "Key of the client certificate, in PEM."),
		plain("github_app_id", "githubAppID", "Number of a GitHub App."),
		plain("github_app_installation_id", "githubAppInstallationID", "Number of its installation."),
		plain("github_app_enterprise_base_url", "githubAppEnterpriseBaseUrl", "Address of the API of a GitHub of your own."),
		secret("github_app_private_key_wo", "githubAppPrivateKey", "Its private key, in PEM."),
		plain("proxy", "proxy", "Proxy on the way, if it wants no password."),
		secret("proxy_wo", "proxy", "Proxy on the way, with a user and a password in its address; it wins over `proxy`."),
		plain("no_proxy", "noProxy", "Hosts that are reached without the proxy."),
		{Name: "enable_oci", Shape: declare.Flag, Doc: "The Helm repository is an OCI registry."},
		{Name: "insecure", Shape: declare.Flag, Doc: "Do not check the server's certificate or host key."},
		{Name: "credentials_wo_version", Doc: "Change it to have the credentials written anew. Without it, a plan compares them with what the cluster has."},
	}
}

// flags are kept as texts in the Secret.
var flags = map[string]string{"enable_oci": "enableOCI", "insecure": "insecure"}

func complete(given map[string]any, o *unstructured.Unstructured) error {
	address, _ := given["url"].(string)
	prefix, _ := given["url_prefix"].(string)
	if (address == "") == (prefix == "") {
		return errors.New("set exactly one of url and url_prefix")
	}
	data, _ := o.Object["stringData"].(map[string]any)
	if data == nil {
		data = map[string]any{}
	}
	if err := unguarded(given); err != nil {
		return err
	}
	kind := typeRepository
	if prefix != "" {
		kind, data["url"] = typePrefix, prefix
	}
	if data["type"] == nil {
		data["type"] = "git"
	}
	for attribute, key := range flags {
		if on, ok := given[attribute].(bool); ok && on {
			data[key] = "true"
		}
	}
	o.Object["stringData"], o.Object["type"] = data, "Opaque"
	return unstructured.SetNestedField(o.Object, kind, "metadata", "labels", labelType)
}

// unguarded refuses addresses with a password: they are in plans and in the
// state. The error does not repeat it.
func unguarded(given map[string]any) error {
	if proxy, _ := given["proxy"].(string); object.SignsIn(proxy) {
		return errors.New("proxy: it says who asks, and would be in plans and in the state: give the address as proxy_wo instead")
	}
	for _, name := range []string{"url", "url_prefix"} {
		if address, _ := given[name].(string); object.HasPassword(address) {
			return fmt.Errorf("%s: it has a password, which would be in plans and in the state: take it out, and give username and password_wo", name)
		}
	}
	return nil
}

// hides tells an address that others wrote into the Secret with a login in it.
func hides(key, value string) bool {
	switch key {
	case "proxy":
		return object.SignsIn(value)
	case "url":
		return object.HasPassword(value)
	}
	return false
}

func absorb(live *unstructured.Unstructured) map[string]any {
	out := map[string]any{}
	data := declare.StringData(live)
	for attribute, key := range flags {
		if data[key] == "true" {
			out[attribute] = true
		}
	}
	if data["type"] == "git" {
		out["type"] = nil
	}
	if proxy, _ := data["proxy"].(string); object.SignsIn(proxy) {
		out["proxy"] = nil // it is for proxy_wo to say
	}
	if live.GetLabels()[labelType] == typePrefix {
		out["url"], out["url_prefix"] = nil, data["url"]
	}
	labels := map[string]any{}
	for key, v := range object.Mine(live).GetLabels() {
		if key != labelType {
			labels[key] = v
		}
	}
	if out["labels"] = labels; len(labels) == 0 {
		out["labels"] = nil
	}
	return out
}

func adopt(live *unstructured.Unstructured) error {
	if got := live.GetLabels()[labelType]; got != typeRepository && got != typePrefix {
		return fmt.Errorf("the Secret %s/%s is no repository's (its label %s is %q)", live.GetNamespace(), live.GetName(), labelType, got)
	}
	return nil
}

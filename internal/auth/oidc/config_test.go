package oidc

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

const minimal = "issuer: https://issuer.example.com\nclientID: causeway\n"

func lookup(secret, key string) (string, error) {
	values := map[string]string{"/oidc.secret": "hunter2\n", "team/id": "theirs"}
	value, ok := values[secret+"/"+key]
	if !ok {
		return "", errors.New("there is none")
	}
	return value, nil
}

func TestParse(t *testing.T) {
	c, err := Parse(map[string]string{
		"url": "https://causeway.example.com/", "additionalUrls": "- https://other.example.com/argocd", "oidc.tls.insecure.skip.verify": "true",
		"oidc.config": `
name: Work
issuer: https://issuer.example.com
clientID: $team:id
clientSecret: $oidc.secret
requestedIDTokenClaims: {groups: {essential: true}}
enablePKCEAuthentication: true
logoutURL: https://issuer.example.com/logout?id_token_hint={{token}}&post_logout_redirect_uri={{logoutRedirectURL}}
`,
	}, lookup)
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "Work" || c.ClientID != "theirs" || c.ClientSecret != "hunter2" || !c.Insecure || len(c.IDTokenClaims) != 1 {
		t.Errorf("the settings are %+v", c)
	}
	if got := strings.Join(c.Scopes, " "); got != "openid profile email groups" {
		t.Errorf("the scopes are %s", got)
	}
	if printed := fmt.Sprintf("%v %+v %#v %s", c, *c, *c, c.ClientSecret); strings.Contains(printed, "hunter2") {
		t.Errorf("the secret is printed: %s", printed)
	}
	if c.Base("other.example.com").Path != "/argocd" || c.Base("evil.example.com").Host != "causeway.example.com" {
		t.Error("the address is not that of the installation")
	}
	want := "https://issuer.example.com/logout?id_token_hint=a%26b&post_logout_redirect_uri=https%3A%2F%2Fcauseway.example.com"
	if got := c.Leave(c.Base(""), "a&b"); got != want || !c.NeedsToken() {
		t.Errorf("who signs out goes to %s, want %s", got, want)
	}
}

func TestParseRefused(t *testing.T) {
	cases := map[string]struct {
		reason string
		data   map[string]string
		want   string
	}{
		"Dex":       {"there is no Dex", map[string]string{"dex.config": "connectors: []"}, "Dex is not run"},
		"URL":       {"browsers have to come back", map[string]string{"oidc.config": minimal}, "url is no address"},
		"Script":    {"an address that runs", map[string]string{"url": "javascript:alert(1)", "oidc.config": minimal}, "url is no address"},
		"Issuer":    {"nobody to ask", config("clientID: a"), "issuer of oidc.config"},
		"Client":    {"no client", config("issuer: https://issuer.example.com"), "clientID of oidc.config is missing"},
		"YAML":      {"a text whose secret must not be told", config("clientSecret: hunter2\n\t- {"), "no map in YAML"},
		"Type":      {"a type that is wrong", config(minimal + "requestedScopes: openid"), "requestedScopes of oidc.config is not of the type"},
		"Reference": {"a key that is not there", config(minimal + "clientSecret: $missing"), "cannot resolve clientSecret of oidc.config: there is none"},
		"Secret":    {"a Secret that is not there", config(minimal + "clientSecret: $missing:key"), "cannot resolve clientSecret"},
		"CA":        {"no certificate", config(minimal + "rootCA: none"), "rootCA of oidc.config"},
		"Logout":    {"a script after signing out", config(minimal + "logoutURL: javascript:alert(1)"), "logoutURL of oidc.config"},
		"Azure":     {"an identity that is not taken", config(minimal + "azure: {useWorkloadIdentity: true}"), "not supported"},
		"Long":      {"too much", config(minimal + "name: " + strings.Repeat("x", maxConfig)), "more than"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(c.data, lookup)
			if got != nil || err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v, %v", c.reason, got, err)
			}
		})
	}
	if c, err := Parse(map[string]string{"url": "nonsense"}, lookup); c != nil || err != nil {
		t.Errorf("without an issuer: %v, %v", c, err)
	}
}

func config(text string) map[string]string {
	return map[string]string{"url": "https://causeway.example.com", "oidc.config": text}
}

func FuzzParse(f *testing.F) {
	f.Add("https://causeway.example.com", minimal+"clientSecret: $oidc.secret\n")
	f.Add("http://localhost", "issuer: [")
	f.Add("", "{azure: {useWorkloadIdentity: $x}, requestedIDTokenClaims: {a: {value: $y:z}}}")
	f.Fuzz(func(t *testing.T, address, text string) {
		c, err := Parse(map[string]string{"url": address, "oidc.config": text}, lookup)
		if err == nil && c != nil && (c.ClientID == "" || len(c.URLs) == 0 || len(c.Scopes) == 0) {
			t.Errorf("%q is taken as %+v", text, c)
		}
	})
}

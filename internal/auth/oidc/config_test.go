package oidc

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
		"InAList":   {"a key that is not there, inside of a list", config(minimal + "allowedAudiences: [a, $missing]"), "cannot resolve allowedAudiences of oidc.config: there is none"},
		"More":      {"another address of the installation, which is named", map[string]string{"url": "https://causeway.example.com", "additionalUrls": "[https://a.example.com, b.example.com]", "oidc.config": minimal}, "entry 2 of additionalUrls is no address"},
		"NoList":    {"addresses that are no list", map[string]string{"url": "https://causeway.example.com", "additionalUrls": "https://a.example.com", "oidc.config": minimal}, "additionalUrls is no list of addresses"},
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

// References may be anywhere in the setting, as in Argo CD.
func TestReferences(t *testing.T) {
	c, err := Parse(config(minimal+"allowedAudiences: [plain, $team:id, a$b, '']\nrequestedIDTokenClaims: {groups: {values: [$oidc.secret, 7]}}\n"), lookup)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"plain", "theirs", "a$b", ""}, c.AllowedAudiences); diff != "" {
		t.Errorf("in a list (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"groups": map[string]any{"values": []any{"hunter2", 7.0}}}, c.IDTokenClaims); diff != "" {
		t.Errorf("in a list below (-want +got):\n%s", diff)
	}
}

// Browsers come by several addresses, and go back to the one that they came by.
func TestBase(t *testing.T) {
	c, err := Parse(map[string]string{"url": " https://causeway.example.com/ ", "additionalUrls": "- http://localhost:8080/\n- https://other.example.com/argocd/", "oidc.config": minimal}, lookup)
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{
		"Other.Example.com": "https://other.example.com/argocd", "localhost:8080": "http://localhost:8080", "localhost": "https://causeway.example.com",
		"causeway.example.com": "https://causeway.example.com", "": "https://causeway.example.com", "other.example.com:443": "https://causeway.example.com",
	} {
		if got := c.Base(host).String(); got != want {
			t.Errorf("who comes by %q goes back to %s, want %s", host, got, want)
		}
	}
}

// Codes and tokens are read by whoever is on the way to an issuer without TLS;
// on this machine nobody is.
func TestInTheClear(t *testing.T) {
	for issuer, want := range map[string]bool{
		"https://id.example.com": false, "http://id.example.com": true, "http://localhost:5556/dex": false, "http://127.0.0.1:5556": false, "http://[::1]": false,
		"http://10.0.0.1": true, "http://localhost.example.com": true, "HTTPS://id.example.com": false,
	} {
		if got := (&Config{Issuer: issuer}).InTheClear(); got != want {
			t.Errorf("%s is asked in the clear: %t", issuer, got)
		}
	}
}

// A command line has no secret to send, and trusts whom the installation does.
func TestPublic(t *testing.T) {
	of := &Config{Name: "Work", Issuer: "https://issuer.example.com", ClientID: "cli", ClientSecret: "hunter2", Scopes: []string{"email"}, UserInfo: true, Insecure: true}
	got, err := Public(of)
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{Name: "issuer.example.com", Issuer: of.Issuer, ClientID: "cli", Scopes: []string{"openid", "email"}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Config{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := Public(&Config{Issuer: "javascript:alert(1)", ClientID: "cli"}); got != nil || err == nil {
		t.Errorf("an installation that names no issuer: %v, %v", got, err)
	}
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

package access

import (
	"strings"
	"testing"
)

func TestWay(t *testing.T) {
	var store Credentials
	store.Replace([]Repository{
		{Secret: "t", Template: true, URL: "https://h/", Credential: Credential{Username: "ops", Password: "template"}},
		{Secret: "a", URL: "https://h/bare", Project: "a", Credential: Credential{Depth: 1}},
		{Secret: "b", URL: "https://h/own", Project: "a", Credential: Credential{Password: "own"}},
		{Secret: "c", URL: "https://h/proxy", Project: "a", Credential: Credential{Proxy: "http://me:hunter2@p:1"}},
		{Secret: "d", URL: "https://h/insecure", Project: "a", Credential: Credential{Insecure: true}},
		{Secret: "e", URL: "https://h/ops-insecure", Credential: Credential{Insecure: true}},
		{Secret: "f", URL: "https://h/basic", Credential: Credential{ForceBasic: true}},
	})
	way := func(url, project string) string {
		cred, _ := store.For(url, project)
		return cred.Way()
	}
	cases := map[string]struct {
		reason       string
		one, other   [2]string // address and project
		same, common bool
	}{
		"template": {"what a template opens", [2]string{"https://h/x", "a"}, [2]string{"https://h/x", "b"}, true, true},
		"unknown":  {"what nothing is known of", [2]string{"https://other/x", "a"}, [2]string{"https://h/x", "b"}, true, true},
		"bare":     {"a Secret that says nothing", [2]string{"https://h/bare", "a"}, [2]string{"https://h/bare", "b"}, true, true},
		"basic":    {"when a password is sent decides nothing", [2]string{"https://h/basic", "a"}, [2]string{"https://h/x", "b"}, true, true},
		"own":      {"a project's own password", [2]string{"https://h/own", "a"}, [2]string{"https://h/own", "b"}, false, false},
		"proxy":    {"a project's own proxy", [2]string{"https://h/proxy", "a"}, [2]string{"https://h/proxy", "b"}, false, false},
		"insecure": {"a project that checks nothing", [2]string{"https://h/insecure", "a"}, [2]string{"https://h/insecure", "b"}, false, false},
		"operator": {"operators who check nothing", [2]string{"https://h/ops-insecure", "a"}, [2]string{"https://h/ops-insecure", "b"}, true, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			one, other := way(c.one[0], c.one[1]), way(c.other[0], c.other[1])
			if (one == other) != c.same || (one == "") != c.common {
				t.Errorf("%s: got %q and %q", c.reason, one, other)
			}
			if strings.Contains(one, "hunter2") {
				t.Errorf("%s: %q has a password", c.reason, one)
			}
		})
	}
	if c, _ := store.For("https://h/own", "a"); c.Anonymous().Way() != "" {
		t.Error("who may not use a Secret takes none of its ways")
	}
}

// TestWayStays has what changes in a project's own Secret.
func TestWayStays(t *testing.T) {
	before := Credential{Project: "a", Username: "me", Password: "1", Proxy: "http://me:1@p:1"}
	for name, c := range map[string]struct {
		change func(*Credential)
		same   bool
	}{
		"password":       {func(c *Credential) { c.Password = "2" }, true},
		"proxy password": {func(c *Credential) { c.Proxy = "http://me:2@p:1" }, true},
		"proxy":          {func(c *Credential) { c.Proxy = "http://me:1@q:1" }, false},
		"no proxy":       {func(c *Credential) { c.NoProxy = "h" }, false},
		"insecure":       {func(c *Credential) { c.Insecure = true }, false},
		"plain":          {func(c *Credential) { c.PlainHTTP = true }, false},
		"certificate":    {func(c *Credential) { c.TLSCert = "pem" }, false},
		"project":        {func(c *Credential) { c.Project = "b" }, false},
	} {
		after := before
		c.change(&after)
		if (before.Way() == after.Way()) != c.same {
			t.Errorf("%s: got %q and %q", name, before.Way(), after.Way())
		}
	}
	for _, proxy := range []Secret{"http://me:hunter2@p:1", "me:hunter2@p:1", "http://me:hunter2@p:%zz", "://me:hunter2@p"} {
		if got := (Credential{Proxy: proxy}).Way(); got == "" || strings.Contains(got, "hunter2") {
			t.Errorf("%q tells a password, or nothing", got)
		}
	}
}

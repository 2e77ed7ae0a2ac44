package key_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/key"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 123, time.UTC)

func TestTextProvesItsKeyAlone(t *testing.T) {
	owner := key.OwnerOf(&auth.User{Name: "ann", Via: auth.Local}, "", now)
	k, text := key.New("ci", owner, key.Scope{ReadOnly: true}, now, time.Hour)
	_, other := key.New("ci", owner, key.Scope{ReadOnly: true}, now, time.Hour)
	_, foreign, _ := key.Split(other)
	id, secret, ok := key.Split(text)
	if !ok || id != k.ID || !k.Proves(secret) || k.Proves(foreign) || k.Proves("") || k.Proves(k.Hash) {
		t.Errorf("a key of %q is not proved by its text alone", id)
	}
	if strings.Contains(k.Hash, secret) || !k.Expires.Equal(now.Truncate(time.Second).Add(time.Hour)) {
		t.Errorf("what is kept: %+v", k)
	}
	u := k.User()
	if u.Name != "ann" || u.Key != "ci" || !u.Program || u.Limit == nil {
		t.Errorf("who comes with it: %+v", u)
	}
	for _, wrong := range []string{"", "causeway_", "causeway_" + k.ID, "causeway_" + k.ID + "_", "causeway_x_" + secret, strings.TrimPrefix(text, key.Prefix), text + strings.Repeat("A", 300)} {
		if _, _, ok := key.Split(wrong); ok {
			t.Errorf("%q is taken apart", wrong)
		}
	}
}

func TestScope(t *testing.T) {
	readOnly := key.Scope{ReadOnly: true}
	shop := key.Scope{Rules: []key.Rule{{Resource: "applications", Action: "sync", Project: "shop-*"}}}
	all := key.Scope{Rules: []key.Rule{{Resource: "*", Action: "*", Project: "*"}}}
	both := key.Scope{ReadOnly: true, Rules: shop.Rules}
	cases := map[string]struct {
		reason                    string
		scope                     key.Scope
		resource, action, project string
		want                      bool
	}{
		"read":             {"reading is reading", readOnly, "applications", "get", "shop-a", true},
		"read anything":    {"also of what is in no project", readOnly, "clusters", "get", "", true},
		"no write":         {"and nothing else", readOnly, "applications", "sync", "shop-a", false},
		"ruled":            {"what a rule says", shop, "applications", "sync", "shop-a", true},
		"ruled read":       {"with what has to be seen for it", shop, "applications", "get", "shop-a", true},
		"other project":    {"in these projects", shop, "applications", "sync", "platform", false},
		"other read":       {"of which others are not seen", shop, "applications", "get", "platform", false},
		"no project":       {"nor what is in none", shop, "applications", "get", "", false},
		"other action":     {"nor done otherwise", shop, "applications", "delete", "shop-a", false},
		"other resource":   {"nor to something else", shop, "logs", "get", "shop-a", false},
		"everything":       {"stars are for all", all, "accounts", "update", "", true},
		"both reads":       {"a key that reads all may write some", both, "logs", "get", "platform", true},
		"both writes":      {"that it is for", both, "applications", "sync", "shop-a", true},
		"both writes else": {"and no other", both, "applications", "sync", "platform", false},
		"nothing":          {"one for nothing allows nothing", key.Scope{}, "applications", "get", "shop-a", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.scope.Limit().Allows(tc.resource, tc.action, tc.project); got != tc.want {
				t.Errorf("%s: %t", tc.reason, got)
			}
		})
	}
}

func TestScopesAreChecked(t *testing.T) {
	rule := func(resource, action, project string) key.Scope {
		return key.Scope{Rules: []key.Rule{{Resource: resource, Action: action, Project: project}}}
	}
	for text, s := range map[string]key.Scope{
		"a key is for something":               {},
		"rules[0].resource: \"Apps\"":          rule("Apps", "get", "*"),
		"rules[0].action: \"\"":                rule("applications", "", "*"),
		"rules[0].project: \"\"":               rule("applications", "get", ""),
		"rules[0].project: the pattern \"[\"":  rule("applications", "get", "["),
		"the scope has 51 rules, and may have": {Rules: make([]key.Rule, 51)},
	} {
		if err := s.Check(); err == nil || !strings.HasPrefix(err.Error(), text) {
			t.Errorf("%+v: %v, want %s", s, err, text)
		}
	}
	good := rule("applications", "action/apps/*", "{shop,platform}-?")
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"", " ci", "ci ", "c\ni", strings.Repeat("c", 64), "ä"} {
		if key.CheckName(name) == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
	if err := key.CheckName("CI of shop-1.2"); err != nil {
		t.Error(err)
	}
}

func TestOwnerIsOnePerson(t *testing.T) {
	of := func(via auth.Via, sub string) *auth.User {
		return &auth.User{Name: "ann", Via: via, Claims: map[string]any{"sub": sub}}
	}
	o := key.OwnerOf(of(auth.OIDC, "1"), "https://id.example.com", now)
	if !o.Is(of(auth.OIDC, "1")) || o.Is(of(auth.OIDC, "2")) || o.Is(of(auth.Local, "1")) || o.Is(nil) {
		t.Error("people of one name are one")
	}
}

// Dex has one name for people of several connectors, whom policies mean by it.
func TestOwnerIsWhomTheIssuerSays(t *testing.T) {
	const issuer = "https://dex.example.com"
	of := func(issuer, sub string) *auth.User {
		return &auth.User{Name: "ann", Via: auth.OIDC, Issuer: issuer, Sub: sub, Claims: map[string]any{"sub": "7"}}
	}
	ann := of(issuer, "Cgc3EgZnaXRodWI")
	k, _ := key.New("ci", key.OwnerOf(ann, issuer, now), key.Scope{}, now, time.Hour)
	if !k.Owner.Is(ann) || k.User().Person() != ann.Person() || k.User().Subject() != ann.Subject() {
		t.Errorf("a key of %q is of %q", ann.Person(), k.User().Person())
	}
	for reason, other := range map[string]*auth.User{
		"another connector":                  of(issuer, "Cgc3EgVnaXRlYQ"),
		"another issuer":                     of("https://other.example.com", ann.Sub),
		"a session that says no more than 7": of("", ""),
	} {
		if k.Owner.Is(other) {
			t.Errorf("%s has the key", reason)
		}
	}
}

// A key is read as it was kept; of what is none nothing is told, which may hold one.
func TestKeysComeBack(t *testing.T) {
	scope := key.Scope{Rules: []key.Rule{{Resource: "applications", Action: "sync", Project: "shop-*"}}}
	made, text := key.New("ci", key.OwnerOf(&auth.User{Name: "ann", Via: auth.OIDC, Sub: "1", Groups: []string{"a"}, Claims: map[string]any{"groups": []any{"a"}}}, "https://id.example.com", now), scope, now, time.Hour)
	kept, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	got, err := key.Read(kept)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made, got, cmpopts.IgnoreUnexported(key.Key{})); diff != "" {
		t.Errorf("(-made +read):\n%s", diff)
	}
	if _, secret, _ := key.Split(text); !got.Proves(secret) || !got.User().Limit.Allows("applications", "sync", "shop-a") || got.User().Limit.Allows("applications", "sync", "platform") {
		t.Error("a key that was kept lets do something else than when it was made")
	}
	for _, broken := range []string{"", "hunter2", `{"hash":"hunter2","expires":"hunter2"}`, "[]"} {
		if got, err := key.Read([]byte(broken)); got != nil || err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v, %v", broken, got, err)
		}
	}
}

// Two who use a key at a time do not see what one of them adds to the claims.
func TestUsersOfAKeyAreApart(t *testing.T) {
	k, _ := key.New("ci", key.OwnerOf(&auth.User{Name: "ann", Via: auth.OIDC, Claims: map[string]any{"sub": "1"}}, "", now), key.Scope{ReadOnly: true}, now, time.Hour)
	k.User().Claims["groups"] = []any{"admins"}
	if got := k.User().Claims; len(got) != 1 {
		t.Errorf("the next one has %v", got)
	}
}

// A scope that was kept with a pattern which cannot be read gives nothing by it.
func TestBrokenRulesAllowNothing(t *testing.T) {
	s := key.Scope{Rules: []key.Rule{{"*", "[", "*"}, {"*", "*", "["}, {"logs", "get", "shop"}}}
	for resource, want := range map[string]bool{"applications": false, "logs": true} {
		if got := s.Limit().Allows(resource, "get", "shop"); got != want {
			t.Errorf("%s may be read: %t", resource, got)
		}
	}
	if list := (&key.Scope{Rules: s.Rules[2:]}).Limit(); !list.Allows("logs", "list", "shop") || list.Allows("logs", "list", "platform") {
		t.Error("who may get something in a project may list it there, and nowhere else")
	}
}

func FuzzScope(f *testing.F) {
	f.Add("applications", "sync", "shop-*", "shop-a")
	f.Add("*", "action/**", "{a,b", "a")
	f.Fuzz(func(t *testing.T, resource, action, project, asked string) {
		s := key.Scope{Rules: []key.Rule{{Resource: resource, Action: action, Project: project}}}
		if s.Check() != nil {
			return
		}
		if s.Limit().Allows("applications", "sync", asked) && !s.Limit().Allows("applications", "get", asked) {
			t.Error("what may be synced may not be seen")
		}
		if resource != "*" && s.Limit().Allows(resource+"x", "get", asked) {
			t.Error("another resource is allowed")
		}
	})
}

package auth

import (
	"context"
	"testing"
)

func TestPerson(t *testing.T) {
	of := func(via Via, name, sub string) *User {
		return &User{Name: name, Via: via, Claims: map[string]any{"sub": sub}}
	}
	dex := func(issuer, sub string) *User {
		return &User{Name: "ann", Via: OIDC, Issuer: issuer, Sub: sub, Claims: map[string]any{"sub": "7"}}
	}
	const issuer, other = "https://dex.example.com", "https://other.example.com"
	for label, c := range map[string]struct {
		reason string
		a, b   *User
		same   bool
	}{
		"renamed":    {"an issuer's people are whom it says they are", of(OIDC, "ann", "1"), of(OIDC, "queen", "1"), true},
		"namesakes":  {"and not what they are called", of(OIDC, "ann", "1"), of(OIDC, "ann", "2"), false},
		"account":    {"an account is its name", of(Local, "ann", "ann"), &User{Name: "ann", Via: Local}, true},
		"accounts":   {"which no other one has", of(Local, "ann", "1"), of(Local, "bob", "1"), false},
		"elsewhere":  {"the name of another way is another person", of(Local, "ann", "ann"), of(OIDC, "ann", "ann"), false},
		"key":        {"a key is its owner's", of(OIDC, "ann", "1"), &User{Name: "ann", Via: OIDC, Claims: map[string]any{"sub": "1"}, Key: "ci"}, true},
		"connectors": {"two that policies know by one name are two to the issuer", dex(issuer, "Cgc3EgZnaXRodWI"), dex(issuer, "Cgc3EgVnaXRlYQ"), false},
		"issuers":    {"and what one issuer says another one does not", dex(issuer, "1"), dex(other, "1"), false},
		"again":      {"who comes again is the same", dex(issuer, "1"), dex(issuer, "1"), true},
		"nobody":     {"nobody is no person", nil, of(Local, "", ""), false},
	} {
		t.Run(label, func(t *testing.T) {
			if got := c.a.Person() == c.b.Person(); got != c.same {
				t.Errorf("%s: one person: %t", c.reason, got)
			}
		})
	}
}

// Who has not signed in is not taken for the engine, which waits for nobody.
func TestAsker(t *testing.T) {
	ann := &User{Name: "ann", Via: Local}
	for label, c := range map[string]struct {
		reason string
		in     func(context.Context) context.Context
		want   string
	}{
		"engine":   {"what nobody asks for is the engine's", func(ctx context.Context) context.Context { return ctx }, ""},
		"stranger": {"what comes from outside is not", Outside, Stranger},
		"person":   {"who has signed in is that person", func(ctx context.Context) context.Context { return With(Outside(ctx), ann) }, ann.Person()},
		"below":    {"also in what is begun for them", func(ctx context.Context) context.Context { return context.WithoutCancel(With(ctx, ann)) }, ann.Person()},
	} {
		if got := Asker(c.in(t.Context())); got != c.want {
			t.Errorf("%s: %s is done for %q, want %q", c.reason, label, got, c.want)
		}
	}
	if From(Outside(t.Context())) != nil {
		t.Error("a stranger is a user")
	}
	for _, u := range []*User{ann, {Name: Stranger}, {Name: Stranger, Via: OIDC}, {}} {
		if u.Person() == Stranger || u.Person() == "" {
			t.Errorf("%+v is %q", u, u.Person())
		}
	}
}

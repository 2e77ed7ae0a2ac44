package auth

import (
	"testing"
)

// Whose keys and operations something is must not be a matter of how a name is
// written: what parts a person's name has are told apart, whatever is in them.
func TestNamesOfPeopleAreNotPutTogether(t *testing.T) {
	known := map[string]string{}
	for reason, u := range map[string]*User{
		"an account":                              {Name: "ann", Via: Local},
		"one whose name begins with a way":        {Name: "oidc\x00ann", Via: Local},
		"who signed in by an issuer":              {Name: "ann", Via: OIDC, Issuer: "https://id", Sub: "ann"},
		"by one whose address is longer":          {Name: "ann", Via: OIDC, Issuer: "https://id/ann", Sub: "ann"},
		"by one whose people have other subjects": {Name: "ann", Via: OIDC, Issuer: "https://id", Sub: "/ann"},
		"by one whose address ends where they do": {Name: "ann", Via: OIDC, Issuer: "https://id/", Sub: "ann"},
		"by an issuer that is not known":          {Name: "ann", Via: OIDC, Sub: "ann"},
		"by Kubernetes":                           {Name: "ann", Via: Kubernetes},
		"by a token of a project":                 {Name: "proj:ann:ci", Via: Project},
		"a role of a project with another name":   {Name: "proj:ann:cd", Via: Project},
	} {
		if other, twice := known[u.Person()]; twice {
			t.Errorf("%s is %s", reason, other)
		}
		known[u.Person()] = reason
	}
}

// An issuer says who somebody is in its own field, in the claims of what was kept
// before, or not at all; nobody else's claims count.
func TestSubject(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		user   User
		want   string
	}{
		"Field":   {"its own field comes first", User{Via: OIDC, Sub: "1", Claims: map[string]any{"sub": "7"}}, "1"},
		"Claims":  {"what was kept before says it in the claims", User{Via: OIDC, Claims: map[string]any{"sub": "7"}}, "7"},
		"Number":  {"a number is no subject", User{Via: OIDC, Claims: map[string]any{"sub": 7}}, ""},
		"Nothing": {"without either there is none, and the name counts", User{Via: OIDC, Name: "ann"}, ""},
		"Local":   {"an account has none, whatever it brings", User{Via: Local, Sub: "1", Claims: map[string]any{"sub": "7"}}, ""},
		"Cluster": {"nor has who Kubernetes knows", User{Via: Kubernetes, Claims: map[string]any{"sub": "7"}}, ""},
	} {
		if got := tc.user.Subject(); got != tc.want {
			t.Errorf("%s: %s: got %q, want %q", name, tc.reason, got, tc.want)
		}
	}
}

// A person may have any name at an issuer, which makes no service account of them.
func TestServiceAccountsAreKnownByKubernetesAlone(t *testing.T) {
	const name = "system:serviceaccount:argocd:ci"
	for reason, tc := range map[string]struct {
		user *User
		want bool
	}{
		"the API server says so":          {&User{Name: name, Via: Kubernetes}, true},
		"of a person it does not":         {&User{Name: "ann", Via: Kubernetes}, false},
		"nor of another program's name":   {&User{Name: "system:node:a", Via: Kubernetes}, false},
		"an issuer may let people choose": {&User{Name: name, Via: OIDC}, false},
		"and so may who makes accounts":   {&User{Name: name, Via: Local}, false},
		"nobody is none":                  {nil, false},
	} {
		if got := tc.user.ServiceAccount(); got != tc.want {
			t.Errorf("%s: %t", reason, got)
		}
	}
}

package generate

import (
	"strings"
	"testing"
)

func TestParamsTellNoClusters(t *testing.T) {
	for _, p := range []Params{{"app": "web", "clusters": []map[string]any{{"name": "vault"}}}, {"app": "web", "clusters.0.name": "vault"}} {
		if text := p.String(); strings.Contains(text, "vault") || !strings.Contains(text, "web") {
			t.Errorf("%v is told as %s", map[string]any(p), text)
		}
	}
	if p := (Params{"clustersOf": "web"}); p.String() == "" {
		t.Error("a parameter of one's own is not told")
	}
}

// TestConflictsAreNamedAlike: of several conflicts the same one is named each time, and
// one whose values are quoted before others.
func TestConflictsAreNamedAlike(t *testing.T) {
	a := Params{"metadata.labels.env": "dev", "name": "a", "server": "https://a", "same": "x"}
	b := Params{"metadata.labels.env": "prod", "name": "b", "server": "https://b", "same": "x"}
	for range 50 {
		if key, found := conflicting(a, b); !found || key != "name" {
			t.Fatalf("%q is named", key)
		}
	}
	if key, found := conflicting(a, Params{"same": "x", "other": "y"}); found {
		t.Errorf("%q is no conflict", key)
	}
}

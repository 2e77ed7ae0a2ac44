package generate

import (
	"strings"
	"testing"
)

func TestParamsTellNoClusters(t *testing.T) {
	for _, p := range []Params{{"app": "web", "clusters": []map[string]any{{"name": "vault"}}}, {"app": "web", "clusters.0.name": "vault"}} {
		if text := p.String(); strings.Contains(text, "vault") || !strings.Contains(text, "web") || !p.Flat() {
			t.Errorf("%v is told as %s, and is of several clusters: %t", map[string]any(p), text, p.Flat())
		}
	}
	if p := (Params{"clustersOf": "web"}); p.Flat() || p.String() == "" {
		t.Errorf("%s is of several clusters", p)
	}
}

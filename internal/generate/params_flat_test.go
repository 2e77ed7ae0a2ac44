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

package oci

import (
	"strings"
	"testing"
)

func TestManifestsAreBounded(t *testing.T) {
	r := &Repo{name: "oci://registry.example.com/a"}
	layer := `{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"sha256:` + strings.Repeat("a", 64) + `","size":1000,"annotations":{"org.opencontainers.image.title":"a"}}`
	for name, tc := range map[string]struct {
		reason, layer string
		layers        int
		refused       bool
	}{
		"Real":  {"an image may have many layers", layer, 1000, false},
		"Empty": {"a layer of two bytes takes a hundred", "{}", 150_000, true},
		"None":  {"so does one of nothing", "0", 150_000, true},
	} {
		m, err := r.manifest([]byte(`{"layers":[` + strings.Repeat(tc.layer+",", tc.layers) + tc.layer + `]}`))
		if refused := err != nil && strings.Contains(err.Error(), "takes more than 32 MiB of memory"); refused != tc.refused || !refused && len(m.Layers) != tc.layers+1 {
			t.Errorf("%s: %s: %d layers, %v", name, tc.reason, len(m.Layers), err)
		}
	}
}

package rows

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/source"
)

// TestMirrorsAreThoseThatTheEngineReads: the nearest one, in whatever way an address is written.
func TestMirrorsAreThoseThatTheEngineReads(t *testing.T) {
	h := &target.Hub{Fleet: &local.Fleet{Mirrors: []source.Mirror{{URL: "https://git.example.com", Path: "/all"}, {URL: "https://git.example.com/shop.git", Path: "/shop"}, {URL: "oci://registry.example.com/charts", Path: "/charts"}}}}
	for url, want := range map[string]string{
		"https://git.example.com/shop": "/shop", "git@git.example.com:shop.git": "/shop", "https://git.example.com/other": "/all", "https://git.example.com/shop-2": "/all",
		"registry.example.com/charts/web": "/charts", "oci://registry.example.com/charts": "/charts", "https://elsewhere.example.com/shop": "",
	} {
		if got := mirrorOf(h, url); got != want {
			t.Errorf("%s is read from %q, want %q", url, got, want)
		}
	}
	if got := mirrorOf(&target.Hub{}, "https://git.example.com/shop"); got != "" {
		t.Errorf("what the engine of another hub reads is not known: %q", got)
	}
}

package plugin

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/walk/walktest"
)

func TestRepositoriesWithoutEnd(t *testing.T) {
	named := shell("named", "exit 1")
	named.Discover.FileName = "*/*/*/*/*/*/*/*/wanted"
	found := shell("found", "exit 1")
	found.Discover.Find.Glob = "**/wanted"
	copied := shell("copied", "exit 1")
	cases := map[string]struct {
		reason string
		plugin Plugin
	}{
		"file name": {"a part of the answer must not be taken for no", named},
		"glob":      {"nor here", found},
		"copy":      {"folders without files take space, too", copied},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := at(t, walktest.Bomb{Deep: 10}.Snapshot("https://git.example.com/endless"), &v1alpha1.ApplicationSourcePlugin{Name: tc.plugin.Name})
			s.Path = "."
			r := renderer(t, Options{Plugins: []Plugin{tc.plugin}, MaxFiles: 1000})
			_, err := r.Render(t.Context(), s)
			if err == nil || !strings.Contains(err.Error(), "more than") || !strings.Contains(err.Error(), "files") {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

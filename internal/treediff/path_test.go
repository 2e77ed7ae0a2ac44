package treediff

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPathsAreBounded(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	if got := Step("app.kubernetes.io/name"); got != "app.kubernetes.io/name" {
		t.Errorf("a usual key becomes %q", got)
	}
	if got := Step(long); len(got) > mostStep+len(cut) || !strings.HasPrefix(got, "éé") || !strings.HasSuffix(got, "é"+cut) {
		t.Errorf("a long key becomes %d bytes", len(got))
	}
	path := ""
	for range 1000 {
		path = Join(path, "."+Step(long))
	}
	if len(path) > mostPath || !strings.HasPrefix(path, ".éé") {
		t.Errorf("a path of long keys has %d bytes", len(path))
	}
	if got := Join(Join(path, ".spec"), ".image"); len(got) > mostPath || !strings.HasPrefix(got, path[:mostHead-len("é")]) || !strings.HasSuffix(got, ".image") {
		t.Errorf("the last step of a long path is not told: %q", got[max(0, len(got)-20):])
	}
	for _, step := range []string{strings.Repeat("x", 1<<20), long} {
		if got := Join(path, step); len(got) > mostPath || !utf8.ValidString(got) {
			t.Errorf("a step that is longer than a path makes one of %d bytes", len(got))
		}
	}
	if got := Join("spec", ".replicas"); got != "spec.replicas" {
		t.Errorf("a usual path becomes %q", got)
	}
}

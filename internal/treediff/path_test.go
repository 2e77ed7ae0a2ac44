package treediff

import (
	"strings"
	"testing"
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
	if len(path) > mostPath+len(cut) || strings.Count(path, cut) > 2 {
		t.Errorf("a path of long keys has %d bytes", len(path))
	}
	if got := Join("spec", ".replicas"); got != "spec.replicas" {
		t.Errorf("a usual path becomes %q", got)
	}
}

package imports

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLayout(t *testing.T) {
	page := "# A page\n\ninternal/before/ is not in it\n\n## Layout\n\n```\ncmd/a/    a program\ninternal/plan/    one, of apply/ or not\n" +
		"internal/b/ c/      two\ninternal/d/<kind>/   below\n```\n\n```\ninternal/after/  not either\n```\n"
	want := map[string]bool{"plan": true, "b": true, "c": true, "d": true}
	if diff := cmp.Diff(want, Layout(page, "internal")); diff != "" {
		t.Errorf("the folders (-want +got):\n%s", diff)
	}
}

package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWarningsOfSettingsAreToldOnce(t *testing.T) {
	e := &Engine{}
	for i, step := range []struct{ have, want []string }{
		{[]string{"a"}, []string{"a"}},
		{[]string{"a"}, []string{}},
		{[]string{"a", "b"}, []string{"b"}},
		{nil, nil},
		{[]string{"a"}, []string{"a"}},
	} {
		if diff := cmp.Diff(step.want, e.unsaid(step.have)); diff != "" {
			t.Errorf("step %d: %s", i, diff)
		}
	}
}

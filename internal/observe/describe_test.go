package observe

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestEachCheckIsDescribed(t *testing.T) {
	told := map[schema.GroupKind]bool{}
	for _, d := range Describe() {
		for _, gk := range d.Kinds {
			if told[gk] || d.Healthy == "" {
				t.Errorf("%s is described twice, or not at all", gk)
			}
			told[gk] = true
		}
	}
	checks := New().table
	for gk := range checks {
		if !told[gk] {
			t.Errorf("%s has a check that is not described", gk)
		}
	}
	for gk := range told {
		if checks[gk] == nil {
			t.Errorf("%s is described and has no check", gk)
		}
	}
}

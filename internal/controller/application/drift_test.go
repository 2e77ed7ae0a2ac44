package application

import (
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestWhatIsHealed: a policy that is written wins over selfHeal, and one field that is to be undone is enough.
func TestWhatIsHealed(t *testing.T) {
	field := func(policies ...gitops.DriftPolicy) *gitops.Action {
		a := &gitops.Action{Desired: &gitops.Manifest{}, Sync: gitops.OutOfSync}
		for _, p := range policies {
			a.Deviations = append(a.Deviations, gitops.Deviation{Field: "spec.replicas", Policy: p})
		}
		return a
	}
	whole := func(p gitops.DriftPolicy) *gitops.Action {
		a := field()
		a.Drift.Policy = p
		return a
	}
	for name, tc := range map[string]struct {
		reason      string
		action      *gitops.Action
		off, itself bool // what becomes of it without selfHeal, and with it
	}{
		"Plain":    {"where nothing is written selfHeal decides", field(""), false, true},
		"Heal":     {"heal heals without it", field(gitops.DriftHeal), true, true},
		"Show":     {"show shows with it", field(gitops.DriftShow), false, false},
		"Freeze":   {"freeze leaves what people changed", field(gitops.DriftFreeze), false, false},
		"One":      {"one of several fields is enough", field(gitops.DriftShow, gitops.DriftHeal), true, true},
		"Beside":   {"so is one that no policy is about", field(gitops.DriftShow, ""), false, true},
		"Gone":     {"an object that is gone has no fields, and a policy", whole(gitops.DriftHeal), true, true},
		"Shown":    {"which may leave it away", whole(gitops.DriftShow), false, false},
		"Deleting": {"what goes already is not deleted again", &gitops.Action{Live: &gitops.Live{Deleting: true}, Drift: whole(gitops.DriftHeal).Drift}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if off, itself := heals(tc.action, false), heals(tc.action, true); off != tc.off || itself != tc.itself {
				t.Errorf("%s: without selfHeal %t, with it %t", tc.reason, off, itself)
			}
			p := &gitops.Plan{Waves: []gitops.Wave{{Actions: []gitops.Action{*tc.action}}}}
			if got := asksToHeal(p); got != tc.off {
				t.Errorf("%s: it asks to be healed where all is synced by hand: %t", tc.reason, got)
			}
			p.Waves[0].Actions[0].Hook = true
			if asksToHeal(p) {
				t.Errorf("%s: a hook is not healed", tc.reason)
			}
		})
	}
}

// TestDriftIsToldOfPolicies alone, of so many objects as a status has room for.
func TestDriftIsToldOfPolicies(t *testing.T) {
	p := &gitops.Plan{Waves: []gitops.Wave{{}}}
	add := func(name string, all ...gitops.Deviation) {
		p.Waves[0].Actions = append(p.Waves[0].Actions, gitops.Action{Key: gitops.Key{Kind: "ConfigMap", Name: name}, Deviations: all})
	}
	add("unwritten", gitops.Deviation{Field: "data.a", Manager: "kubectl"})
	add("ours", gitops.Deviation{Field: "data.a", Manager: "causeway", Ours: true, Policy: gitops.DriftShow})
	if got := drifted(p); len(got) != 0 {
		t.Errorf("what no policy is about, and what Git changed, is told: %+v", got)
	}
	for i := range maxDrifted + 5 {
		add(fmt.Sprint("a", i), gitops.Deviation{Field: "data.a", Manager: "kubectl", Policy: gitops.DriftShow}, gitops.Deviation{Field: "data.hidden", Manager: "kubectl"})
	}
	got := drifted(p)
	if len(got) != maxDrifted+1 || !strings.Contains(got[0].Message, "data.a") || strings.Contains(got[0].Message, "hidden") || got[maxDrifted].Message != "more objects have drifted: see causeway diff" {
		t.Errorf("%d are told, the first as %+v", len(got), got[0])
	}
}

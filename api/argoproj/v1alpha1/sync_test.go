package v1alpha1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIsAutomated(t *testing.T) {
	yes, no := true, false
	cases := map[string]struct {
		reason          string
		policy          *SyncPolicy
		want, wantPrune bool
	}{
		"NoPolicy":   {reason: "without a policy a person syncs"},
		"NoBlock":    {reason: "without the block a person syncs", policy: &SyncPolicy{}},
		"Empty":      {reason: "the empty block turns it on", policy: &SyncPolicy{Automated: &SyncPolicyAutomated{}}, want: true},
		"Prune":      {reason: "prune is asked for", policy: &SyncPolicy{Automated: &SyncPolicyAutomated{Prune: &yes}}, want: true, wantPrune: true},
		"Disabled":   {reason: "enabled: false turns everything off", policy: &SyncPolicy{Automated: &SyncPolicyAutomated{Enabled: &no, Prune: &yes}}},
		"Explicit":   {reason: "enabled: true is on", policy: &SyncPolicy{Automated: &SyncPolicyAutomated{Enabled: &yes}}, want: true},
		"PruneFalse": {reason: "prune: false is no", policy: &SyncPolicy{Automated: &SyncPolicyAutomated{Prune: &no}}, want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.policy.IsAutomated(); got != tc.want {
				t.Errorf("%s: IsAutomated() = %t", tc.reason, got)
			}
			if got := tc.policy.AutomatedPrune(); got != tc.wantPrune {
				t.Errorf("%s: AutomatedPrune() = %t", tc.reason, got)
			}
			if tc.policy.AutomatedSelfHeal() || tc.policy.AutomatedAllowEmpty() {
				t.Errorf("%s: what nobody asked for is on", tc.reason)
			}
		})
	}
}

func TestSyncOptions(t *testing.T) {
	options := ParseSyncOptions(" Prune=false, ,Validate=true,Prune=confirm")
	if diff := cmp.Diff(SyncOptions{"Prune=false", "Validate=true", "Prune=confirm"}, options); diff != "" {
		t.Fatalf("the annotation is split at commas, blanks aside (-want +got):\n%s", diff)
	}
	if !options.Has("Prune=false") || options.Has("Prune") || options.Has("Prune=true") {
		t.Error("Has compares whole options")
	}
	cases := map[string]struct {
		reason string
		want   string
		ok     bool
	}{
		SyncOptionPrune:    {reason: "the last of several counts", want: "confirm", ok: true},
		SyncOptionValidate: {reason: "a single one counts", want: "true", ok: true},
		SyncOptionReplace:  {reason: "an absent one has no value"},
	}
	for name, tc := range cases {
		if got, ok := options.Value(name); got != tc.want || ok != tc.ok {
			t.Errorf("%s: Value(%s) = %q, %t", tc.reason, name, got, ok)
		}
	}
	if (*SyncPolicy)(nil).Options() != nil {
		t.Error("an absent policy has no options")
	}
}

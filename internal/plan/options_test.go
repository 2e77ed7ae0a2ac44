package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestMistakes(t *testing.T) {
	cases := map[string]struct {
		reason string
		list   []string
		want   []string
	}{
		"fine":          {"known names with known values", []string{"Prune=confirm", " Validate=false", "CreateNamespace=true", ""}, nil},
		"name":          {"the nearest name is told", []string{"CreateNamespaces=true"}, []string{`the sync option "CreateNamespaces" is not known and has no effect; did you mean "CreateNamespace"?`}},
		"far off":       {"nothing is near", []string{"x=1"}, []string{`the sync option "x" is not known and has no effect`}},
		"value":         {"the values are told", []string{"Delete=never"}, []string{`the sync option Delete has no value "never": write one of true, false, confirm`}},
		"without value": {"an option without a value sets nothing", []string{"Replace"}, []string{`the sync option Replace has no value "": write one of true, false`}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Mistakes(tc.list)); diff != "" {
				t.Errorf("%s: -want +got\n%s", tc.reason, diff)
			}
		})
	}
}

func TestMistakesHaveNoEffect(t *testing.T) {
	before := gitops.Options{PruneDisabled: true, PrunePolicy: "foreground", Replace: true}
	if diff := cmp.Diff(before, ApplyOptions(before, []string{"Prune=no", "PrunePropagationPolicy=now", "Replace", "Replaces=false"})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestOptionsThatAreTooLong are those of live objects, of which the beginning alone is kept.
func TestOptionsThatAreTooLong(t *testing.T) {
	long := strings.Repeat("Replace=true,", gitops.MaxSteering)[:gitops.MaxSteering] + "…"
	got := objectOptions(gitops.Options{NeedsConfirming: true}, map[string]string{gitops.AnnotationSync: long, gitops.AnnotationCompare: "IgnoreExtraneous," + long})
	if diff := cmp.Diff(gitops.Options{NeedsConfirming: true, PruneDisabled: true, DeleteDisabled: true}, got); diff != "" {
		t.Errorf("what cannot be read keeps the object, and says nothing else: -want +got\n%s", diff)
	}
	if h := ParseHook(map[string]string{gitops.AnnotationHook: long}); !h.Is || !h.Ignored {
		t.Errorf("a hook whose phases cannot be read is %+v", h)
	}
}

// TestWhatIsReadOfLiveObjectsIsKept holds the annotations that are kept to those that plans read.
func TestWhatIsReadOfLiveObjectsIsKept(t *testing.T) {
	for _, name := range slices.Concat(listed, []string{
		gitops.AnnotationWave, gitops.AnnotationIgnore, gitops.AnnotationHookRun, helmHookWeight, helmResourcePolicy,
		v1alpha1.AnnotationSkipReconcile, v1alpha1.AnnotationClientSideApplyMigrationManager,
	}) {
		if !gitops.Steers(name) {
			t.Errorf("%s is not kept of live objects", name)
		}
	}
}

func FuzzMistakes(f *testing.F) {
	for _, seed := range []string{"Prune=false,Delete=confirm", "=,==,Validate", "Prüne=true"} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		list := slices.Collect(words(text))
		Mistakes(list)
		ApplyOptions(gitops.Options{}, list)
	})
}

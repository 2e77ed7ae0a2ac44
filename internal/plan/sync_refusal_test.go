package plan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// TestRefusal: what is refused without a cluster is what a sync refuses, or
// cannot apply, with the file.
func TestRefusal(t *testing.T) {
	const file = "file1.yaml"
	homeless, astray, wrong := application(), application(), application()
	homeless.Spec.Destination.Namespace, astray.Spec.Destination.Namespace = "", "../kube-system"
	wrong.Spec.IgnoreDifferences = v1alpha1.IgnoreDifferences{{Kind: "ConfigMap", JQPathExpressions: []string{"]"}}}
	cases := map[string]struct {
		reason string
		app    *v1alpha1.Application
		text   string
		file   string
		want   string
	}{
		"Fine":       {"nothing is wrong", nil, cm("a"), "", ""},
		"Path":       {"a name that would lead elsewhere", nil, cm("../../kube-system/configmaps/x"), file, "it may not contain '/'"},
		"Namespace":  {"so would a namespace", nil, cm("a", ", namespace: ../x"), file, "the namespace"},
		"NoName":     {"an object without a name", nil, "{apiVersion: v1, kind: ConfigMap, metadata: {}}", file, "without a name"},
		"EmptyName":  {"an empty name", nil, cm("''"), file, "without a name"},
		"Generated":  {"a generated name outside of hooks", nil, "{apiVersion: v1, kind: ConfigMap, metadata: {generateName: x-}}", file, "only hooks"},
		"Hook":       {"hooks may have one", nil, "{apiVersion: batch/v1, kind: Job, metadata: {generateName: x-, annotations: {argocd.argoproj.io/hook: PreSync}}}", "", ""},
		"HookPath":   {"but not one that leads elsewhere", nil, "{apiVersion: batch/v1, kind: Job, metadata: {generateName: ../x-, annotations: {argocd.argoproj.io/hook: PreSync}}}", file, "it may not contain '/'"},
		"NoKind":     {"an object without a kind", nil, "{apiVersion: v1, metadata: {name: a}}", file, "without apiVersion and kind"},
		"Unknown":    {"a kind that the cluster may have", nil, strings.ReplaceAll(gadget, "%s", ""), "", ""},
		"Homeless":   {"no namespace at all", homeless, cm("b"), "file0.yaml", "the application's destination has none"},
		"Astray":     {"the destination's namespace", astray, cm("b"), "", "no name of one"},
		"Cluster":    {"a namespace that does not count", nil, "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: 'system:x', namespace: ../x}}", "", ""},
		"Drift":      {"an annotation that cannot be read", nil, cm("a", ", annotations: {"+gitops.AnnotationDrift+": 'never mind'}"), file, "cannot compare"},
		"Difference": {"a rule of the Application that cannot be read", wrong, cm("b"), "", "cannot compare"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.app == nil {
				tc.app = application()
			}
			want := plan.Want{App: tc.app, TrackingName: "app", Manifests: manifests(t, cm("good"), tc.text), Scope: served}
			err := plan.Refusal(want)
			if (err == nil) != (tc.want == "") || (err != nil && !strings.Contains(err.Error(), tc.want)) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			var p *gitops.Problem
			if errors.As(err, &p); p != nil && p.Where.File != tc.file {
				t.Errorf("%s: it is said to be at %q", tc.reason, p.Where.File)
			}
			set, e := plan.Desired(want)
			if name != "Unknown" && (e == nil && faultIn(set) == nil) != (err == nil) {
				t.Errorf("%s: a sync says %v", tc.reason, e)
			}
		})
	}
}

func faultIn(s *plan.Set) error {
	for i := range s.Objects {
		if s.Objects[i].Fault != nil {
			return s.Objects[i].Fault
		}
	}
	return nil
}

// TestRefusalOfLeftAlone: what the engine leaves alone need not be sound.
func TestRefusalOfLeftAlone(t *testing.T) {
	settings, err := plan.ParseSettings(map[string]string{v1alpha1.SettingExclusions: "- {kinds: [ConfigMap]}"})
	if err != nil {
		t.Fatal(err)
	}
	want := plan.Want{App: application(), Manifests: manifests(t, cm("a/b")), Scope: served, Settings: settings}
	if err := plan.Refusal(want); err != nil {
		t.Errorf("a kind that is excluded is not applied, and not refused: %v", err)
	}
}

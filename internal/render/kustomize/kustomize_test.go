package kustomize

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/render/environ"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

func TestParseImage(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         map[string]any
	}{
		"Tag":       {"a new tag", "nginx:1.2", map[string]any{"name": "nginx", "newTag": "1.2"}},
		"Digest":    {"a digest", "nginx@sha256:abc", map[string]any{"name": "nginx", "digest": "sha256:abc"}},
		"Rename":    {"a new name", "nginx=reg:5000/x/nginx", map[string]any{"name": "nginx", "newName": "reg:5000/x/nginx"}},
		"RenameTag": {"a new name and tag", "nginx=reg:5000/nginx:3", map[string]any{"name": "nginx", "newName": "reg:5000/nginx", "newTag": "3"}},
		"All":       {"everything", "a=b:1@sha256:c", map[string]any{"name": "a", "newName": "b", "newTag": "1", "digest": "sha256:c"}},
		"Keep":      {"an asterisk keeps", "a=b:*", map[string]any{"name": "a", "newName": "b", "newTag": "*"}},
		"Nothing":   {"a name alone says nothing", "nginx", nil},
		"Empty":     {"nothing at all", "", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := parseImage(tc.text)
			if !ok {
				got = nil
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func sourceOf(t *testing.T, spec v1alpha1.ApplicationSourceKustomize) *source.Source {
	t.Helper()
	s := &source.Source{
		Name: "app", Path: "app", Env: environ.Env{"ARGOCD_APP_NAME": environ.Text("app"), "N": environ.Text("3")},
		Tree: record.Wrap(t.Context(), treetest.Snapshot("r", "1", treetest.Files{"app/component/kustomization.yaml": "", "app/empty/x": ""}), record.Limits{}),
	}
	s.Spec.Kustomize = &spec
	return s
}

// TestEdit tells how settings change a kustomization.
func TestEdit(t *testing.T) {
	cases := map[string]struct {
		reason string
		file   kustomization
		spec   v1alpha1.ApplicationSourceKustomize
		want   kustomization // nil for an error
	}{
		"Image": {"an entry of the same name is replaced, an asterisk keeps",
			kustomization{"images": []any{map[string]any{"name": "a", "newName": "old", "newTag": "1"}, map[string]any{"name": "z"}}},
			v1alpha1.ApplicationSourceKustomize{Images: v1alpha1.KustomizeImages{"a=*:2", "n:$ARGOCD_APP_NAME"}},
			kustomization{"images": []any{map[string]any{"name": "a", "newName": "old", "newTag": "2"}, map[string]any{"name": "z"}, map[string]any{"name": "n", "newTag": "app"}}}},
		"Replicas": {"a count may be a variable",
			kustomization{},
			v1alpha1.ApplicationSourceKustomize{Replicas: v1alpha1.KustomizeReplicas{{Name: "w", Count: intstr.FromString("$N")}, {Name: "x", Count: intstr.FromInt32(0)}}},
			kustomization{"replicas": []any{map[string]any{"name": "w", "count": int64(3)}, map[string]any{"name": "x", "count": int64(0)}}}},
		"ReplicasText": {"a count that is none", kustomization{},
			v1alpha1.ApplicationSourceKustomize{Replicas: v1alpha1.KustomizeReplicas{{Name: "w", Count: intstr.FromString("many")}}}, nil},
		"ReplicasEmpty": {"an empty count is none, and not zero", kustomization{},
			v1alpha1.ApplicationSourceKustomize{Replicas: v1alpha1.KustomizeReplicas{{Name: "w", Count: intstr.FromString("")}}}, nil},
		"ReplicasLarge": {"a count is no larger than Kubernetes has it", kustomization{},
			v1alpha1.ApplicationSourceKustomize{Replicas: v1alpha1.KustomizeReplicas{{Name: "w", Count: intstr.FromString("2147483648")}}}, nil},
		"ReplicasUnset": {"a variable that nobody set is not zero", kustomization{},
			v1alpha1.ApplicationSourceKustomize{Replicas: v1alpha1.KustomizeReplicas{{Name: "w", Count: intstr.FromString("$NONE")}}}, nil},
		"ReplicasTwice": {"of several for one name the last counts", kustomization{"replicas": []any{map[string]any{"name": "w", "count": int64(1)}, "odd"}},
			v1alpha1.ApplicationSourceKustomize{Replicas: v1alpha1.KustomizeReplicas{{Name: "w", Count: intstr.FromInt32(2)}, {Name: "w", Count: intstr.FromString("4")}}},
			kustomization{"replicas": []any{map[string]any{"name": "w", "count": int64(4)}, "odd"}}},
		"ImageNothing": {"an image without anything new", kustomization{},
			v1alpha1.ApplicationSourceKustomize{Images: v1alpha1.KustomizeImages{"nginx"}}, nil},
		"ImageKeepsNothing": {"an asterisk where there is nothing to keep", kustomization{},
			v1alpha1.ApplicationSourceKustomize{Images: v1alpha1.KustomizeImages{"a=*:*"}},
			kustomization{"images": []any{map[string]any{"name": "a"}}}},
		"ComponentTwice": {"a component is added once, as kustomize edit adds it", kustomization{"components": []any{"x"}},
			v1alpha1.ApplicationSourceKustomize{Components: []string{"y", "x", "y"}},
			kustomization{"components": []any{"x", "y"}}},
		"AnnotationThere": {"an annotation that is there already is an error", kustomization{"commonAnnotations": map[string]any{"a": "1"}},
			v1alpha1.ApplicationSourceKustomize{CommonAnnotations: map[string]string{"a": "1"}}, nil},
		"AnnotationSet": {"variables are filled in where that is asked for", kustomization{},
			v1alpha1.ApplicationSourceKustomize{CommonAnnotations: map[string]string{"a": "$N"}, CommonAnnotationsEnvsubst: true},
			kustomization{"commonAnnotations": map[string]any{"a": "3"}}},
		"LabelTemplates": {"labels of templates are an entry of their own", kustomization{"labels": []any{map[string]any{"pairs": map[string]any{"b": "1"}}}},
			v1alpha1.ApplicationSourceKustomize{CommonLabels: map[string]string{"c": "$ARGOCD_APP_NAME"}, LabelWithoutSelector: true, LabelIncludeTemplates: true},
			kustomization{"labels": []any{map[string]any{"pairs": map[string]any{"b": "1"}}, map[string]any{"pairs": map[string]any{"c": "app"}, "includeTemplates": true}}}},
		"Label": {"a label that is there already is an error", kustomization{"commonLabels": map[string]any{"a": "1"}},
			v1alpha1.ApplicationSourceKustomize{CommonLabels: map[string]string{"a": "2"}}, nil},
		"LabelForce": {"unless it is forced", kustomization{"commonLabels": map[string]any{"a": "1"}},
			v1alpha1.ApplicationSourceKustomize{CommonLabels: map[string]string{"a": "2"}, ForceCommonLabels: true},
			kustomization{"commonLabels": map[string]any{"a": "2"}}},
		"LabelPairs": {"labels without selectors join the entry of the same settings",
			kustomization{"labels": []any{map[string]any{"pairs": map[string]any{"a": "1"}, "includeSelectors": true}, map[string]any{"pairs": map[string]any{"b": "1"}}}},
			v1alpha1.ApplicationSourceKustomize{CommonLabels: map[string]string{"c": "1"}, LabelWithoutSelector: true},
			kustomization{"labels": []any{map[string]any{"pairs": map[string]any{"a": "1"}, "includeSelectors": true}, map[string]any{"pairs": map[string]any{"b": "1", "c": "1"}}}}},
		"Annotation": {"annotations are taken as they are without envsubst", kustomization{},
			v1alpha1.ApplicationSourceKustomize{CommonAnnotations: map[string]string{"a": "$N"}},
			kustomization{"commonAnnotations": map[string]any{"a": "$N"}}},
		"Components": {"missing components are left out where that is allowed", kustomization{"components": []any{"x"}},
			v1alpha1.ApplicationSourceKustomize{Components: []string{"component", "gone", "empty"}, IgnoreMissingComponents: true},
			kustomization{"components": []any{"x", "component"}}},
		"Texts": {"names and namespace", kustomization{"namePrefix": "old-"},
			v1alpha1.ApplicationSourceKustomize{NamePrefix: "p-", NameSuffix: "-s", Namespace: "n"},
			kustomization{"namePrefix": "p-", "nameSuffix": "-s", "namespace": "n"}},
		"Patch": {"patches come last", kustomization{"patches": []any{map[string]any{"path": "a"}}},
			v1alpha1.ApplicationSourceKustomize{Patches: v1alpha1.KustomizePatches{{Path: "b", Target: &v1alpha1.KustomizeSelector{Kind: "K"}}}},
			kustomization{"patches": []any{map[string]any{"path": "a"}, map[string]any{"path": "b", "target": map[string]any{"kind": "K"}}}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := edit(sourceOf(t, tc.spec), tc.file)
			if (err != nil) != (tc.want == nil) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, tc.file); err == nil && diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFieldsInAnyCase: the library reads them so, and settings are put where it finds
// them. Of two that are one field, the one as it is documented counts, each time.
func TestFieldsInAnyCase(t *testing.T) {
	for name, tc := range map[string]struct {
		reason     string
		file, want kustomization
	}{
		"Other":   {"another case", kustomization{"NAMEPREFIX": "a-", "Images": []any{}}, kustomization{"namePrefix": "a-", "images": []any{}}},
		"Both":    {"as documented, and otherwise", kustomization{"nameprefix": "a-", "namePrefix": "b-", "NAMEPREFIX": "c-"}, kustomization{"namePrefix": "b-"}},
		"Neither": {"in two other ways", kustomization{"nameprefix": "a-", "NAMEPREFIX": "c-"}, kustomization{"namePrefix": "a-"}},
		"Unknown": {"what is no field is the library's to refuse", kustomization{"myField": "a"}, kustomization{"myField": "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			for range 10 { // the order of a map is another one each time
				if diff := cmp.Diff(tc.want, tc.file.canonical()); diff != "" {
					t.Fatalf("%s: -want +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}

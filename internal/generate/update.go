package generate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// kept annotations belong to others, whatever the set says.
var keptAnnotations = []string{
	"notified.notifications.argoproj.io", v1alpha1.AnnotationRefresh, v1alpha1.AnnotationHydrate,
	v1alpha1.AnnotationDeletionApproved, gitops.AnnotationDeletionApproval,
}

// kept finalizers are put there for hooks of deletion; they may have a suffix.
var keptFinalizers = []string{v1alpha1.FinalizerPreDelete, v1alpha1.FinalizerPostDelete}

// Merge gives what a live Application is to become: the generated one, with
// what an update keeps of the live one. Those are its status and operation,
// metadata that preservedFields name, finalizers of deletion hooks, and fields
// that ignoreApplicationDifferences name. changed is false when nothing is to
// be written. Neither argument is modified.
//
// As in Argo CD an ignored item of a list is lost when something else in that
// list changes: the list is written as a whole.
func Merge(live, generated *v1alpha1.Application, set *v1alpha1.ApplicationSet) (desired *v1alpha1.Application, changed bool, err error) {
	want := overlaid(live, generated, set)
	have := normalized(live)
	have, err = withoutIgnored(have, live.Name, set.Spec.IgnoreApplicationDifferences)
	if err != nil {
		return nil, false, err
	}
	shown, err := withoutIgnored(normalized(want), live.Name, set.Spec.IgnoreApplicationDifferences)
	if err != nil {
		return nil, false, err
	}
	// What a filter must never reach.
	shown.TypeMeta, shown.Name, shown.Namespace, shown.Operation = want.TypeMeta, want.Name, want.Namespace, want.Operation
	have.TypeMeta = want.TypeMeta
	if equality.Semantic.DeepEqual(have, shown) {
		return live.DeepCopy(), false, nil
	}
	desired, err = applyDifference(live, have, shown)
	return desired, true, err
}

// overlaid is the live Application with everything that the set decides.
func overlaid(live, generated *v1alpha1.Application, set *v1alpha1.ApplicationSet) *v1alpha1.Application {
	out, from := live.DeepCopy(), generated.DeepCopy()
	out.TypeMeta = from.TypeMeta
	out.Spec = from.Spec
	if from.Operation != nil {
		out.Operation = from.Operation
	}
	var annotations, labels []string
	if f := set.Spec.PreservedFields; f != nil {
		annotations, labels = f.Annotations, f.Labels
	}
	out.Annotations = preserved(from.Annotations, live.Annotations, slices.Concat(annotations, keptAnnotations))
	out.Labels = preserved(from.Labels, live.Labels, labels)
	out.Finalizers = from.Finalizers
	for _, prefix := range keptFinalizers {
		for _, f := range live.Finalizers {
			if strings.HasPrefix(f, prefix) && !slices.Contains(out.Finalizers, f) {
				out.Finalizers = append(out.Finalizers, f)
			}
		}
	}
	return out
}

func preserved(generated, live map[string]string, keys []string) map[string]string {
	out := maps.Clone(generated)
	for _, k := range keys {
		value, ok := live[k]
		if !ok {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[k] = value
	}
	return out
}

// applyDifference lays what differs between two versions of an Application
// over a third one.
func applyDifference(to, before, after *v1alpha1.Application) (*v1alpha1.Application, error) {
	var texts [3][]byte
	for i, app := range []*v1alpha1.Application{to, before, after} {
		text, err := json.Marshal(app)
		if err != nil {
			return nil, fmt.Errorf("cannot write Application %s: %w", to.Name, err)
		}
		texts[i] = text
	}
	patch, err := jsonpatch.CreateMergePatch(texts[1], texts[2])
	if err != nil {
		return nil, fmt.Errorf("cannot compare Application %s: %w", to.Name, err)
	}
	merged, err := jsonpatch.MergePatch(texts[0], patch)
	if err != nil {
		return nil, fmt.Errorf("cannot change Application %s: %w", to.Name, err)
	}
	out := &v1alpha1.Application{}
	if err := json.Unmarshal(merged, out); err != nil {
		return nil, fmt.Errorf("cannot read the changed Application %s: %w", to.Name, err)
	}
	return out, nil
}

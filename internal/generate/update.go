package generate

import (
	"context"
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
// what an update keeps of the live one. Those are its status, its operation but for
// one that was asked for in another project, metadata that preservedFields name,
// finalizers of deletion hooks, and fields that ignoreApplicationDifferences name.
// changed is false, and desired nil, when nothing is to be written. Neither argument
// is modified.
//
// As in Argo CD an ignored item of a list is lost when something else in that
// list changes: the list is written as a whole.
//
// The evaluations of ignoreApplicationDifferences count for the context's share of
// time: see Comparing.
func Merge(ctx context.Context, live, generated *v1alpha1.Application, set *v1alpha1.ApplicationSet) (desired *v1alpha1.Application, changed bool, err error) {
	says := decided(live, generated, set)
	if len(set.Spec.IgnoreApplicationDifferences) == 0 && agrees(live, says) {
		return nil, false, nil // as nearly all of a large set do at each look
	}
	want := overlaid(live, says)
	have := normalized(live)
	have, err = withoutIgnored(ctx, have, live.Name, set.Spec.IgnoreApplicationDifferences)
	if err != nil {
		return nil, false, err
	}
	shown, err := withoutIgnored(ctx, normalized(want), live.Name, set.Spec.IgnoreApplicationDifferences)
	if err != nil {
		return nil, false, err
	}
	// What a filter must never reach.
	shown.TypeMeta, shown.Name, shown.Namespace, shown.Operation = want.TypeMeta, want.Name, want.Namespace, want.Operation
	have.TypeMeta = want.TypeMeta
	if equality.Semantic.DeepEqual(have, shown) {
		return nil, false, nil
	}
	desired, err = applyDifference(live, have, shown)
	return desired, true, err
}

// decided has everything that the set decides of a live Application, and nothing
// else. It shares what the two have, and must not be modified.
func decided(live, generated *v1alpha1.Application, set *v1alpha1.ApplicationSet) *v1alpha1.Application {
	out := &v1alpha1.Application{TypeMeta: generated.TypeMeta, Spec: generated.Spec, Operation: generated.Operation}
	// Who may write for one project asks for nothing that another one carries out.
	if out.Operation == nil && live.Spec.GetProject() == generated.Spec.GetProject() {
		out.Operation = live.Operation
	}
	var annotations, labels []string
	if f := set.Spec.PreservedFields; f != nil {
		annotations, labels = f.Annotations, f.Labels
	}
	out.Annotations = preserved(generated.Annotations, live.Annotations, slices.Concat(annotations, keptAnnotations))
	out.Labels = preserved(generated.Labels, live.Labels, labels)
	out.Finalizers = slices.Clone(generated.Finalizers)
	for _, prefix := range keptFinalizers {
		for _, f := range live.Finalizers {
			if strings.HasPrefix(f, prefix) && !slices.Contains(out.Finalizers, f) {
				out.Finalizers = append(out.Finalizers, f)
			}
		}
	}
	return out
}

// agrees tells of a live Application that it is as the set decides, without
// copies of it: most of one is its status. Where it differs in what means nothing
// it does not.
func agrees(live, says *v1alpha1.Application) bool {
	return maps.Equal(live.Labels, says.Labels) && maps.Equal(live.Annotations, says.Annotations) && slices.Equal(live.Finalizers, says.Finalizers) &&
		equality.Semantic.DeepEqual(live.Operation, says.Operation) && equality.Semantic.DeepEqual(&live.Spec, &says.Spec)
}

// overlaid is the live Application with everything that the set decides.
func overlaid(live, says *v1alpha1.Application) *v1alpha1.Application {
	out, from := live.DeepCopy(), says.DeepCopy()
	out.TypeMeta, out.Spec, out.Operation = from.TypeMeta, from.Spec, from.Operation
	out.Annotations, out.Labels, out.Finalizers = from.Annotations, from.Labels, from.Finalizers
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

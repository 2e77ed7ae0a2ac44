package difference

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Input is what is compared. Desired and Live may be nil, but not both; they
// are not changed.
type Input struct {
	Desired, Live *unstructured.Unstructured
	// Rules say what does not count; nil lets everything count but the status.
	Rules *Rules
	// ServerSide predicts by field ownership, as a server-side apply works.
	ServerSide bool
	// Manager is the field manager of ServerSide.
	Manager string
}

// Result is the outcome of a comparison.
type Result struct {
	// Modified tells that a sync would change the object.
	Modified bool
	// Live and Predicted are the two sides that were compared, nil where
	// there is none.
	Live, Predicted map[string]any
}

// Of compares a desired object with a live one.
func Of(ctx context.Context, in Input) (out Result, err error) {
	// The libraries that merge patches panic on some objects that no API
	// server would have taken.
	defer func() {
		if p := recover(); p != nil {
			out, err = Result{}, gitops.Problemf(gitops.Invalid, "cannot compare: %v", p)
		}
	}()
	if in.Desired == nil && in.Live == nil {
		return Result{}, errors.New("cannot compare nothing with nothing")
	}
	if in.Rules == nil {
		in.Rules = defaultRules()
	}
	desired, live := clone(in.Desired), clone(in.Live)
	adoptTracking(desired, live, in.Rules.settings.Tracking)
	desired, live, err = in.Rules.withoutManaged(desired, live)
	if err != nil {
		return Result{}, err
	}
	rules := in.Rules.with(in.Desired)
	for _, side := range []**unstructured.Unstructured{&desired, &live} {
		if *side == nil {
			continue
		}
		if *side, err = retyped(*side); err != nil {
			return Result{}, err
		}
		if err := rules.normalize(ctx, *side); err != nil {
			return Result{}, err
		}
	}
	switch {
	case live == nil:
		return Result{Modified: true, Predicted: desired.Object}, nil
	case desired == nil:
		return Result{Live: live.Object}, nil
	case in.ServerSide || hasOption(desired, gitops.AnnotationSync, "ServerSideApply=true"):
		return structured(ctx, desired, live, in.Manager)
	}
	return rules.threeWay(ctx, desired, live)
}

// threeWay takes last-applied as the origin of the three, or the desired
// object where live has none that can be read.
func (r *Rules) threeWay(ctx context.Context, desired, live *unstructured.Unstructured) (Result, error) {
	if origin := gitops.LastApplied(live); origin != nil {
		if err := r.normalize(ctx, origin); err != nil {
			return Result{}, err
		}
		if result, err := merged(ctx, origin, desired, live); err == nil {
			return result, nil
		}
	}
	return merged(ctx, desired, desired, live)
}

func clone(o *unstructured.Unstructured) *unstructured.Unstructured {
	if o == nil {
		return nil
	}
	return o.DeepCopy()
}

// verdict compares the two sides as JSON with sorted keys.
func verdict(live, predicted []byte) (Result, error) {
	out := Result{Modified: !bytes.Equal(live, predicted)}
	if err := json.Unmarshal(live, &out.Live); err != nil {
		return Result{}, fmt.Errorf("cannot read the live object: %w", err)
	}
	if err := json.Unmarshal(predicted, &out.Predicted); err != nil {
		return Result{}, fmt.Errorf("cannot read the predicted object: %w", err)
	}
	return out, nil
}

// hasOption finds an option in an annotation that lists some.
func hasOption(o *unstructured.Unstructured, annotation, option string) bool {
	for item := range strings.SplitSeq(o.GetAnnotations()[annotation], ",") {
		if strings.EqualFold(strings.TrimSpace(item), option) {
			return true
		}
	}
	return false
}

// adoptTracking lets an object that was marked by a label count as marked by
// the annotation, where that is the method now: a change of the method alone
// is no difference. An annotation that names somebody else stays one.
func adoptTracking(desired, live *unstructured.Unstructured, t gitops.Tracking) {
	if desired == nil || live == nil || t.Method == gitops.TrackByLabel {
		return
	}
	label := t.Label
	if label == "" {
		label = gitops.LabelInstance
	}
	labels := live.GetLabels()
	if labels[label] == "" || live.GroupVersionKind().Kind == "CustomResourceDefinition" {
		return
	}
	annotations := live.GetAnnotations()
	if id := desired.GetAnnotations()[gitops.AnnotationTracking]; annotations[gitops.AnnotationTracking] == "" && id != "" {
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[gitops.AnnotationTracking] = id
		live.SetAnnotations(annotations)
	}
	if desired.GetLabels()[label] != "" {
		return
	}
	if delete(labels, label); len(labels) == 0 {
		labels = nil
	}
	live.SetLabels(labels)
}

// sortedKeys is for outcomes that do not depend on the order of a map.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

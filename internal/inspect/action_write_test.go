package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/causeway-gitops/causeway/internal/observe/action"
)

// patches notes what is sent. Each one that is not tried makes another version of the object.
type patches struct {
	dynamic.ResourceInterface

	sent   []string
	status error // what the subresource answers
}

func (p *patches) Patch(_ context.Context, name string, _ types.PatchType, data []byte, o metav1.PatchOptions, sub ...string) (*unstructured.Unstructured, error) {
	var body map[string]any
	if err := json.Unmarshal(data, &body); err != nil {
		return nil, err
	}
	p.sent = append(p.sent, strings.TrimSpace(fmt.Sprint(name, sub, " ", string(data), " ", strings.Join(o.DryRun, ""))))
	if len(sub) > 0 && p.status != nil {
		return nil, p.status
	}
	out := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": name, "resourceVersion": "7"}}}
	if len(o.DryRun) > 0 {
		out.SetResourceVersion("8") // which no object has
	}
	return out, nil
}

// An action changes the object that it was worked out for, and no newer one: each part of
// it names the version that it was made from. A status goes by its subresource, where
// the kind has one.
func TestActionsAreOfOneVersion(t *testing.T) {
	live := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "web", "resourceVersion": "6"}}}
	spec := map[string]any{"spec": map[string]any{"paused": true}}
	label := map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}}
	done := map[string]any{"phase": "done"}
	gone := apierrors.NewNotFound(schema.GroupResource{Resource: "webs"}, "web")
	for name, tc := range map[string]struct {
		reason string
		change action.Change
		dryRun bool
		status error
		want   []string
		fails  bool
	}{
		"Spec":       {"it names the version that was read", action.Change{Patch: spec}, false, nil, []string{`web[] {"metadata":{"resourceVersion":"6"},"spec":{"paused":true}}`}, false},
		"Metadata":   {"beside what it changes there", action.Change{Patch: label}, false, nil, []string{`web[] {"metadata":{"labels":{"a":"b"},"resourceVersion":"6"}}`}, false},
		"Status":     {"it goes by the subresource", action.Change{StatusPatch: done}, false, nil, []string{`web[status] {"metadata":{"resourceVersion":"6"},"status":{"phase":"done"}}`}, false},
		"Both":       {"the status is that of what was just written", action.Change{Patch: spec, StatusPatch: done}, false, nil, []string{`web[] {"metadata":{"resourceVersion":"6"},"spec":{"paused":true}}`, `web[status] {"metadata":{"resourceVersion":"7"},"status":{"phase":"done"}}`}, false},
		"Tried":      {"a try writes nothing: the version stays", action.Change{Patch: spec, StatusPatch: done}, true, nil, []string{`web[] {"metadata":{"resourceVersion":"6"},"spec":{"paused":true}} All`, `web[status] {"metadata":{"resourceVersion":"6"},"status":{"phase":"done"}} All`}, false},
		"No status":  {"a kind without the subresource has it with the rest", action.Change{StatusPatch: done}, false, gone, []string{`web[status] {"metadata":{"resourceVersion":"6"},"status":{"phase":"done"}}`, `web[] {"metadata":{"resourceVersion":"6"},"status":{"phase":"done"}}`}, false},
		"Denied":     {"what may not be written is written nowhere else", action.Change{StatusPatch: done}, false, errors.New("denied"), []string{`web[status] {"metadata":{"resourceVersion":"6"},"status":{"phase":"done"}}`}, true},
		"Nothing":    {"there is nothing to change", action.Change{}, false, nil, nil, false},
		"No version": {"what is no JSON is not sent", action.Change{Patch: map[string]any{"spec": func() {}}}, false, nil, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := &patches{status: tc.status}
			a := &acting{act: Act{DryRun: tc.dryRun}}
			got, err := a.patch(t.Context(), p, live, &tc.change)
			if (err != nil) != tc.fails || (got == nil) != tc.fails {
				t.Errorf("%s: got %v, %v", tc.reason, got, err)
			}
			if diff := cmp.Diff(tc.want, p.sent); diff != "" {
				t.Errorf("%s: sent (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

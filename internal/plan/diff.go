package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
)

// Diff is what a sync would change of one object, for people. What the API
// server keeps for itself, and the status, are left out; the values of
// Secrets are replaced by marks.
type Diff struct {
	Key     gitops.Key
	Changes []Change

	live, predicted map[string]any
	// brief reports whether one change stands for all.
	brief bool
}

// Change is one field that changes. Old is nil for a new field, New for one
// that goes.
type Change struct {
	// Path has the form spec.containers[name=web].image.
	Path     string
	Old, New any
}

// NewDiff compares a live object with what an apply would make of it. Either
// may be nil. Annotations of Secrets that are named have their values hidden, too.
func NewDiff(live, predicted *unstructured.Unstructured, hidden ...string) (Diff, error) {
	d, err := Beside(live, predicted, hidden...)
	if err != nil {
		return Diff{}, err
	}
	d.Changes = compared(d.live, d.predicted)
	return d, nil
}

// Beside puts two objects side by side, as NewDiff does, without looking for what
// differs.
func Beside(live, predicted *unstructured.Unstructured, hidden ...string) (Diff, error) {
	if live == nil && predicted == nil {
		return Diff{}, errors.New("cannot compare nothing with nothing")
	}
	key := keyOf(live, predicted)
	if key.Kind == "Secret" && key.Group == "" {
		var err error
		if predicted, live, err = redact.Marks(predicted, live, hidden); err != nil {
			return Diff{}, fmt.Errorf("cannot show %s: %w", key, err)
		}
	}
	predicted, live = redact.HeldMarks(predicted, live)
	return Diff{Key: key, live: readable(live), predicted: readable(predicted)}, nil
}

// compared are the fields that differ; one whole object where there is no other.
func compared(live, predicted map[string]any) []Change {
	switch {
	case live == nil:
		return []Change{{New: predicted}}
	case predicted == nil:
		return []Change{{Old: live}}
	}
	return changes(live, predicted)
}

// Without is the difference with marks in place of texts that were decrypted.
func (d Diff) Without(known redact.Known) Diff {
	predicted, live := known.Sides(wrapped(d.predicted), wrapped(d.live))
	d.live, d.predicted = unwrapped(live), unwrapped(predicted)
	if d.brief {
		d.Changes = whole(d.live, d.predicted)
		return d
	}
	d.Changes = compared(d.live, d.predicted)
	return d
}

func wrapped(content map[string]any) *unstructured.Unstructured {
	if content == nil {
		return nil
	}
	return &unstructured.Unstructured{Object: content}
}

func unwrapped(o *unstructured.Unstructured) map[string]any {
	if o == nil {
		return nil
	}
	return o.Object
}

// ToldDiff is a difference that was made elsewhere: what it hides is hidden already.
func ToldDiff(key gitops.Key, changes []Change, live, predicted map[string]any) Diff {
	return Diff{Key: key, Changes: changes, live: live, predicted: predicted}
}

func keyOf(live, predicted *unstructured.Unstructured) gitops.Key {
	if predicted != nil {
		return gitops.KeyOf(predicted)
	}
	return gitops.KeyOf(live)
}

// Empty reports whether nothing changes.
func (d Diff) Empty() bool { return len(d.Changes) == 0 }

// Unified is the difference as text, as diff -u prints it; empty when there is none.
func (d Diff) Unified() (string, error) {
	if d.Empty() {
		return "", nil
	}
	before, err := d.lines(d.live)
	if err != nil {
		return "", err
	}
	after, err := d.lines(d.predicted)
	if err != nil {
		return "", err
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: before, B: after, FromFile: "live " + d.Key.String(), ToFile: "desired " + d.Key.String(), Context: 3,
	})
	if err != nil {
		return "", fmt.Errorf("cannot print the difference of %s: %w", d.Key, err)
	}
	return text, nil
}

// Sides are both objects as YAML, or as JSON where that would be little but
// indentation; empty for one that is not there.
func (d Diff) Sides() (live, predicted string, err error) {
	for _, side := range []struct {
		text *string
		of   map[string]any
	}{{&live, d.live}, {&predicted, d.predicted}} {
		if side.of == nil {
			continue
		}
		text, err := d.marshal(side.of)
		if err != nil {
			return "", "", fmt.Errorf("cannot print %s: %w", d.Key, err)
		}
		*side.text = string(text)
	}
	return live, predicted, nil
}

// marshal writes one side, in the form that both have.
func (d Diff) marshal(side map[string]any) ([]byte, error) {
	if bounded.Indented(d.live, d.predicted) {
		return json.Marshal(side)
	}
	return yaml.Marshal(side)
}

func (d Diff) lines(o map[string]any) ([]string, error) {
	if o == nil {
		return nil, nil
	}
	text, err := d.marshal(o)
	if err != nil {
		return nil, fmt.Errorf("cannot print an object: %w", err)
	}
	return difflib.SplitLines(strings.TrimSuffix(string(text), "\n")), nil
}

// readable copies an object without what no person writes.
func readable(o *unstructured.Unstructured) map[string]any {
	if o == nil {
		return nil
	}
	return difference.Content(o.Object)
}

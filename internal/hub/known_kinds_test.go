package hub

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// counting counts how often it is asked, and fails the first time.
type counting struct {
	meta.RESTMapper

	asked int
}

func (c *counting) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	if c.asked++; c.asked == 1 {
		return nil, errors.New("not now")
	}
	return &meta.RESTMapping{GroupVersionKind: kind.WithVersion(versions[0])}, nil
}

// TestKnownKindsAreAskedForOnce: what fails is asked for again, and so are kinds that
// come and go.
func TestKnownKindsAreAskedForOnce(t *testing.T) {
	inner := &counting{}
	k := &knownKinds{RESTMapper: inner}
	own := schema.GroupKind{Group: v1alpha1.Group, Kind: v1alpha1.ApplicationKind}
	if _, err := k.RESTMapping(own, v1alpha1.Version); err == nil {
		t.Error("a failure is no answer")
	}
	for range 3 {
		if m, err := k.RESTMapping(own, v1alpha1.Version); err != nil || m.GroupVersionKind.Kind != own.Kind {
			t.Errorf("got %v, %v", m, err)
		}
	}
	if inner.asked != 2 {
		t.Errorf("asked %d times, want 2", inner.asked)
	}
	for range 2 {
		if _, err := k.RESTMapping(schema.GroupKind{Group: "example.com", Kind: "Widget"}, "v1"); err != nil {
			t.Error(err)
		}
	}
	if inner.asked != 4 {
		t.Errorf("asked %d times, want 4", inner.asked)
	}
}

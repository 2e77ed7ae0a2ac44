package operation

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func claimed() *v1alpha1.Operation {
	return &v1alpha1.Operation{
		InitiatedBy: v1alpha1.OperationInitiator{Automated: true},
		Info:        []v1alpha1.Info{{Name: gitops.InfoRollback, Value: "3"}, {Name: "causeway.io/deletions-approved", Value: "9999"}, {Name: "note", Value: "mine"}},
		Sync: &v1alpha1.SyncOperation{Source: &v1alpha1.ApplicationSource{
			RepoURL: "https://h/r", Helm: &v1alpha1.ApplicationSourceHelm{ValuesObject: &runtime.RawExtension{Raw: []byte(`{"b":1,"a":2.50}`)}},
		}},
	}
}

// TestSeal changes what was sealed, and asks whether it is the engine's word still.
func TestSeal(t *testing.T) {
	const uid = types.UID("one")
	began := metav1.NewTime(time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC))
	cases := map[string]struct {
		reason string
		change func(op *v1alpha1.Operation, uid *types.UID, began *metav1.Time)
		want   bool
	}{
		"Same": {"nothing changed", func(*v1alpha1.Operation, *types.UID, *metav1.Time) {}, true},
		"Ordered": {"an API server orders keys", func(op *v1alpha1.Operation, _ *types.UID, _ *metav1.Time) {
			op.Sync.Source.Helm.ValuesObject.Raw = []byte(`{"a":2.50,"b":1}`)
		}, true},
		"App":    {"copied from another Application", func(_ *v1alpha1.Operation, uid *types.UID, _ *metav1.Time) { *uid = "two" }, false},
		"Time":   {"copied from an earlier operation", func(_ *v1alpha1.Operation, _ *types.UID, at *metav1.Time) { at.Time = at.Add(time.Second) }, false},
		"Asked":  {"as if it were asked for", func(_ *v1alpha1.Operation, _ *types.UID, at *metav1.Time) { *at = metav1.Time{} }, false},
		"Source": {"with another source", func(op *v1alpha1.Operation, _ *types.UID, _ *metav1.Time) { op.Sync.Source.RepoURL = "https://h/other" }, false},
		"Info":   {"with another claim", func(op *v1alpha1.Operation, _ *types.UID, _ *metav1.Time) { op.Info[1].Value = "10000" }, false},
		"By":     {"in another name", func(op *v1alpha1.Operation, _ *types.UID, _ *metav1.Time) { op.InitiatedBy.Username = "ann" }, false},
		"Bare":   {"without a seal", func(op *v1alpha1.Operation, _ *types.UID, _ *metav1.Time) { op.Info = op.Info[:3] }, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, op, uid, at := NewSeal([]byte("secret")), claimed(), uid, began
			s.Stamp(uid, at, op)
			s.Stamp(uid, at, op) // again changes nothing
			tc.change(op, &uid, &at)
			if got := s.Genuine(uid, at, op); got != tc.want {
				t.Errorf("%s: got %t", tc.reason, got)
			}
			if NewSeal([]byte("another")).Genuine(uid, at, op) || NewSeal(nil).Genuine(uid, at, op) {
				t.Errorf("%s: it is genuine by another secret", tc.reason)
			}
		})
	}
}

// TestDisown takes what only the engine may say, and leaves what people may ask for.
func TestDisown(t *testing.T) {
	op := claimed()
	if took := Disown(op); !slices.Equal(took, []string{"initiatedBy.automated", "causeway.io/deletions-approved"}) {
		t.Errorf("it took %v", took)
	}
	if op.InitiatedBy.Automated || Claims(op) {
		t.Errorf("it still claims something: %+v", op)
	}
	text, _ := json.Marshal(op.Info) //nolint:errchkjson // texts always encode
	want := `[{"name":"causeway.io/rollback","value":"3"},{"name":"note","value":"mine"},{"name":"causeway.io/ignored","value":"initiatedBy.automated, causeway.io/deletions-approved"}]`
	if string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
	if took := Disown(op); took != nil {
		t.Errorf("the second time it took %v", took)
	}
}

// TestWhoAsked tells a name that the engine knows from one that anybody wrote.
func TestWhoAsked(t *testing.T) {
	s := NewSeal(nil)
	op := &v1alpha1.Operation{InitiatedBy: v1alpha1.OperationInitiator{Username: "ann"}}
	if got := By(op); got != "ann (unverified)" {
		t.Errorf("anybody may have written it, and it is %q", got)
	}
	s.Vouch("one", op)
	if got := By(op); got != "ann" || !s.Genuine("one", metav1.Time{}, op) {
		t.Errorf("the engine knows who it was, and it is %q", got)
	}
	op.InitiatedBy.Username = "bob"
	if !s.Genuine("one", metav1.Time{}, op) {
		Disown(op)
	}
	if got := By(op); got != "bob (unverified)" {
		t.Errorf("another name in its place is %q", got)
	}
}

// FuzzDisown holds that nothing is left to claim, whatever somebody writes.
func FuzzDisown(f *testing.F) {
	text, _ := json.Marshal(claimed()) //nolint:errchkjson // it was made just now
	f.Add(text)
	f.Add([]byte(`{"initiatedBy":{"automated":true,"username":"applicationset-controller"},"info":[{"name":"causeway.io/seal"},{"name":"causeway.io/ignored"}]}`))
	s := NewSeal([]byte("secret"))
	f.Fuzz(func(t *testing.T, text []byte) {
		op := &v1alpha1.Operation{}
		if json.Unmarshal(text, op) != nil {
			return
		}
		if s.Genuine("one", metav1.Time{}, op) {
			t.Fatalf("it is genuine: %s", text)
		}
		if Disown(op); Claims(op) || has(op, infoSeal) {
			t.Fatalf("it still claims something: %+v", op)
		}
	})
}

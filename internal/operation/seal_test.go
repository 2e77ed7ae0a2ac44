package operation

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

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
	began := v1alpha1.NewTime(time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC))
	cases := map[string]struct {
		reason string
		change func(op *v1alpha1.Operation, uid *types.UID, began *v1alpha1.Time)
		want   bool
	}{
		"Same": {"nothing changed", func(*v1alpha1.Operation, *types.UID, *v1alpha1.Time) {}, true},
		"Ordered": {"an API server orders keys", func(op *v1alpha1.Operation, _ *types.UID, _ *v1alpha1.Time) {
			op.Sync.Source.Helm.ValuesObject.Raw = []byte(`{"a":2.50,"b":1}`)
		}, true},
		"App":   {"copied from another Application", func(_ *v1alpha1.Operation, uid *types.UID, _ *v1alpha1.Time) { *uid = "two" }, false},
		"Time":  {"copied from an earlier operation", func(_ *v1alpha1.Operation, _ *types.UID, at *v1alpha1.Time) { at.Time = at.Add(time.Second) }, false},
		"Asked": {"as if it were asked for", func(_ *v1alpha1.Operation, _ *types.UID, at *v1alpha1.Time) { *at = v1alpha1.Time{} }, false},
		"Source": {"with another source", func(op *v1alpha1.Operation, _ *types.UID, _ *v1alpha1.Time) {
			op.Sync.Source.RepoURL = "https://h/other"
		}, false},
		"Info": {"with another claim", func(op *v1alpha1.Operation, _ *types.UID, _ *v1alpha1.Time) { op.Info[1].Value = "10000" }, false},
		"By":   {"in another name", func(op *v1alpha1.Operation, _ *types.UID, _ *v1alpha1.Time) { op.InitiatedBy.Username = "ann" }, false},
		"Bare": {"without a seal", func(op *v1alpha1.Operation, _ *types.UID, _ *v1alpha1.Time) { op.Info = op.Info[:3] }, false},
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
	s.Vouch("one", op, NewRequest(time.Now()))
	if got := By(op); got != "ann" || !s.Genuine("one", v1alpha1.Time{}, op) {
		t.Errorf("the engine knows who it was, and it is %q", got)
	}
	op.InitiatedBy.Username = "bob"
	if !s.Genuine("one", v1alpha1.Time{}, op) {
		Disown(op)
	}
	if got := By(op); got != "bob (unverified)" {
		t.Errorf("another name in its place is %q", got)
	}
}

// FuzzDisown holds that nothing is left to claim, whatever somebody writes, and
// that what people may ask for stays.
func FuzzDisown(f *testing.F) {
	text, _ := json.Marshal(claimed()) //nolint:errchkjson // it was made just now
	f.Add(text)
	f.Add([]byte(`{"initiatedBy":{"automated":true,"username":"applicationset-controller"},"info":[{"name":"causeway.io/seal"},{"name":"causeway.io/ignored"}]}`))
	f.Add([]byte(`{"info":[{"name":"causeway.io/initiator-known","value":"true"},{"name":"causeway.io/began"},{"name":"causeway.io/held-at"}],"initiatedBy":{"username":"ann"}}`))
	f.Add([]byte(`{"info":[null,{"value":"x"},{"name":"causeway.io/"},{"name":"note"},{"name":"note"}],"Info":[{"name":"causeway.io/began"}]}`))
	s := NewSeal([]byte("secret"))
	mayStay := []string{"causeway.io/rollback", "causeway.io/ignore-dependencies", "causeway.io/manifests", "causeway.io/ignored"}
	f.Fuzz(func(t *testing.T, text []byte) {
		op, before := &v1alpha1.Operation{}, &v1alpha1.Operation{}
		if json.Unmarshal(text, op) != nil || json.Unmarshal(text, before) != nil {
			return
		}
		if s.Genuine("one", v1alpha1.Time{}, op) {
			t.Fatalf("it is genuine: %s", text)
		}
		took := Disown(op)
		if Claims(op) || has(op, gitops.InfoSeal) || has(op, gitops.InfoBegan) || op.InitiatedBy.Automated || op.InitiatedBy.Username == "applicationset-controller" {
			t.Fatalf("it still claims something: %+v", op)
		}
		if by := By(op); op.InitiatedBy.Username != "" && !strings.HasSuffix(by, "(unverified)") {
			t.Errorf("the engine knows %q", by)
		}
		if !reflect.DeepEqual(op.Sync, before.Sync) || !reflect.DeepEqual(op.Retry, before.Retry) {
			t.Errorf("what was asked for is another thing: %+v", op.Sync)
		}
		ours := func(i v1alpha1.Info) bool { return i.Name == "causeway.io/ignored" }
		want := slices.DeleteFunc(before.Info, func(i v1alpha1.Info) bool {
			return strings.HasPrefix(i.Name, "causeway.io/") && !slices.Contains(mayStay, i.Name) || len(took) > 0 && ours(i)
		})
		got := op.Info
		if len(took) > 0 {
			got = got[:len(got)-1] // what it took
		}
		if !slices.Equal(got, want) {
			t.Errorf("the info is %v, want %v", got, want)
		}
	})
}

// FuzzGenuine changes the text of what was sealed, and asks whether it is the
// engine's word still: only where it says the same.
func FuzzGenuine(f *testing.F) {
	s, op := NewSeal([]byte("secret")), claimed()
	s.Stamp("one", v1alpha1.Time{}, op)
	sealed, _ := json.Marshal(op) //nolint:errchkjson // it was made just now
	f.Add(0, 0, []byte(nil))
	f.Add(len(sealed)-1, 0, []byte(`,"retry":{"limit":9}`))
	f.Add(bytes.Index(sealed, []byte("9999")), 4, []byte("10000"))
	f.Add(bytes.Index(sealed, []byte("2.50")), 4, []byte("2.5"))
	f.Add(1, 0, []byte(`"info":[{"name":"causeway.io/began","value":"true"}],`))
	f.Fuzz(func(t *testing.T, at, length int, by []byte) {
		if at < 0 || length < 0 || at > len(sealed) || length > len(sealed)-at {
			return
		}
		text := slices.Concat(sealed[:at], by, sealed[at+length:])
		changed := &v1alpha1.Operation{}
		if json.Unmarshal(text, changed) != nil || !s.Genuine("one", v1alpha1.Time{}, changed) {
			return
		}
		if s.Genuine("two", v1alpha1.Time{}, changed) || s.Genuine("one", v1alpha1.NewTime(time.Unix(1, 0)), changed) {
			t.Errorf("it is genuine elsewhere: %s", text)
		}
		if meaning(t, changed) != meaning(t, op) {
			t.Errorf("it is genuine, and says something else: %s", text)
		}
	})
}

// meaning is an operation without its seals, in one form.
func meaning(t *testing.T, op *v1alpha1.Operation) string {
	t.Helper()
	bare := *op
	bare.Info = without(op.Info, gitops.InfoSeal)
	text, err := json.Marshal(&bare)
	if err != nil {
		t.Fatal(err)
	}
	out, err := ordered(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// ordered orders the keys, and leaves numbers as they are written.
func ordered(text []byte) (string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var free any
	if err := d.Decode(&free); err != nil {
		return "", err
	}
	out, err := json.Marshal(free)
	return string(out), err
}

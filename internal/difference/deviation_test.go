package difference

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// owned is a Deployment of two replicas and a pause whose fields some have written.
func owned(t *testing.T, replicas, entries string) *unstructured.Unstructured {
	t.Helper()
	return manifest(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop, managedFields: [`+entries+`]},
		spec: {replicas: `+replicas+`, template: {spec: {containers: [{name: web, image: "a:`+replicas+`"}, {name: proxy, image: b}]}}}}`)
}

// wrote is an entry of managedFields: somebody has updated the replicas.
func wrote(manager, at string) string {
	return `{manager: ` + manager + `, operation: Update, apiVersion: apps/v1, time: ` + at + `, fieldsV1: {"f:spec": {"f:replicas": {}}}},`
}

const (
	early = `"2026-01-01T10:00:00Z"`
	late  = `"2026-01-02T12:00:00+02:00"`
)

func TestWhoWroteAField(t *testing.T) {
	cases := map[string]struct {
		reason, entries string
		manager         string
		at              time.Time
		ours            bool
	}{
		"Nobody": {"what was removed is nobody's", "", "", time.Time{}, false},
		"One":    {"who wrote it", wrote("hpa", early), "hpa", time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC), false},
		"Later":  {"of two the later, in one time zone", wrote("hpa", late) + wrote("kubectl", early), "hpa", time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC), false},
		"Last":   {"wherever it stands", wrote("kubectl", early) + wrote("hpa", late), "hpa", time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC), false},
		"Twice":  {"of two at one time the first", wrote("a", early) + wrote("b", early), "a", time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC), false},
		"NoTime": {"a time is later than none", wrote("a", "null") + wrote("b", early), "b", time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC), false},
		"Ours":   {"the engine wrote it itself", wrote("causeway", early), "", time.Time{}, true},
		"Both":   {"somebody beside it is told", wrote("causeway", late) + wrote("hpa", early), "hpa", time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC), true},
		"Above":  {"who owns fields below owns it", `{manager: x, operation: Apply, fieldsV1: {"f:spec": {"f:replicas": {"f:y": {}}}}}`, "x", time.Time{}, false},
		"Other":  {"who owns another field does not", `{manager: x, operation: Apply, fieldsV1: {"f:spec": {"f:paused": {}}}}`, "", time.Time{}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			live, git := owned(t, "2", tc.entries), owned(t, "2", "")
			if err := unstructured.SetNestedField(git.Object, int64(3), "spec", "replicas"); err != nil {
				t.Fatal(err)
			}
			got, err := Deviations(live, git, "causeway", gitops.Drift{})
			if err != nil || len(got) != 1 {
				t.Fatalf("%s: %v, %v", tc.reason, got, err)
			}
			d := got[0]
			if d.Field != "spec.replicas" || d.Manager != tc.manager || !d.Time.Equal(tc.at) || d.Ours != tc.ours {
				t.Errorf("%s: got %+v", tc.reason, d.Deviation)
			}
			if d.Time.Location() != time.UTC {
				t.Errorf("%s: the time is in %s", tc.reason, d.Time.Location())
			}
		})
	}
}

// What is kept away from Git has to be somebody's: what the engine wrote follows it.
func TestWhatBecomesOfADeviation(t *testing.T) {
	freeze := func(pointers ...string) (out []gitops.FieldDrift) {
		for _, p := range pointers {
			out = append(out, gitops.FieldDrift{Pointer: p, Policy: gitops.DriftFreeze})
		}
		return out
	}
	const kept, left = gitops.DriftFreeze, gitops.DriftPolicy("")
	theirs, ours := wrote("hpa", early), wrote("causeway", early)
	cases := map[string]struct {
		reason, entries string
		drift           gitops.Drift
		want            gitops.DriftPolicy
	}{
		"None":         {"selfHeal decides where nobody says", theirs, gitops.Drift{}, left},
		"Heal":         {"a policy of the object", theirs, gitops.Drift{Policy: gitops.DriftHeal}, gitops.DriftHeal},
		"HealOurs":     {"also of what the engine wrote", ours, gitops.Drift{Policy: gitops.DriftHeal}, gitops.DriftHeal},
		"Freeze":       {"what others wrote is kept", theirs, gitops.Drift{Policy: kept}, kept},
		"FreezeOurs":   {"what the engine wrote is not", ours, gitops.Drift{Policy: kept}, left},
		"FreezeNobody": {"nor what is nobody's: it may be new in Git", "", gitops.Drift{Policy: kept}, left},
		"Named":        {"unless the field is named", "", gitops.Drift{Fields: freeze("/spec/replicas")}, kept},
		"NamedAbove":   {"or one above it", theirs, gitops.Drift{Fields: freeze("/spec")}, kept},
		"NamedOurs":    {"that does not help what the engine wrote", ours, gitops.Drift{Fields: freeze("/spec/replicas")}, left},
		"Below":        {"a field below it is another", theirs, gitops.Drift{Fields: freeze("/spec/replicas/x")}, left},
		"Beside":       {"and so is one beside it", theirs, gitops.Drift{Fields: freeze("/spec/paused")}, left},
		"Any":          {"a star is any field", theirs, gitops.Drift{Fields: freeze("/*/replicas")}, kept},
		"Over":         {"a field's policy is over the object's", theirs, gitops.Drift{Policy: kept, Fields: []gitops.FieldDrift{{Pointer: "/spec/replicas", Policy: gitops.DriftShow}}}, gitops.DriftShow},
		"Last":         {"of several the last counts", theirs, gitops.Drift{Fields: append(freeze("/spec/replicas"), gitops.FieldDrift{Pointer: "/spec", Policy: gitops.DriftHeal})}, gitops.DriftHeal},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			live, git := owned(t, "2", tc.entries), owned(t, "2", "")
			if err := unstructured.SetNestedField(git.Object, int64(3), "spec", "replicas"); err != nil {
				t.Fatal(err)
			}
			got, err := Deviations(live, git, "causeway", tc.drift)
			if err != nil || len(got) != 1 || got[0].Policy != tc.want {
				t.Errorf("%s: got %+v, %v, want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}

// An item of a list is named by its place in what people see of the live object, and
// told by its key.
func TestDeviationsInLists(t *testing.T) {
	image := func(pointer string) gitops.Drift {
		return gitops.Drift{Fields: []gitops.FieldDrift{{Pointer: pointer, Policy: gitops.DriftShow}}}
	}
	const field = `spec.template.spec.containers[name="web"].image`
	for pointer, shown := range map[string]bool{
		"/spec/template/spec/containers/0/image": true, "/spec/template/spec/containers/-2/image": true, "/spec/template/spec/containers/*/image": true, "/spec/template/spec/containers/0": true,
		"/spec/template/spec/containers/1/image": false, "/spec/template/spec/containers/-1/image": false, "/spec/template/spec/containers/2/image": false, "/spec/template/spec/containers/web/image": false,
	} {
		got, err := Deviations(owned(t, "2", ""), owned(t, "3", ""), "causeway", image(pointer))
		if err != nil || len(got) != 2 || got[0].Field != "spec.replicas" || got[1].Field != field {
			t.Fatalf("%+v, %v", got, err)
		}
		if is := got[1].Policy == gitops.DriftShow; is != shown {
			t.Errorf("%s names the image of the first container: %v", pointer, is)
		}
	}
}

// Items that were added or taken away differ, and those that stand in another place do not.
func TestDeviationsOfItems(t *testing.T) {
	container := func(name string) any { return map[string]any{"name": name, "image": "a"} }
	cases := map[string]struct {
		reason    string
		live, git []any
		want      []string
	}{
		"Same":    {"nothing differs", []any{container("a")}, []any{container("a")}, nil},
		"Order":   {"an item is known by its key", []any{container("a"), container("b")}, []any{container("b"), container("a")}, nil},
		"Added":   {"somebody added one", []any{container("a"), container("b")}, []any{container("a")}, []string{`spec.template.spec.containers[name="b"]`, `spec.template.spec.containers[name="b"].image`, `spec.template.spec.containers[name="b"].name`}},
		"Removed": {"somebody took one away", nil, []any{container("a")}, []string{"spec.template.spec.containers", `spec.template.spec.containers[name="a"]`, `spec.template.spec.containers[name="a"].image`, `spec.template.spec.containers[name="a"].name`}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			live, git := of(tc.live...), of(tc.git...)
			got, err := Deviations(live, git, "causeway", gitops.Drift{})
			if err != nil {
				t.Fatal(err)
			}
			var fields []string
			for _, d := range got {
				fields = append(fields, d.Field)
			}
			if !cmp.Equal(leafMost(fields), leafMost(tc.want)) {
				t.Errorf("%s: got %q", tc.reason, fields)
			}
		})
	}
}

// leafMost are the texts that begin no other.
func leafMost(all []string) (out []string) {
	for _, text := range all {
		inner := false
		for _, other := range all {
			inner = inner || other != text && strings.HasPrefix(other, text)
		}
		if !inner {
			out = append(out, text)
		}
	}
	return out
}

// What the API server keeps for itself is no deviation, whoever wrote it.
func TestDeviationsAreOfWhatPeopleWrite(t *testing.T) {
	live, git := owned(t, "2", wrote("hpa", early)), owned(t, "2", "")
	live.SetResourceVersion("7")
	live.SetUID("u")
	live.SetGeneration(3)
	live.SetAnnotations(map[string]string{gitops.AnnotationLastApplied: "{}"})
	if got, err := Deviations(live, git, "causeway", gitops.Drift{}); err != nil || len(got) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if live.GetUID() != "u" || len(live.GetManagedFields()) != 1 {
		t.Error("the live object was changed")
	}
}

// An object that does not fit its schema is compared all the same: its lists are one value.
func TestDeviationsWithoutSchema(t *testing.T) {
	live, git := owned(t, "2", ""), owned(t, "3", "")
	for _, o := range []*unstructured.Unstructured{live, git} {
		if err := unstructured.SetNestedField(o.Object, "x", "spec", "unheardOf"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Deviations(live, git, "causeway", gitops.Drift{})
	if err != nil || len(got) != 2 || got[0].Field != "spec.replicas" || got[1].Field != "spec.template.spec.containers" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestBrokenOwnersAreTold(t *testing.T) {
	broken := owned(t, "2", `{manager: odd, operation: Update, fieldsV1: {"i:x": {}}}`)
	for name, try := range map[string]func() error{
		"Deviations": func() error {
			_, err := Deviations(broken, owned(t, "3", ""), "causeway", gitops.Drift{})
			return err
		},
		"Applied": func() error {
			entries := broken.GetManagedFields()
			entries[0].Operation = "Apply"
			o := broken.DeepCopy()
			o.SetManagedFields(entries)
			_, err := Applied(o, "odd")
			return err
		},
		"Split": func() error {
			_, _, err := Split(broken.GetManagedFields()[0], fieldpath.NewSet(fieldpath.MakePathOrDie("spec")))
			return err
		},
		"ServerSide": func() error {
			_, err := Of(t.Context(), Input{Desired: owned(t, "3", ""), Live: broken, ServerSide: true, Manager: "causeway"})
			return err
		},
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), `cannot read the fields of manager "odd"`) {
			t.Errorf("%s: whose fields cannot be read is not told: %v", name, err)
		}
	}
}

package gitops

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestAllActionsInOrder(t *testing.T) {
	named := func(names ...string) (out []Action) {
		for _, name := range names {
			out = append(out, Action{Key: Key{Name: name}})
		}
		return out
	}
	p := &Plan{Waves: []Wave{{Number: -1, Actions: named("a", "b")}, {Number: 0}, {Number: 3, Actions: named("c")}}}
	var seen []string
	for action, wave := range p.All() {
		seen = append(seen, action.Key.Name)
		action.Reason = strconv.Itoa(wave.Number)
	}
	if !slices.Equal(seen, []string{"a", "b", "c"}) || p.Waves[0].Actions[1].Reason != "-1" || p.Waves[2].Actions[0].Reason != "3" {
		t.Errorf("seen are %q; an action is that of the plan: %+v", seen, p.Waves)
	}
	for action := range p.All() {
		if action.Key.Name == "b" {
			break
		}
		if action.Key.Name != "a" {
			t.Error("it goes on after it was left")
		}
	}
	for range (&Plan{}).All() {
		t.Error("a plan of nothing has actions")
	}
}

func TestWorse(t *testing.T) {
	order := []HealthCode{Healthy, Suspended, Progressing, Missing, Degraded, HealthUnknown}
	for i, a := range order {
		for j, b := range order {
			if Worse(a, b) != (i > j) {
				t.Errorf("%s is worse than %s: %v", a, b, i <= j)
			}
		}
	}
	if Worse("", Healthy) || !Worse(Degraded, "") {
		t.Error("a kind without health is not worse than one that is healthy")
	}
}

func TestFreezes(t *testing.T) {
	field := func(policies ...DriftPolicy) (out []FieldDrift) {
		for _, p := range policies {
			out = append(out, FieldDrift{Pointer: "/a", Policy: p})
		}
		return out
	}
	for name, tc := range map[string]struct {
		reason string
		drift  Drift
		want   bool
	}{
		"Nothing":   {"nobody says so", Drift{}, false},
		"Object":    {"the object is kept", Drift{Policy: DriftFreeze}, true},
		"Field":     {"a field is", Drift{Policy: DriftHeal, Fields: field(DriftHeal, DriftFreeze)}, true},
		"FieldOver": {"that a field is not leaves the others", Drift{Policy: DriftFreeze, Fields: field(DriftHeal)}, true},
		"Shown":     {"what is shown is not kept by a sync", Drift{Policy: DriftShow, Fields: field(DriftShow)}, false},
	} {
		if got := tc.drift.Freezes(); got != tc.want {
			t.Errorf("%s: %s: %v", name, tc.reason, got)
		}
	}
}

// That the status counts, and what types fields have, leaves no field out.
func TestIgnoringNothing(t *testing.T) {
	if !(Ignore{CountStatus: true, Types: []TypedField{{Field: "a"}}}).Empty() {
		t.Error("something is left out")
	}
	for name, i := range map[string]Ignore{"Pointer": {JSONPointers: []string{"/a"}}, "JQ": {JQ: []string{".a"}}, "Manager": {Managers: []string{"a"}}} {
		if i.Empty() {
			t.Errorf("%s: nothing is left out", name)
		}
	}
}

func TestKeysAreOfAnyVersion(t *testing.T) {
	for text, want := range map[string]string{
		`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}}`:      "apps/Deployment:shop/web",
		`{"apiVersion": "apps/v1beta2", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}}`: "apps/Deployment:shop/web",
		`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}`:                                "/Namespace:/shop",
		`{"kind": "X"}`: "/X:/",
	} {
		o := object(t, text)
		if got := (Manifest{Object: o}).Key().String(); got != want {
			t.Errorf("%s has the key %q, want %q", text, got, want)
		}
	}
}

// An object in the place of another is from where that is, and the other stays.
func TestManifestWithAnotherObject(t *testing.T) {
	a, b := &unstructured.Unstructured{Object: map[string]any{"kind": "A"}}, &unstructured.Unstructured{Object: map[string]any{"kind": "B"}}
	m := Manifest{Object: a, Origin: Origin{File: "a.yaml", Line: 3}, Hidden: []string{"secret"}}
	got := m.With(b)
	if m.Object != a || got.Object != b || got.Origin.String() != "a.yaml:3" || !slices.Equal(got.Hidden, []string{"secret"}) {
		t.Errorf("%+v of %+v", got, m)
	}
}

func TestByNamePointsIntoTheList(t *testing.T) {
	apps := make([]v1alpha1.Application, 2)
	apps[0].Name, apps[1].Name = "a", "b"
	ByName(apps)["b"].Spec.Project = "red"
	if apps[1].Spec.Project != "red" || ByName(apps)["c"] != nil || ByName(nil)["a"] != nil {
		t.Error("an Application that is found is not that of the list")
	}
}

// A part of a pointer is read as the key that it was made of.
func TestPointerPart(t *testing.T) {
	for key, want := range map[string]string{"a": "a", "a/b": "a~1b", "a~b": "a~0b", "~1": "~01", "": "", "argocd.argoproj.io/x": "argocd.argoproj.io~1x"} {
		if got := PointerPart(key); got != want {
			t.Errorf("%q is %q in a pointer", key, got)
		}
	}
}

// Text of others in a key is not repeated at length.
func TestKeysThatLeadElsewhere(t *testing.T) {
	long := strings.Repeat("k", 600)
	for name, tc := range map[string]struct {
		reason string
		key    Key
		says   string
	}{
		"Name":      {"a name is no way", Key{Kind: "Secret", Namespace: "shop", Name: "../x"}, `the name "../x" of a Secret cannot be used: it may not contain '/'; correct metadata.name`},
		"Namespace": {"nor is a namespace", Key{Kind: "Secret", Namespace: "..", Name: "x"}, `the namespace ".." of a Secret cannot be used: it may not be '..'; correct metadata.namespace`},
		"Long":      {"nor longer than any", Key{Kind: "Secret", Name: long}, "it has 600 bytes, more than 512; correct metadata.name"},
		"Kind":      {"nor is the kind repeated", Key{Kind: long, Name: "/"}, strings.Repeat("k", 80) + "… cannot be used"},
		"Both":      {"of both the name is told", Key{Kind: "Secret", Namespace: "..", Name: ".."}, `the name ".."`},
		"NoName":    {"a name may be made later", Key{Kind: "Job", Namespace: "shop"}, ""},
	} {
		err := CheckKey(tc.key)
		if (err == nil) != (tc.says == "") || err != nil && (!strings.Contains(err.Error(), tc.says) || len(err.Error()) > 400) {
			t.Errorf("%s: %s: %v", name, tc.reason, err)
		}
	}
}

// What was said of a wait is read as words, and a code as a code.
func TestWordsOfWaiting(t *testing.T) {
	for text, want := range map[string]Health{
		"waiting for /Pod:shop/a in wave 0: Degraded":            {Code: Degraded},
		"waiting for /Pod:shop/a in wave 0: Degraded by x":       {Message: "Degraded by x"},
		"waiting for /Pod:shop/a in PreSync wave -2: Unknown":    {Code: HealthUnknown},
		"waiting for /Pod:shop/a in wave 0: ":                    {},
		"waiting for /Pod:shop/a in wave 0: a: b (and 12 more)":  {Message: "a: b"},
		"waiting for /Pod:shop/a in wave 0: a (and many more)":   {Message: "a (and many more)"},
		"waiting for /Pod:shop/a in wave 0: Healthy (and 1 mor)": {Message: "Healthy (and 1 mor)"},
	} {
		got, ok := ParseWaiting(text)
		if !ok || !cmp.Equal(got.Health, want) {
			t.Errorf("%q says %+v, %v", text, got.Health, ok)
		}
	}
	for _, other := range []string{"", "waiting", "waiting for Pod shop/a in wave 0: x", "waiting for /Pod:shop/a in wave x: y", "waiting for /Pod:shop/a in wave 99999999999999999999: y", "waiting for /:shop/a in wave 0: y", "is waiting for /Pod:shop/a in wave 0: y"} {
		if got, ok := ParseWaiting(other); ok {
			t.Errorf("%q is read as %+v", other, got)
		}
	}
}

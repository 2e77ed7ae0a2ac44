package redact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// configured is a workload with an environment.
func configured(kind string, env ...any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": "web"}, "data": map[string]any{"conf": "password=swordfish"},
		"spec": map[string]any{"env": env, "args": []any{"--plain"}},
	}}
}

func env(name, value string) map[string]any { return map[string]any{"name": name, "value": value} }

// Neither what was decrypted is shown, nor what it takes the place of.
func TestSides(t *testing.T) {
	v := NewKnown([]string{"", "swordfish"})
	desired := configured("ConfigMap", env("A", "plain"), env("PASSWORD", "swordfish"))
	live := configured("ConfigMap", env("PASSWORD", "marlin"), env("A", "plain"), env("OLD", "x-swordfish-y"))
	was := fmt.Sprint(desired, live)
	a, b := v.Sides(desired, live)
	if text := fmt.Sprint(a, b); strings.Contains(text, "swordfish") || strings.Contains(text, "marlin") || strings.Count(text, "plain") != 4 {
		t.Errorf("veiled they are %s", text)
	}
	if fmt.Sprint(desired, live) != was {
		t.Error("the objects were changed")
	}
	if diff := cmp.Diff(a.Object["data"], b.Object["data"]); diff != "" {
		t.Errorf("equal texts differ: %s", diff)
	}
	if cmp.Equal(a.Object["spec"].(map[string]any)["env"].([]any)[1], b.Object["spec"].(map[string]any)["env"].([]any)[0]) {
		t.Error("the password that changes is no difference")
	}
	if a, b = v.Sides(nil, live); a != nil || strings.Contains(fmt.Sprint(b), "swordfish") {
		t.Errorf("what only lives is %v", b)
	}
	if a, _ = v.Sides(configured("Secret"), nil); !strings.Contains(fmt.Sprint(a), "swordfish") {
		t.Error("values of Secrets are Marks'")
	}
	if a, _ = NewKnown(nil).Sides(desired, nil); a != desired {
		t.Error("an object without secrets is another one")
	}
}

// TestSidesWithoutTheKey has one who compares without the key what was deployed
// with it.
func TestSidesWithoutTheKey(t *testing.T) {
	const cipher = "ENC[AES256_GCM,data:p673w==,iv:YY=,tag:UQ==,type:str]"
	desired, live := configured("ConfigMap", env("PASSWORD", cipher)), configured("ConfigMap", env("PASSWORD", "swordfish"))
	desired.Object["data"] = map[string]any{"conf": "password=" + cipher, "color": "green"}
	live.Object["data"] = map[string]any{"conf": "password=swordfish", "color": "blue"}
	a, b := NewKnown(nil).Sides(desired, live)
	if text := fmt.Sprint(a, b); strings.Contains(text, "swordfish") || !strings.Contains(text, "blue") || !strings.Contains(text, "green") {
		t.Errorf("what is deployed is told by what is encrypted: %s", text)
	}
}

// TestSidesOfNumbers has a decrypted number, which a custom resource has as one.
func TestSidesOfNumbers(t *testing.T) {
	v := NewKnown([]string{"74119283", "3.14159265"})
	spec := func(pin any, ratio float64) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"kind": "Vault", "spec": map[string]any{"pin": pin, "ratio": ratio, "replicas": int64(3)}}}
	}
	a, b := v.Sides(spec(int64(74119283), 3.14159265), spec(int64(11111111), 2.5))
	if text := fmt.Sprint(a, b); strings.Contains(text, "74119283") || strings.Contains(text, "11111111") || strings.Contains(text, "3.14159265") || !strings.Contains(text, "replicas:3") {
		t.Errorf("veiled they are %s", text)
	}
}

// A side of another form is veiled all the same.
func TestSidesOfOtherForms(t *testing.T) {
	v := NewKnown([]string{"swordfish"})
	for _, forms := range [][2]any{
		{map[string]any{"a": "swordfish"}, "swordfish"}, {[]any{"swordfish"}, "swordfish"}, {"swordfish", []any{"swordfish"}},
		{map[string]any{"a": "swordfish"}, []any{"swordfish", map[string]any{"b": "swordfish"}}}, {int64(1), "swordfish"},
	} {
		a, b := v.over(forms[0], forms[1])
		if text := fmt.Sprint(a, b); strings.Contains(text, "swordfish") {
			t.Errorf("%v is %s", forms, text)
		}
	}
}

// TestSidesOfManyNames pairs the items of long lists by their names: each by the first
// that has its name, and what has none by its place.
func TestSidesOfManyNames(t *testing.T) {
	v, odd := NewKnown([]string{"swordfish"}), map[string]any{"a": "b"}
	named := func(name any, value string) any { return map[string]any{"name": name, "value": value} }
	for name, tc := range map[string]struct {
		reason             string
		desired, live      []any
		wantDesired, wants []string
	}{
		"Names":   {"they stand elsewhere", []any{named("a", "swordfish"), named("b", "x")}, []any{named("b", "x"), named("a", "y")}, []string{veiled, "x"}, []string{"x", another}},
		"Twice":   {"one name is two items'", []any{named("a", "swordfish"), named("a", "swordfish")}, []any{named("a", "y"), named("a", "z")}, []string{veiled, veiled}, []string{another, "z"}},
		"Numbers": {"a number is a name", []any{named(int64(1), "x"), named(int64(2), "swordfish")}, []any{named(int64(2), "y")}, []string{"x", veiled}, []string{another}},
		"Maps":    {"a map is none, and the place counts", []any{named(odd, "swordfish")}, []any{named(odd, "y")}, []string{veiled}, []string{another}},
		"Lists":   {"nor is a list", []any{named([]any{"a"}, "swordfish")}, []any{named([]any{"b"}, "y")}, []string{veiled}, []string{another}},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := v.lists(tc.desired, tc.live)
			for i, side := range [][]any{a, b} {
				var got []string
				for _, item := range side {
					got = append(got, item.(map[string]any)["value"].(string))
				}
				if diff := cmp.Diff([][]string{tc.wantDesired, tc.wants}[i], got); diff != "" {
					t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}

// TestSidesOfLongLists has a list whose names are looked up, each without a look at
// all other items.
func TestSidesOfLongLists(t *testing.T) {
	list := make([]any, 1_000)
	for i := range list {
		list[i] = env(fmt.Sprint("N", i), "x")
	}
	p := placesIn(list)
	if len(p.named) != len(list) || p.of(list[999], 0) != 999 || p.of(env("none", ""), 0) != -1 || p.of("x", 1_000) != -1 {
		t.Errorf("of %d names %d are known", len(list), len(p.named))
	}
}

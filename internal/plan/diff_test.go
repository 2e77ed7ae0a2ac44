package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/redact"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}

const pod = `
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: shop, resourceVersion: "1", managedFields: []}
spec:
  containers:
  - {name: web, image: "web:1"}
  - {name: log, image: "log:1"}
status: {phase: Running}
`

func TestDiffChanges(t *testing.T) {
	cases := map[string]struct {
		reason          string
		live, predicted string
		want            []string
	}{
		"Equal": {
			reason: "book-keeping and status do not count",
			live:   pod, predicted: strings.ReplaceAll(strings.ReplaceAll(pod, `"1"`, `"2"`), "Running", "Pending"),
		},
		"ElementByName": {
			reason: "elements of a list are matched by name",
			live:   pod, predicted: strings.ReplaceAll(pod, "  - {name: web,", "  - {name: init, image: i}\n  - {name: web,"),
			want: []string{"spec.containers[name=init]: <nil> -> map[image:i name:init]"},
		},
		"Field": {
			reason: "a changed field has a path",
			live:   pod, predicted: strings.ReplaceAll(pod, "log:1", "log:2"),
			want: []string{"spec.containers[name=log].image: log:1 -> log:2"},
		},
		"Order": {
			reason: "another order alone is a change",
			live:   "{apiVersion: v1, kind: X, metadata: {name: a}, spec: {l: [{name: a}, {name: b}]}}", predicted: "{apiVersion: v1, kind: X, metadata: {name: a}, spec: {l: [{name: b}, {name: a}]}}",
			want: []string{"spec.l: [map[name:a] map[name:b]] -> [map[name:b] map[name:a]]"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d, err := plan.NewDiff(object(t, tc.live), object(t, tc.predicted))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range d.Changes {
				got = append(got, fmt.Sprintf("%s: %v -> %v", c.Path, c.Old, c.New))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDiffHidesSecrets(t *testing.T) {
	before := object(t, `{apiVersion: v1, kind: Secret, metadata: {name: s, annotations: {kubectl.kubernetes.io/last-applied-configuration: "hunter0", token: hunter1}}, data: {same: aHVudGVyMQ==, changed: aHVudGVyMg==, gone: aHVudGVyMw==}}`)
	after := object(t, `{apiVersion: v1, kind: Secret, metadata: {name: s, annotations: {token: hunter2}}, data: {same: aHVudGVyMQ==, changed: aHVudGVyNA==, fresh: aHVudGVyNQ==}}`)
	settings, err := plan.ParseSettings(map[string]string{v1alpha1.SettingHidden: "other, token"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := plan.NewDiff(before, after, settings.Hidden()...)
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.Unified()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text+fmt.Sprint(d.Changes), "aHV") || strings.Contains(text, "hunter") {
		t.Errorf("a value is shown:\n%s", text)
	}
	for _, line := range []string{"-  changed: +", "+  changed: +", "-  gone: +", "+  fresh: +", "   same: +", "-    token: +", "+    token: +"} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is missing in\n%s", line, text)
		}
	}
	if s := before.Object["data"].(map[string]any)["same"]; s != "aHVudGVyMQ==" {
		t.Errorf("the object itself was changed: %v", s)
	}
}

func TestDiffOfNewAndGoneObjects(t *testing.T) {
	for _, fresh := range []bool{true, false} {
		live, predicted := object(t, pod), (*unstructured.Unstructured)(nil)
		sign := "-"
		if fresh {
			live, predicted, sign = nil, live, "+"
		}
		d, err := plan.NewDiff(live, predicted)
		if err != nil {
			t.Fatal(err)
		}
		text, err := d.Unified()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, sign+"kind: Pod") || strings.Contains(text, "Running") {
			t.Errorf("unexpected text:\n%s", text)
		}
	}
}

// A text that was decrypted, and the one before it, are neither in the fields
// nor in the text of a difference.
func TestVeiledDiff(t *testing.T) {
	of := func(password string) *unstructured.Unstructured {
		return object(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {password: "+password+", colour: blue}}")
	}
	for _, live := range []*unstructured.Unstructured{nil, of("marlin"), of("swordfish")} {
		d, err := plan.NewDiff(live, of("swordfish"))
		if err != nil {
			t.Fatal(err)
		}
		was := d.Empty()
		d = d.Without(redact.NewKnown([]string{"swordfish"}))
		before, after, err := d.Sides()
		if err != nil || d.Empty() != was {
			t.Errorf("veiled it has the changes %v, %v", d.Changes, err)
		}
		if text := fmt.Sprint(d.Changes, before, after); strings.Contains(text, "swordfish") || strings.Contains(text, "marlin") || !strings.Contains(text, "blue") {
			t.Errorf("it shows %s", text)
		}
	}
}

// TestLongKeysAreNotRepeated has objects whose keys are as long as who writes them likes: a path is for people, and all
// of them together are no more than the objects.
func TestLongKeysAreNotRepeated(t *testing.T) {
	key := strings.Repeat("k", 200<<10)
	side := func(fields int, value any) *unstructured.Unstructured {
		below := map[string]any{}
		for i := range fields {
			below[fmt.Sprintf("f%d", i)] = value
		}
		return &unstructured.Unstructured{Object: map[string]any{"kind": "X", "spec": map[string]any{key: below}}}
	}
	d, err := plan.NewDiff(side(4000, "a"), side(4000, "b"))
	if err != nil {
		t.Fatal(err)
	}
	bytes := 0
	for _, c := range d.Changes {
		bytes += len(c.Path)
	}
	if len(d.Changes) != 4000 || bytes > 4<<20 {
		t.Errorf("%d changes have paths of %d bytes", len(d.Changes), bytes)
	}
	d, err = plan.NewDiff(side(20_000, "a"), side(20_000, "b"))
	if err != nil || len(d.Changes) != 1 || d.Changes[0].Path != plan.Rest || d.Empty() {
		t.Errorf("more fields than anybody reads: %d changes, %v", len(d.Changes), err)
	}
}

// TestDeepObjects: what is nested deeply takes about as much to be shown as it has.
func TestDeepObjects(t *testing.T) {
	of := func(last string) *unstructured.Unstructured {
		var spec any = []any{last}
		for i := range 400 {
			spec = map[string]any{"a": spec, "b": []any{int64(i), "c"}}
		}
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Deep", "metadata": map[string]any{"name": "web"}, "spec": spec}}
	}
	d, err := plan.NewDiff(of("before"), of("after"))
	if err != nil {
		t.Fatal(err)
	}
	live, desired, err := d.Sides()
	if err != nil || len(live) > 32<<10 || !strings.Contains(live, `"before"`) || !strings.Contains(desired, `"after"`) {
		t.Errorf("%d and %d bytes: %v", len(live), len(desired), err)
	}
	text, err := d.Unified()
	if err != nil || len(text) > 64<<10 || !strings.Contains(text, `"after"`) {
		t.Errorf("%d bytes: %v", len(text), err)
	}
}

// TestDiffHidesWhatStoresHold: a store of the provider fake has values, also in the copy that kubectl keeps of it.
func TestDiffHidesWhatStoresHold(t *testing.T) {
	store := func(value string) *unstructured.Unstructured {
		text := `{"apiVersion":"external-secrets.io/v1","kind":"SecretStore","metadata":{"name":"s","namespace":"shop"},"spec":{"provider":{"fake":{"data":[{"key":"k","value":"` + value + `"}]}}}}`
		o := &unstructured.Unstructured{}
		if err := o.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		o.SetAnnotations(map[string]string{"kubectl.kubernetes.io/last-applied-configuration": text})
		return o
	}
	d, err := plan.NewDiff(store("planted-one"), store("planted-two"))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Changes) != 1 || d.Changes[0].Old == d.Changes[0].New {
		t.Errorf("that the value changes is told: %+v", d.Changes)
	}
	if text := fmt.Sprintf("%+v", d); strings.Contains(text, "planted") {
		t.Errorf("a value is shown: %s", text)
	}
}

package bridge

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

// TestKeysOfLabelsAreLowerCase before their slash: Kubernetes refuses the whole
// object otherwise. Those of annotations need not be.
func TestKeysOfLabelsAreLowerCase(t *testing.T) {
	for name, tc := range map[string]struct {
		key Key
		ok  bool
	}{
		"label":                  {Key{Label, "example.com/Team"}, true},
		"label, upper case":      {Key{Label, "Example.com/team"}, false},
		"annotation, upper case": {Key{Annotation, "Example.com/team"}, true},
	} {
		if err := CheckWanted(tc.key, "a"); (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// held is a Secret whose annotations managers hold.
func held(annotations map[string]string, holders map[string]string) *metav1.PartialObjectMetadata {
	out := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Annotations: annotations, Labels: map[string]string{}}}
	for _, manager := range slices.Sorted(maps.Keys(holders)) {
		out.ManagedFields = append(out.ManagedFields, metav1.ManagedFieldsEntry{Manager: manager, FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:annotations":` + holders[manager] + `}}`)})
	}
	return out
}

func TestWhatAManagerWrites(t *testing.T) {
	const own, twin = ManagerPrefix + "net", ManagerPrefix + "twin"
	a := Key{Annotation, "a"}
	one := []Wanted{{Key: a, Value: "1"}}
	conflict := func(others string) []Problem {
		return []Problem{{a, "spoke", "two sources give it different values: ClusterMetadata net and " + others + "; it stays as it is: take it out of one of them"}}
	}
	cases := map[string]struct {
		reason string
		secret *metav1.PartialObjectMetadata
		wanted []Wanted
		want   Write
	}{
		"New":       {"it is written", held(nil, nil), one, Write{Annotations: map[string]string{"a": "1"}, Changed: true}},
		"Same":      {"nothing is to do", held(map[string]string{"a": "1"}, map[string]string{own: `{"f:a":{}}`}), one, Write{Annotations: map[string]string{"a": "1"}}},
		"Another":   {"another value", held(map[string]string{"a": "2"}, map[string]string{own: `{"f:a":{}}`}), one, Write{Annotations: map[string]string{"a": "1"}, Changed: true}},
		"Taken":     {"nobody has it any more, though it was held", held(nil, map[string]string{own: `{"f:a":{}}`}), one, Write{Annotations: map[string]string{"a": "1"}, Changed: true}},
		"NoLonger":  {"what is no longer wanted goes", held(map[string]string{"a": "1"}, map[string]string{own: `{"f:a":{}}`}), nil, Write{Changed: true}},
		"Nothing":   {"nothing is wanted, and nothing there", held(map[string]string{"a": "1"}, map[string]string{"kubectl": `{"f:a":{}}`}), nil, Write{}},
		"Shared":    {"a value that another gives, too, is shared", held(map[string]string{"a": "1"}, map[string]string{"kubectl": `{"f:a":{}}`}), one, Write{Annotations: map[string]string{"a": "1"}, Changed: true}},
		"Unheld":    {"what nobody holds is taken over", held(map[string]string{"a": "2"}, nil), one, Write{Annotations: map[string]string{"a": "1"}, Changed: true}},
		"Conflict":  {"another source's value stays, and both are named", held(map[string]string{"a": "2"}, map[string]string{"kubectl": `{"f:a":{}}`}), one, Write{Problems: conflict("kubectl")}},
		"Conflicts": {"all others are named, people's names of them", held(map[string]string{"a": "2"}, map[string]string{twin: `{"f:a":{}}`, terraformManager: `{"f:a":{}}`}), one, Write{Problems: conflict("ClusterMetadata twin, Terraform (field manager causeway-terraform)")}},
		"GivesUp":   {"of a key that was shared, the other's new value stays", held(map[string]string{"a": "2"}, map[string]string{own: `{"f:a":{}}`, "kubectl": `{"f:a":{}}`}), one, Write{Problems: conflict("kubectl"), Changed: true}},
		"Lost":      {"a value that cannot be had now keeps what it has", held(map[string]string{"a": "2"}, map[string]string{own: `{"f:a":{}}`}), []Wanted{{Key: a, Lost: true}}, Write{Annotations: map[string]string{"a": "2"}}},
		"LostOther": {"but is not taken from another", held(map[string]string{"a": "2"}, map[string]string{"kubectl": `{"f:a":{}}`}), []Wanted{{Key: a, Lost: true}}, Write{}},
		"Place":     {"a label is no annotation", held(map[string]string{"a": "1"}, map[string]string{own: `{"f:a":{}}`}), []Wanted{{Key: Key{Label, "a"}, Value: "1"}}, Write{Labels: map[string]string{"a": "1"}, Changed: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := PlanWrite(own, "spoke", tc.secret, tc.wanted)
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestKeysThatMayBeWritten(t *testing.T) {
	cases := map[string]struct {
		reason  string
		key     Key
		value   string
		problem string
	}{
		"Plain":      {"a key of one's own", Key{Annotation, "example.com/region"}, "any thing, as long as it is", ""},
		"Empty":      {"no value is one", Key{Label, "region"}, "", ""},
		"Fact":       {"facts have a place of their own", Key{Annotation, FactPrefix + "region"}, "eu", ""},
		"Engine":     {"other keys of the engine are not for this", Key{Annotation, "causeway.io/shard"}, "1", "the key belongs to Kubernetes, Argo CD or the engine; choose another key"},
		"SecretType": {"the label by which engines know a cluster", Key{Label, "argocd.argoproj.io/secret-type"}, "repository", "belongs to Kubernetes"},
		"Below":      {"a domain below a reserved one", Key{Label, "app.kubernetes.io/name"}, "x", "belongs to Kubernetes"},
		"ManagedBy":  {"Argo CD's own annotation, without a domain", Key{Annotation, "managed-by"}, "x", "belongs to Kubernetes"},
		"NoKey":      {"a key has letters", Key{Annotation, ""}, "x", "the key is not valid: "},
		"Slashes":    {"and one slash", Key{Annotation, "a/b/c"}, "x", "the key is not valid: "},
		"LabelLong":  {"a label has 63 letters", Key{Label, "a"}, strings.Repeat("x", 64), "the value cannot be a label: must be no more than 63"},
		"LabelWords": {"and no blanks", Key{Label, "a"}, "two words", "write it as an annotation"},
		"Long":       {"an annotation is bounded", Key{Annotation, "a"}, strings.Repeat("x", MaxValue+1), "the value has 32769 bytes, more than 32768"},
		"Longest":    {"up to its bound", Key{Annotation, "a"}, strings.Repeat("x", MaxValue), ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := CheckWanted(tc.key, tc.value)
			if (err != nil) != (tc.problem != "") || err != nil && !strings.Contains(err.Error(), tc.problem) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.problem)
			}
		})
	}
}

// A Secret takes so much: what is too much is told of, and the rest is written.
func TestWritesAreBounded(t *testing.T) {
	w := Write{Annotations: map[string]string{}, Labels: map[string]string{"z": "1"}}
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		w.Annotations[key] = strings.Repeat("x", MaxValue-1)
	}
	w.Annotations["f"] = ""
	w.bound("spoke")
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, slices.Sorted(maps.Keys(w.Annotations))); diff != "" {
		t.Errorf("keys are dropped from the end (-want +got):\n%s", diff)
	}
	want := []Problem{
		{Key{Annotation, "e"}, "spoke", "all values together have more than 131072 bytes"}, {Key{Annotation, "f"}, "spoke", "all values together have more than 131072 bytes"},
	}
	if diff := cmp.Diff(want, w.Problems); diff != "" || w.Labels["z"] != "1" {
		t.Errorf("each is told of (-want +got):\n%s", diff)
	}
	again := len(w.Annotations)
	if w.bound("spoke"); len(w.Annotations) != again || len(w.Problems) != len(want) {
		t.Errorf("what fits does not stay: %v", w.Problems)
	}
	names := Write{Annotations: map[string]string{}}
	for _, key := range []string{"a", "b", "c", "d"} {
		names.Annotations[key] = strings.Repeat("x", MaxValue)
	}
	if names.bound("spoke"); len(names.Annotations) != 3 {
		t.Errorf("the names of keys take no room: %d are left", len(names.Annotations))
	}
}

func TestManagersOfClusterMetadata(t *testing.T) {
	longest := strings.Repeat("n", 128-len(ManagerPrefix))
	if got, err := Manager(longest); err != nil || got != ManagerPrefix+longest {
		t.Errorf("the longest name: %q, %v", got, err)
	}
	if _, err := Manager(longest + "n"); err == nil || !strings.Contains(err.Error(), "is longer than 110 letters; choose a shorter name") {
		t.Errorf("a name that no API server takes: %v", err)
	}
	fields := []metav1.ManagedFieldsEntry{{Manager: ManagerPrefix + "b"}, {Manager: "kubectl"}, {Manager: ManagerPrefix + "a"}, {Manager: ManagerPrefix + "b"}}
	if diff := cmp.Diff([]string{"a", "b"}, Owners(fields)); diff != "" {
		t.Errorf("each that holds keys, once (-want +got):\n%s", diff)
	}
	set := map[Key]Setter{{Annotation, "x"}: {Manager: ManagerPrefix + longest + "n"}}
	all := []causeway.ClusterMetadata{{ObjectMeta: metav1.ObjectMeta{Name: longest + "n"}, Spec: causeway.ClusterMetadataSpec{Values: []causeway.MetadataValue{{Key: "x"}}}}}
	if Sources(set, all); set[Key{Annotation, "x"}].Source != "" {
		t.Error("one that writes nothing is named as a source")
	}
}

// What is too much for a Secret is no reason to write the same each time.
func TestWhatHasNoRoomIsWrittenOnce(t *testing.T) {
	const own = ManagerPrefix + "net"
	var wanted []Wanted
	for _, name := range []string{"a", "b", "c", "d"} {
		wanted = append(wanted, Wanted{Key: Key{Annotation, name}, Value: strings.Repeat("x", MaxValue)})
	}
	first := PlanWrite(own, "spoke", held(map[string]string{}, nil), wanted)
	if !first.Changed || len(first.Annotations) != 3 || len(first.Problems) != 1 {
		t.Fatalf("%d of 4 keys are written: %v", len(first.Annotations), first.Problems)
	}
	again := PlanWrite(own, "spoke", held(first.Annotations, map[string]string{own: `{"f:a":{},"f:b":{},"f:c":{}}`}), wanted)
	if again.Changed || len(again.Problems) != 1 {
		t.Errorf("it is written again: %v", again.Problems)
	}
}

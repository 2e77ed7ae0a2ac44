package rewrite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

func regexpOf(source, target string) esv1.Rewrite {
	return esv1.Rewrite{Regexp: &esv1.RewriteRegexp{Source: source, Target: target}}
}

func transformOf(text string) esv1.Rewrite {
	return esv1.Rewrite{Transform: &esv1.RewriteTransform{Template: text}}
}

func mergeOf(one esv1.RewriteMerge) esv1.Rewrite { return esv1.Rewrite{Merge: &one} }

func all(operations ...esv1.Rewrite) []esv1.Rewrite { return operations }

func TestApply(t *testing.T) {
	objects := map[string]string{"a": `{"x":"1","y":2}`, "b": `{"x":"3","z":{"k":"<&>"}}`}
	for name, tc := range map[string]struct {
		reason     string
		operations []esv1.Rewrite
		data, want map[string]string
		err        string
	}{
		"none":         {"without operations all stays", nil, map[string]string{"a": "1"}, map[string]string{"a": "1"}, ""},
		"empty":        {"an operation without a member does nothing", all(esv1.Rewrite{}), map[string]string{"a": "1"}, map[string]string{"a": "1"}, ""},
		"no values":    {"no values are no error", all(regexpOf("a", "b")), nil, map[string]string{}, ""},
		"regexp":       {"a group of the pattern", all(regexpOf(`^app/(.*)$`, "x-$1")), map[string]string{"app/db": "1", "other": "2"}, map[string]string{"x-db": "1", "other": "2"}, ""},
		"named group":  {"a group by its name", all(regexpOf(`(?P<first>.)(.)`, "${first}")), map[string]string{"ab": "1"}, map[string]string{"a": "1"}, ""},
		"everywhere":   {"each match is replaced", all(regexpOf("/", "_")), map[string]string{"a/b/c": "1"}, map[string]string{"a_b_c": "1"}, ""},
		"in order":     {"one after the other", all(regexpOf("a", "b"), regexpOf("b", "c")), map[string]string{"a": "1"}, map[string]string{"c": "1"}, ""},
		"one of two":   {"the later key's value stays", all(regexpOf(".*", "k")), map[string]string{"a": "1", "b": "2"}, map[string]string{"k": "2"}, ""},
		"binary":       {"values are not looked at", all(regexpOf("a", "b")), map[string]string{"a": "\x00\xff"}, map[string]string{"b": "\x00\xff"}, ""},
		"bad regexp":   {"a pattern that is none", all(regexpOf("(", "")), map[string]string{"a": "1"}, nil, "rewrite[0]: regexp.source"},
		"transform":    {"a template of the key", all(transformOf(`{{ .value | upper | replace "/" "_" }}`)), map[string]string{"a/b": "1"}, map[string]string{"A_B": "1"}, ""},
		"bad template": {"a template that is none", all(transformOf(`{{ .value`)), map[string]string{"a": "1"}, nil, "transform.template"},
		"fails":        {"a template that fails names the key", all(regexpOf("a", "a"), transformOf(`{{ fail "no" }}`)), map[string]string{"a": "1"}, nil, `rewrite[1]: transform.template, of the key "a"`},
		"unknown":      {"a function that sees the machine is none", all(transformOf(`{{ env "HOME" }}`)), map[string]string{"a": "1"}, nil, "env"},
		"first member": {"merge counts before regexp", all(esv1.Rewrite{
			Merge: &esv1.RewriteMerge{}, Regexp: &esv1.RewriteRegexp{Source: "x", Target: "y"},
		}), map[string]string{"a": `{"x":"1"}`}, map[string]string{"x": "1"}, ""},

		"merge":         {"fields become keys", all(mergeOf(esv1.RewriteMerge{})), map[string]string{"a": `{"x":"1"}`, "b": `{"y":null,"n":1.5}`}, map[string]string{"x": "1", "y": "", "n": "1.5"}, ""},
		"merge nothing": {"no values have no fields", all(mergeOf(esv1.RewriteMerge{})), nil, map[string]string{}, ""},
		"conflict":      {"a field that two have is refused by name", all(mergeOf(esv1.RewriteMerge{})), objects, nil, "merge failed with conflicts: x"},
		"ignore":        {"or the later key's counts", all(mergeOf(esv1.RewriteMerge{ConflictPolicy: esv1.ConflictIgnore})), objects, map[string]string{"x": "3", "y": "2", "z": `{"k":"\u003c\u0026\u003e"}`}, ""},
		"priority":      {"or that of the key with priority", all(mergeOf(esv1.RewriteMerge{ConflictPolicy: esv1.ConflictIgnore, Priority: []string{"a"}})), objects, map[string]string{"x": "1", "y": "2", "z": `{"k":"\u003c\u0026\u003e"}`}, ""},
		"no priority":   {"a key with priority has to be there", all(mergeOf(esv1.RewriteMerge{Priority: []string{"c"}})), objects, nil, `key "c" not found`},
		"may be absent": {"unless it need not", all(mergeOf(esv1.RewriteMerge{Priority: []string{"c"}, PriorityPolicy: esv1.PriorityIgnoreNotFound})), map[string]string{"a": `{"x":"1"}`}, map[string]string{"x": "1"}, ""},
		"into":          {"an object in a key, beside the others", all(mergeOf(esv1.RewriteMerge{Strategy: esv1.MergeJSON, Into: "all"})), map[string]string{"a": `{"x":"<&>"}`}, map[string]string{"a": `{"x":"<&>"}`, "all": `{"x":"<&>"}`}, ""},
		"into itself":   {"which may be one of them", all(mergeOf(esv1.RewriteMerge{Strategy: esv1.MergeJSON, Into: "a"})), map[string]string{"a": `{"x": 1}`}, map[string]string{"a": `{"x":1}`}, ""},
		"into nowhere":  {"but has to be said", all(mergeOf(esv1.RewriteMerge{Strategy: esv1.MergeJSON})), map[string]string{"a": `{}`}, nil, "set into"},
		"words":         {"words are no object", all(mergeOf(esv1.RewriteMerge{})), map[string]string{"a": "hunter22"}, nil, `that of the key "a"`},
		"list":          {"nor is a list", all(mergeOf(esv1.RewriteMerge{})), map[string]string{"a": `["hunter22"]`}, nil, `that of the key "a"`},
		"half":          {"nor half of one", all(mergeOf(esv1.RewriteMerge{})), map[string]string{"a": `{"a":"hunter22`}, nil, `that of the key "a"`},
		"then renamed":  {"what merge makes is renamed", all(mergeOf(esv1.RewriteMerge{}), regexpOf("^", "app_")), map[string]string{"a": `{"x":"1"}`}, map[string]string{"app_x": "1"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			given := map[string][]byte{}
			for key, text := range tc.data {
				given[key] = []byte(text)
			}
			got, err := Apply(tc.operations, given)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "hunter") {
					t.Errorf("%s: got %v, want an error with %q and no value", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			texts := map[string]string{}
			for key, value := range got {
				texts[key] = string(value)
			}
			if diff := cmp.Diff(tc.want, texts); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if len(given) != len(tc.data) {
				t.Errorf("%s: what was given has %d keys now", tc.reason, len(given))
			}
		})
	}
}

// TestTheSameBecomesTheSame: a Secret must not change because Go goes through a map another way.
func TestTheSameBecomesTheSame(t *testing.T) {
	given := map[string][]byte{}
	for _, key := range []string{"a", "b", "c", "d", "e", "f"} {
		given[key] = []byte(`{"x":"` + key + `"}`)
	}
	for range 50 {
		got, err := Apply(all(mergeOf(esv1.RewriteMerge{ConflictPolicy: esv1.ConflictIgnore, Priority: []string{"b"}})), given)
		if err != nil || string(got["x"]) != "b" {
			t.Fatalf("got %q, %v", got["x"], err)
		}
		if got, err = Apply(all(regexpOf(".*", "k")), given); err != nil || string(got["k"]) != `{"x":"f"}` {
			t.Fatalf("got %q, %v", got["k"], err)
		}
	}
}

// FuzzApply: no pattern or template of strangers is a panic.
func FuzzApply(f *testing.F) {
	f.Add("^a(.*)$", "$1", "{{ .value }}", `{"a":1}`)
	f.Add("", "${x", "{{ index .value 0 }}", `{`)
	f.Add(`\`, "", "{{ .value.x }}", `[]`)
	f.Fuzz(func(t *testing.T, source, target, text, value string) {
		if len(text) > 60 || strings.ContainsAny(text, "0123456789") {
			return // what repeats texts is for a worker
		}
		given := map[string][]byte{"a/b": []byte(value), "": []byte("{}")}
		for _, one := range all(regexpOf(source, target), transformOf(text), mergeOf(esv1.RewriteMerge{Into: target, Strategy: esv1.MergeJSON, Priority: []string{source}})) {
			if out, err := Apply(all(one), given); err == nil && out == nil {
				t.Error("neither values nor an error")
			}
		}
	})
}

package bridge

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func pack(text string) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return out.Bytes()
}

func TestOutput(t *testing.T) {
	state := pack(`{"outputs":{"id":{"value":"vpc-1"},"n":{"value":12345678901234567},"b":{"value":true},"o":{"value":{"a":[{"x":"deep"}]}},"null":{"value":null},"secret":{"value":"hunter2","sensitive":true}}}`)
	cases := map[string]struct {
		reason, output, want, problem string
		state                         []byte
	}{
		"Text":      {reason: "a text as it is", output: "id", want: "vpc-1"},
		"Number":    {reason: "a large number keeps its digits", output: "n", want: "12345678901234567"},
		"Boolean":   {reason: "a boolean", output: "b", want: "true"},
		"Object":    {reason: "an object as JSON", output: "o", want: `{"a":[{"x":"deep"}]}`},
		"Path":      {reason: "a path into an object and a list", output: "o.a.0.x", want: "deep"},
		"Null":      {reason: "nothing is no value", output: "null", problem: "no output"},
		"Sensitive": {reason: "it is marked", output: "secret", problem: "sensitive"},
		"Unknown":   {reason: "the nearest name", output: "ids", problem: `did you mean "id"`},
		"NotPacked": {reason: "a state that is not packed", output: "id", state: []byte("{}"), problem: "not packed"},
		"NotJSON":   {reason: "the text is not repeated", output: "id", state: pack("hunter2"), problem: "no JSON"},
		"Cut":       {reason: "a broken archive", output: "id", state: pack(strings.Repeat("x", 5000))[:20], problem: "cannot unpack"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.state == nil {
				tc.state = state
			}
			got, err := Output(tc.state, tc.output)
			if tc.problem == "" && (err != nil || got != tc.want) {
				t.Errorf("%s: %q, %v", tc.reason, got, err)
			}
			if tc.problem != "" && (err == nil || !strings.Contains(err.Error(), tc.problem) || strings.Contains(err.Error(), "hunter2")) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

func TestFieldIsBounded(t *testing.T) {
	object := map[string]any{"status": map[string]any{"endpoint": "https://a", "list": []any{"x", "y"}, "long": strings.Repeat("a", MaxValue+1)}}
	cases := map[string]struct{ path, want, problem string }{
		"Braces":  {"{.status.endpoint}", "https://a", ""},
		"Bare":    {".status.endpoint", "https://a", ""},
		"List":    {"{.status.list[*]}", "x y", ""},
		"Missing": {"{.status.none}", "", "no field"},
		"Long":    {"{.status.long}", "", "bytes"},
		"Nested":  {"{range .a[*]}{range .b[*]}{end}{end}", "", "too expensive"},
		"Broken":  {"{.status", "", "cannot read the path"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Field(object, tc.path)
			if tc.problem == "" && (err != nil || got != tc.want) {
				t.Errorf("%q, %v", got, err)
			}
			if tc.problem != "" && (err == nil || !strings.Contains(err.Error(), tc.problem)) {
				t.Errorf("the problem is %v", err)
			}
		})
	}
}

func TestPlanWriteIsQuietWhenAllIsSo(t *testing.T) {
	manager, _ := Manager("net")
	meta := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Annotations: map[string]string{"a": "1", "b": "2", "c": "3"},
		ManagedFields: []metav1.ManagedFieldsEntry{
			{Manager: manager, FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:annotations":{"f:a":{},"f:b":{}}}}`)},
			{Manager: "terraform", FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:annotations":{"f:c":{}}}}`)},
		},
	}}
	same := []Wanted{{Key: Key{Annotation, "a"}, Value: "1"}, {Key: Key{Annotation, "b"}, Lost: true}}
	if w := PlanWrite(manager, "dev", meta, same); w.Changed || len(w.Problems) > 0 {
		t.Errorf("nothing changed, yet %+v", w)
	}
	if w := PlanWrite(manager, "dev", meta, same[:1]); !w.Changed || len(w.Annotations) != 1 {
		t.Errorf("a key that is no longer wanted stays: %+v", w)
	}
	w := PlanWrite(manager, "dev", meta, append(same, Wanted{Key: Key{Annotation, "c"}, Value: "4"}))
	if w.Changed || len(w.Problems) != 1 || !strings.Contains(w.Problems[0].Message, "ClusterMetadata net and terraform") {
		t.Errorf("a key of another: %+v", w)
	}
}

func FuzzField(f *testing.F) {
	f.Add("{.a.b[0]}")
	f.Add("{range .a[*]}{.b}{end}")
	f.Add("{.a[?(@.b==1)].c}")
	f.Fuzz(func(t *testing.T, path string) {
		got, err := Field(map[string]any{"a": []any{map[string]any{"b": int64(1), "c": "x"}}}, path)
		if err == nil && len(got) > MaxValue {
			t.Fatalf("%d bytes", len(got))
		}
	})
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte(`{"outputs":{"a":{"value":1}}}`), "a.b")
	f.Fuzz(func(_ *testing.T, state []byte, output string) {
		_, _ = Output(state, output)
		_, _ = Output(pack(string(state)), output)
	})
}

package bridge

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestFieldsOfObjectsOfTheHub(t *testing.T) {
	object := map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{"a.b/c": "quoted"}},
		"status":   map[string]any{"count": int64(3), "ok": false, "empty": "", "list": []any{map[string]any{"t": "A", "v": "1"}, map[string]any{"t": "B", "v": "2"}}, "map": map[string]any{"k": "v"}},
	}
	cases := map[string]struct {
		reason, path, want, problem string
		kind                        gitops.ProblemKind
	}{
		"NoDot":    {reason: "as people write it", path: "status.count", want: "3"},
		"False":    {reason: "no is a value", path: ".status.ok", want: "false"},
		"Quoted":   {reason: "a key with dots", path: `{.metadata.annotations['a\.b/c']}`, want: "quoted"},
		"Filter":   {reason: "one of a list", path: `{.status.list[?(@.t=="B")].v}`, want: "2"},
		"Range":    {reason: "several are separated", path: `{range .status.list[*]}{.v},{end}`, want: "1,2,"},
		"Map":      {reason: "an object is JSON", path: "{.status.map}", want: `{"k":"v"}`},
		"Empty":    {reason: "an empty text is as good as none", path: "{.status.empty}", problem: "the object has no field {.status.empty}", kind: gitops.NotFound},
		"Index":    {reason: "a list ends", path: "{.status.list[5].v}", problem: "no field", kind: gitops.NotFound},
		"Descents": {reason: "looking everywhere twice", path: "{..a..b}", problem: "is too expensive; use no more than one range and one .. in it", kind: gitops.Invalid},
		"Long":     {reason: "a path is cut where it is told", path: "{." + strings.Repeat("é", 600) + "}", problem: "…", kind: gitops.Invalid},
		"Open":     {reason: "a bracket that is not closed", path: "{.a[}", problem: "cannot read the path {.a[}", kind: gitops.Invalid},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Field(object, tc.path)
			if got != tc.want || (err != nil) != (tc.problem != "") {
				t.Fatalf("%s: got %q, %v", tc.reason, got, err)
			}
			if err != nil && (!gitops.IsProblem(err, tc.kind) || !strings.Contains(err.Error(), tc.problem) || len(err.Error()) > 300) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.problem)
			}
		})
	}
}

// Outputs are written into one annotation, and lead into what is in them.
func TestOutputsOfAState(t *testing.T) {
	state := pack(`{"outputs":{"long":{"value":"` + strings.Repeat("x", MaxValue+1) + `"},"longest":{"value":"` + strings.Repeat("x", MaxValue) + `"},
"empty":{"value":""},"list":{"value":["a",null]},"none":{},"zero":{"value":0},"many":{"value":{"k":["x"]},"type":"ignored"}}}`)
	cases := map[string]struct{ reason, output, want, problem string }{
		"Long":      {"a value is bounded", "long", "", `the output "long" has 32769 bytes, more than 32768`},
		"Longest":   {"up to its bound", "longest", strings.Repeat("x", MaxValue), ""},
		"Empty":     {"an empty text is a value", "empty", "", ""},
		"Zero":      {"nought is a value", "zero", "0", ""},
		"Item":      {"a place in a list", "list.0", "a", ""},
		"NullItem":  {"nothing is no value", "list.1", "", `no output "list.1"`},
		"Beyond":    {"a list ends", "list.2", "", `no output "list.2"`},
		"Below":     {"a text has no parts", "empty.a", "", `no output "empty.a"`},
		"Part":      {"a list within is JSON", "many.k", `["x"]`, ""},
		"NoValue":   {"an output without a value", "none", "", `the output "none" cannot be read`},
		"NoName":    {"a name is needed", "", "", `no output ""`},
		"DotsAlone": {"and not only dots", "..", "", `no output ""`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := output(tc.output, state)
			if got != tc.want || (err != nil) != (tc.problem != "") {
				t.Fatalf("%s: got %d bytes, %v", tc.reason, len(got), err)
			}
			if err != nil && !strings.Contains(err.Error(), tc.problem) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.problem)
			}
		})
	}
	for name, text := range map[string]string{"no outputs": `{}`, "null": `{"outputs":null}`, "none": `{"outputs":{}}`} {
		if _, err := output("id", pack(text)); !gitops.IsProblem(err, gitops.NotFound) {
			t.Errorf("of a state with %s is told %v", name, err)
		}
	}
	for name, text := range map[string]string{"a list": `{"outputs":[]}`, "a text": `{"outputs":{"id":"hunter2"}}`} {
		if _, err := output("id", pack(text)); err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "is no JSON") {
			t.Errorf("of %s as outputs is told %v", name, err)
		}
	}
}

// What keeps Terraform's state from being read is told as it is, and what is gone
// while it is read is told as torn.
func TestPartsThatCannotBeRead(t *testing.T) {
	whole := pack(`{"outputs":{"id":{"value":"vpc-1"}},"resources":"` + strings.Repeat("0123456789abcdef", 100) + `"}`)
	denied := gitops.Problemf(gitops.Forbidden, "may not read Secret tfstate-x")
	read := func(parts ...any) error {
		_, err := ReadState(func(number int) ([]byte, error) {
			switch part := parts[number].(type) {
			case []byte:
				return part, nil
			case error:
				return nil, part
			}
			return nil, nil
		})
		return err
	}
	gone := gitops.Problemf(gitops.NotFound, "Secret tfstate-x does not exist")
	cases := map[string]struct {
		reason string
		err    error
		kind   gitops.ProblemKind
		want   string
	}{
		"Denied": {"the hub's answer is told", read(denied), gitops.Forbidden, "may not read Secret tfstate-x"},
		"Gone":   {"a state that is not there is not found", read(gone), gitops.NotFound, "does not exist"},
		"Second": {"nor is a part that may not be read torn", read(whole[:20], denied), gitops.Forbidden, "may not read Secret tfstate-x"},
		"Torn":   {"a part that is gone is", read(whole[:20], gone), gitops.Invalid, "goes on, and Secret tfstate-x does not exist: its parts do not fit together; wait for the end of terraform apply"},
		"Empty":  {"the first part has nothing", read([]byte{}), gitops.Invalid, "it is not packed as the kubernetes backend does it"},
		"Broken": {"one Secret alone is not torn", read(append(append([]byte{}, whole[:10]...), whole[30:]...)), gitops.Invalid, "cannot unpack the Terraform state: "},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if !gitops.IsProblem(tc.err, tc.kind) || !strings.Contains(tc.err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q", tc.reason, tc.err, tc.want)
			}
		})
	}
}

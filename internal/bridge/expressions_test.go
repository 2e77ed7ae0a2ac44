package bridge

import (
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/go-cmp/cmp"
)

// evaluate does what an API server does. That it judges as Check does is tried at one, in
// internal/controller/metadataschema; here is what it is given, and told.
func evaluate(t *testing.T, expression string, object, before any) bool {
	t.Helper()
	env, err := cel.NewEnv(cel.Variable("object", cel.DynType), cel.Variable("oldObject", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	ast, issues := env.Compile(expression)
	if issues.Err() != nil {
		t.Fatalf("%s: %v", expression, issues.Err())
	}
	program, err := env.Program(ast)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := program.Eval(map[string]any{"object": object, "oldObject": before})
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return got.Value() == true
}

// secret is the metadata of an object; nil maps are left out, as JSON has it.
func secret(labels, annotations map[string]string) map[string]any {
	metadata := map[string]any{}
	if labels != nil {
		metadata["labels"] = labels
	}
	if annotations != nil {
		metadata["annotations"] = annotations
	}
	return map[string]any{"metadata": metadata}
}

func TestConditionsChooseSecrets(t *testing.T) {
	const secretType = "argocd.argoproj.io/secret-type"
	cases := map[string]struct {
		reason, selector string
		yes, no          []map[string]string
	}{
		"All":    {"each cluster Secret, and no other one", "{}", []map[string]string{{secretType: "cluster"}}, []map[string]string{nil, {"a": "b"}, {secretType: "repository"}}},
		"Labels": {"all of them", "{matchLabels: {a: x, b: w}}", []map[string]string{{secretType: "cluster", "a": "x", "b": "w"}}, []map[string]string{{secretType: "cluster", "a": "x"}, {"a": "x", "b": "w"}}},
		"Quoted": {"quotes are no end of a text", `{matchLabels: {"a.b/c": x}}`, []map[string]string{{secretType: "cluster", "a.b/c": "x"}}, []map[string]string{{secretType: "cluster", "a": "x"}}},
		"In":     {"one of several", "{matchExpressions: [{key: a, operator: In, values: [x, w]}]}", []map[string]string{{secretType: "cluster", "a": "w"}}, []map[string]string{{secretType: "cluster", "a": "z"}, {secretType: "cluster"}}},
		"NotIn":  {"who has no such label is none of them", "{matchExpressions: [{key: a, operator: NotIn, values: [x]}]}", []map[string]string{{secretType: "cluster", "a": "y"}, {secretType: "cluster"}}, []map[string]string{{secretType: "cluster", "a": "x"}}},
		"Exists": {"with any value", "{matchExpressions: [{key: a, operator: Exists}]}", []map[string]string{{secretType: "cluster", "a": ""}}, []map[string]string{{secretType: "cluster"}}},
		"Absent": {"with none", "{matchExpressions: [{key: a, operator: DoesNotExist}]}", []map[string]string{{secretType: "cluster"}}, []map[string]string{{secretType: "cluster", "a": ""}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			condition := mustSchema(t, "selector: "+tc.selector).Condition()
			for _, l := range tc.yes {
				if !evaluate(t, condition, secret(l, nil), nil) {
					t.Errorf("%s: %v is left out", tc.reason, l)
				}
			}
			for _, l := range tc.no {
				if evaluate(t, condition, secret(l, nil), nil) {
					t.Errorf("%s: %v is chosen", tc.reason, l)
				}
			}
		})
	}
}

// refused are the messages of the expressions that do not hold.
func refused(t *testing.T, s Schema, object, before any) []string {
	t.Helper()
	var out []string
	for _, e := range s.Expressions() {
		if !evaluate(t, e.Expression, object, before) {
			out = append(out, strings.TrimSuffix(e.Message, " (MetadataSchema net)"))
		}
	}
	return out
}

func TestExpressionsRefuseWhatIsNew(t *testing.T) {
	schema := mustSchema(t, `
keys:
- {key: env, in: label, required: true, enum: [dev, prod]}
- {key: port, type: integer, description: "say \"which\"\nport"}
- {key: owner, pattern: 'a|b\d'}
`)
	good := map[string]string{"env": "dev"}
	bad := secret(map[string]string{"env": "x"}, map[string]string{"port": "x", "owner": "ab1"})
	all := []string{"label env must be one of dev, prod", "annotation port must be integer: say \"which\"\nport", `annotation owner must match a|b\d`}
	cases := map[string]struct {
		reason         string
		object, before any
		want           []string
	}{
		"Good":    {"all is as it should be", secret(good, map[string]string{"port": "80", "owner": "b1"}), nil, nil},
		"Bare":    {"a Secret without annotations, and without labels", secret(nil, nil), nil, []string{"label env is required"}},
		"Bad":     {"each rule refuses for itself, with its description", bad, nil, all},
		"Before":  {"who changes something else need not mend it first", bad, bad, nil},
		"Another": {"another wrong value is no old one", bad, secret(map[string]string{"env": "y"}, map[string]string{"port": "x", "owner": "ab1"}), all[:1]},
		"Gone":    {"a required key that goes is missed", secret(nil, nil), secret(good, nil), []string{"label env is required"}},
		"Never":   {"one that was not there before either is not", secret(nil, nil), secret(nil, nil), nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, refused(t, schema, tc.object, tc.before)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestClosedSchemasRefuseKeysThatAreNew(t *testing.T) {
	schema := mustSchema(t, "closed: true\nkeys: [{key: env, in: label}, {key: port}]")
	const labels, annotations = "labels must be named by MetadataSchema net, which is closed", "annotations must be named by MetadataSchema net, which is closed"
	known := secret(map[string]string{"env": "x", "app.kubernetes.io/name": "x"}, map[string]string{"port": "80", "managed-by": "x", "causeway.io/fact-x": "y"})
	cases := map[string]struct {
		reason         string
		object, before any
		want           []string
	}{
		"Known":   {"what is named, and what is reserved", known, nil, nil},
		"Label":   {"a label that nobody named", secret(map[string]string{"port": "80"}, nil), nil, []string{labels}},
		"Both":    {"of both places", secret(map[string]string{"a": ""}, map[string]string{"env": ""}), nil, []string{labels, annotations}},
		"Similar": {"a domain that only ends like a reserved one", secret(nil, map[string]string{"notk8s.io/x": ""}), nil, []string{annotations}},
		"Before":  {"one that was there stays, whatever its value", secret(map[string]string{"a": "2"}, nil), secret(map[string]string{"a": "1"}, nil), nil},
		"Moved":   {"as a label it is new", secret(map[string]string{"a": ""}, nil), secret(nil, map[string]string{"a": ""}), []string{labels}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, e := range schema.Expressions() {
				if !evaluate(t, e.Expression, tc.object, tc.before) {
					got = append(got, e.Message)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

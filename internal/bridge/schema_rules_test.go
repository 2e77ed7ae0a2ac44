package bridge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// schemaOf reads the spec of a MetadataSchema called net.
func schemaOf(t *testing.T, spec string) (Schema, error) {
	t.Helper()
	s := &causeway.MetadataSchema{ObjectMeta: metav1.ObjectMeta{Name: "net"}}
	if err := yaml.UnmarshalStrict([]byte(spec), &s.Spec); err != nil {
		t.Fatal(err)
	}
	return NewSchema(s)
}

func mustSchema(t *testing.T, spec string) Schema {
	t.Helper()
	s, err := schemaOf(t, spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSchemasThatCannotBeUsed(t *testing.T) {
	cases := map[string]struct{ reason, spec, want string }{
		"Type":      {"a type that there is not", "keys: [{key: a, type: date}]", `cannot use MetadataSchema net: key a: there is no type "date"`},
		"Enum":      {"a value of an enum has the type", "keys: [{key: a, type: integer, enum: ['1', two]}]", `key a: "two" of its enum is no integer`},
		"Twice":     {"two rules for one key", "keys: [{key: a}, {key: b}, {key: a, in: annotation}]", "annotation a stands twice"},
		"Selector":  {"an operator that there is not", "selector: {matchExpressions: [{key: a, operator: Near}]}", "its selector: "},
		"NoValues":  {"In of nothing", "selector: {matchExpressions: [{key: a, operator: In}]}", "its selector: "},
		"Lookahead": {"RE2 has none", `keys: [{key: a, pattern: "(?=x)"}]`, "is no regular expression of RE2"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := schemaOf(t, tc.spec)
			if !gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
	if _, err := schemaOf(t, "keys: [{key: a}, {key: a, in: label}]"); err != nil {
		t.Errorf("a label and an annotation may have one name: %v", err)
	}
}

func TestRulesOfASchema(t *testing.T) {
	const spec = `
selector: {matchLabels: {tier: web}}
keys:
- {key: env, in: label, required: true, enum: [dev, prod]}
- {key: port, type: integer, description: "the port of the balancer"}
- {key: owner, pattern: "[a-z]+|[0-9]"}
- {key: free}
closed: true
`
	cases := map[string]struct {
		reason              string
		labels, annotations map[string]string
		want                []string
	}{
		"Good":       {"all is as it should be", map[string]string{"env": "dev"}, map[string]string{"port": "80", "owner": "web", "free": "any thing"}, nil},
		"Missing":    {"what is required", nil, nil, []string{"label env is required"}},
		"Empty":      {"an empty value is none", map[string]string{"env": ""}, map[string]string{"port": "", "owner": ""}, []string{"label env is required"}},
		"Enum":       {"one of some", map[string]string{"env": "stage"}, nil, []string{"label env must be one of dev, prod"}},
		"Type":       {"the rule says what it is about", map[string]string{"env": "dev"}, map[string]string{"port": "http"}, []string{"annotation port must be integer: the port of the balancer"}},
		"Pattern":    {"the whole value matches, of alternatives, too", map[string]string{"env": "dev"}, map[string]string{"owner": "web1"}, []string{"annotation owner must match [a-z]+|[0-9]"}},
		"Order":      {"in the order of the schema", map[string]string{"env": "x"}, map[string]string{"owner": "-", "port": "x"}, []string{"label env must be one of dev, prod", "annotation port must be integer: the port of the balancer", "annotation owner must match [a-z]+|[0-9]"}},
		"Closed":     {"a key that nobody named, and what may be meant", map[string]string{"env": "dev"}, map[string]string{"ports": "80"}, []string{`annotation ports is not in the schema; did you mean "port"?`}},
		"OtherPlace": {"a label is no annotation", map[string]string{"env": "dev", "port": "80"}, nil, []string{"label port is not in the schema"}},
		"Reserved":   {"keys of Kubernetes and of engines are not the schema's", map[string]string{"env": "dev", "app.kubernetes.io/name": "x"}, map[string]string{"causeway.io/x": "y", "managed-by": "z", "a.argoproj.io/b": "c"}, nil},
		"LikeOne":    {"a domain that ends like one of them", map[string]string{"env": "dev"}, map[string]string{"notcauseway.io/x": "y"}, []string{"annotation notcauseway.io/x is not in the schema"}},
		"Concerned":  {"another tier", map[string]string{"tier": "db", "env": "x"}, nil, nil},
	}
	schema := mustSchema(t, spec)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := gitops.Cluster{Name: "spoke", Secret: "s", Labels: map[string]string{"tier": "web"}, Annotations: tc.annotations}
			for k, v := range tc.labels {
				c.Labels[k] = v
			}
			var got []string
			for _, v := range schema.Check(c) {
				if v.Key != (Key{Label, "tier"}) { // the selector's own key is not in the schema
					got = append(got, strings.TrimSuffix(strings.TrimPrefix(v.String(), "cluster spoke: "), " (MetadataSchema net)"))
				}
				if !v.Deny {
					t.Errorf("%v is let through, though nobody said so", v)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSchemasAreForClustersWithASecret(t *testing.T) {
	required := mustSchema(t, "enforcement: Warn\nkeys: [{key: env, required: true}]")
	if found := required.Check(gitops.Cluster{Name: "in-cluster"}); len(found) > 0 {
		t.Errorf("nobody can set a key of the hub's own cluster: %v", found)
	}
	if found := required.Check(gitops.Cluster{Name: "a", Secret: "a"}); len(found) != 1 || found[0].Deny {
		t.Errorf("a schema that warns refuses nothing: %+v", found)
	}
	byType := mustSchema(t, "selector: {matchLabels: {"+v1alpha1.LabelSecretType+": "+v1alpha1.SecretTypeCluster+"}}\nkeys: [{key: env, required: true}]")
	if found := byType.Check(gitops.Cluster{Name: "a", Secret: "a"}); len(found) != 1 {
		t.Errorf("each cluster Secret has its label, whether it is known of the cluster or not: %v", found)
	}
}

func TestOverviewTellsWhatSchemasSay(t *testing.T) {
	schemas := []Schema{
		mustSchema(t, "selector: {matchLabels: {tier: db}}\nkeys: [{key: size, type: boolean}]"),
		mustSchema(t, "keys: [{key: size, type: number}, {key: text}]"),
		mustSchema(t, "keys: [{key: size, type: url}]"),
	}
	c := Cluster{Cluster: gitops.Cluster{Name: "a", Secret: "a", Annotations: map[string]string{"size": "3", "text": "3", "other": "3"}}}
	type told struct {
		Type            Type
		Schema, Problem string
	}
	got := map[string]told{}
	for _, k := range Overview([]Cluster{c}, nil, schemas)[0].Keys {
		got[k.Name] = told{k.Type, k.Schema, k.Problem}
	}
	want := map[string]told{
		"size":  {TypeNumber, "net", "must be url"}, // the first that concerns the cluster names the type, and each may object
		"text":  {TypeString, "net", ""},            // a rule without a type takes any text
		"other": {TypeInteger, "", ""},              // no schema: a guess
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

package object

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// What a change permits, and to whom, decides whether two applications are told as one:
// who approves a group approves each of them.
func TestGrantsOfTwoApplications(t *testing.T) {
	const clusterRole = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: NAME-role}\nrules: []\n"
	binding := func(kind, role string) string {
		return "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: x, namespace: apps}\nroleRef: {kind: " + kind + ", name: " + role + "}\nsubjects: [" + toAccount + "]\n"
	}
	cases := map[string]struct {
		reason, before, after string
		want                  bool
	}{
		"OwnClusterRole":   {"a role of the whole cluster that comes with it", "", clusterRole + and + ownAccount + and + binding("ClusterRole", "NAME-role"), true},
		"OtherKind":        {"a role of the namespace is another one", "", clusterRole + and + ownAccount + and + binding("Role", "NAME-role"), false},
		"OtherNamespace":   {"so is one of another namespace", "", strings.ReplaceAll(ownRole, "apps", "other") + and + ownAccount + and + binding("Role", "NAME-role"), false},
		"AccountElsewhere": {"an account of another namespace is somebody else's", "", ownRole + and + strings.ReplaceAll(ownAccount, "apps", "other") + and + binding("Role", "NAME-role"), false},
		"SubjectThatComes": {"who comes as a further subject counts", roleBinding("x", "{kind: User, name: a}"), roleBinding("x", "{kind: User, name: a}, {kind: User, name: NAME}"), false},
		"LabelOfRole":      {"a role's label is a name like others", "", strings.Replace(ownRole, "metadata: {", "metadata: {labels: {app: NAME}, ", 1), true},
		"Aggregated":       {"what a role takes from others is not", "", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: NAME-role}\naggregationRule: {clusterRoleSelectors: [{matchLabels: {a: NAME}}]}\nrules: []\n", false},
		"SystemNamespace":  {"names of Kubernetes are nobody's", "", strings.ReplaceAll(ownAccount, "NAME-sa", "system-NAME"), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			one := change{"admin", "east", tc.before, tc.after}.written(t)
			other := change{"zoo", "west", tc.before, tc.after}.written(t)
			if (one == other) != tc.want {
				t.Errorf("%s: alike is %v\n%q\n%q", tc.reason, one == other, one, other)
			}
		})
	}
}

func TestNamesInTexts(t *testing.T) {
	cases := map[string]struct {
		reason, field, value string
		want                 bool
	}{
		"HostOfName":     {"a label of a host", "host", "NAME.apps.example.com", true},
		"HostPart":       {"a part of a label", "host", "my-NAME.apps.example.com", false},
		"HostPort":       {"with a port", "host", "NAME.example.com:8080", true},
		"HostLast":       {"the domain itself is no name", "host", "web.NAME", false},
		"Wildcard":       {"of any host", "host", "*.CLUSTER.example.com", true},
		"URL":            {"a host in an address", "address", "https://CLUSTER.example.com/a", true},
		"URLWithUser":    {"an address of another form is a text", "address", "https://a@NAME.example.com/a", false},
		"Settings":       {"a line that says the cluster", "conf", "a: 1\ncluster_name: \"CLUSTER\"\nb: NAME2", true},
		"SettingsOther":  {"a line that says something else", "conf", "region = CLUSTER", false},
		"SettingsPart":   {"what only begins with it", "conf", "cluster: CLUSTER-admin", false},
		"SettingsRole":   {"a key that says who may do what", "conf", "clusterRole: CLUSTER", false},
		"SettingsFlag":   {"as a flag", "args", "--cluster=CLUSTER", true},
		"SettingsNumber": {"a flag with another value", "args", "--cluster-domain=a.CLUSTER", false},
		"Tag":            {"a tag means the same everywhere", "imageTag", "NAME", false},
		"Path":           {"a path of an object is no path of an application", "path", "clusters/CLUSTER", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			side := func(value string) string {
				return "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: x, namespace: ns}\nspec:\n  " + tc.field + ": |-\n    " + strings.ReplaceAll(value, "\n", "\n    ") + "\n"
			}
			value := strings.ReplaceAll(tc.value, "NAME2", "x")
			one := change{"admin", "east", side("x"), side(value)}.written(t)
			other := change{"zoo", "west", side("x"), side(value)}.written(t)
			if (one == other) != tc.want {
				t.Errorf("%s: alike is %v\n%q\n%q", tc.reason, one == other, one, other)
			}
		})
	}
}

// An application without a cluster's name, or that is called as its cluster is, has
// its own name put aside all the same.
func TestNamesThatAreMissingOrTheSame(t *testing.T) {
	written := func(own Own, value string) string {
		text, err := Alike(own, []forecast.Field{{Path: "spec.destination.name", New: value}}, Comparison{})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if written(Own{Application: "a-web"}, "a-web") != written(Own{Application: "b-web"}, "b-web") {
		t.Error("without a cluster the application's name is shown")
	}
	if written(Own{Application: "web", Cluster: "web"}, "web") == written(Own{Application: "b", Cluster: "c"}, "c") {
		t.Error("what is called as both is taken for the cluster's name")
	}
	if written(Own{}, "") != written(Own{Application: "a", Cluster: "b", Server: "c"}, "") {
		t.Error("an empty value is taken for a name")
	}
}

// The first line that differs, and all that differs, are the change of a text.
func TestLinesThatDiffer(t *testing.T) {
	cases := map[string]struct {
		reason, a, b string
		line         int
		old, head    string
	}{
		"Same":   {"nothing differs", "a\nb\n", "a\nb\n", 3, "", ""},
		"Middle": {"without what is before and after it", "a\nb\nc\n", "a\nx\nc\n", 1, "b\n", "x\n"},
		"Comes":  {"a line more", "a\nc\n", "a\nb\nc\n", 1, "", "b\n"},
		"Goes":   {"a line less, of several that are the same", "a\na\na\n", "a\na\n", 2, "a\n", ""},
		"Ends":   {"the end of the last line", "a\nb", "a\nb\n", 1, "b", "b\n"},
		"Nought": {"of nothing", "", "a\n", 0, "", "a\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			line, old, head := differing(tc.a, tc.b)
			if line != tc.line || old != tc.old || head != tc.head {
				t.Errorf("%s: line %d, %q and %q", tc.reason, line, old, head)
			}
		})
	}
}

func TestStepsOfPaths(t *testing.T) {
	cases := map[string]struct {
		reason, path string
		keys         []string
	}{
		"Keys":       {"keys of mappings", "spec.a.b", []string{"spec", "a", "b"}},
		"Items":      {"items are no keys", "spec.l[3].a", []string{"spec", "l", "a"}},
		"Quoted":     {"a key with dots and brackets", `spec["a.b]\"c"].d`, []string{"spec", `a.b]"c`, "d"}},
		"Variable":   {"the value of an item is the item's", "spec.env[name=ROLE].value", []string{"spec", "env", "ROLE"}},
		"OtherField": {"another field of it is not", "spec.env[name=ROLE].valueFrom", []string{"spec", "env", "valueFrom"}},
		"NoName":     {"an item without a name has none", "spec.env[id=3].value", []string{"spec", "env", "value"}},
		"Cut":        {"what was cut has no keys", "spec.aaa….b", nil},
		"First":      {"an item of nothing", "[a].b", nil},
		"Open":       {"a bracket that is not closed", "spec[a", nil},
		"OpenQuote":  {"a quote that is not closed", `spec["a]`, nil},
		"NoBracket":  {"a quoted key without its bracket", `spec["a".b`, nil},
		"Dots":       {"a key without letters", "spec..a", nil},
	}
	n := newStandIns(Own{}, nil)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text, keys := n.path(subject{}, tc.path)
			if strings.Join(keys, "|") != strings.Join(tc.keys, "|") || len(keys) != len(tc.keys) {
				t.Errorf("%s: the keys are %q", tc.reason, keys)
			}
			if text != tc.path {
				t.Errorf("%s: without names the path is %q", tc.reason, text)
			}
		})
	}
}

package object

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// change is one application with the objects of two sides.
type change struct {
	name, cluster, before, after string
}

// written is the change as Alike writes it. NAME and CLUSTER stand in the texts
// for those of the application.
func (c change) written(t *testing.T) string {
	t.Helper()
	fill := strings.NewReplacer("NAME", c.name, "CLUSTER", c.cluster).Replace
	before, after := manifests(t, fill(c.before)), manifests(t, fill(c.after))
	own := Own{Application: c.name, Cluster: c.cluster, Server: "https://" + c.cluster + ".example.com", Namespace: "apps", Manifests: append(before, after...)}
	text, err := Alike(own, nil, Compare(before, after, Options{Namespace: "apps"}))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// thing is an object with one field.
func thing(field, value string) string {
	return "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: x, namespace: ns}\nspec: {" + field + ": '" + value + "'}\n"
}

// labelled is an object with one label.
func labelled(key, value string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: ns, labels: {" + key + ": '" + value + "'}}\n"
}

func roleBinding(role, subject string) string {
	return "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: x, namespace: apps}\n" +
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: " + role + "}\nsubjects: [" + subject + "]\n"
}

const (
	ownRole    = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: NAME-role, namespace: apps}\nrules: []\n"
	ownAccount = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: NAME-sa, namespace: apps}\n"
	toAccount  = "{kind: ServiceAccount, name: NAME-sa, namespace: apps}"
	and        = "---\n"
)

func TestAlike(t *testing.T) {
	cases := map[string]struct {
		reason        string
		before, after string
		want          bool
	}{
		"own name":                       {"objects are named after their application", "", strings.ReplaceAll(ownAccount, "apps", "NAME"), true},
		"own name in the middle":         {"and after their cluster", "", labelled("a", "b") + and + "apiVersion: v1\nkind: Secret\nmetadata: {name: eks-CLUSTER-NAME-x}\n", true},
		"label":                          {"a label that is the name", "", labelled("app.kubernetes.io/instance", "NAME"), true},
		"label made of the name":         {"what only begins with the name is no name", "", labelled("tier", "NAME-admin"), false},
		"key":                            {"a key is no name", "", labelled("NAME", "x"), false},
		"field":                          {"a field that is the name", thing("owner", "x"), thing("owner", "NAME"), true},
		"cluster":                        {"a field that is the cluster", thing("target", "x"), thing("target", "CLUSTER"), true},
		"server":                         {"a field that is the server", thing("target", "x"), thing("target", "https://CLUSTER.example.com"), true},
		"role":                           {"a role means the same everywhere", thing("role", "x"), thing("role", "NAME"), false},
		"role below":                     {"wherever it is named", thing("a", "x"), "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: x, namespace: ns}\nspec: {a: x, clusterRoleRef: {name: NAME}}\n", false},
		"group":                          {"so does a group", thing("group", "x"), thing("group", "NAME"), false},
		"project":                        {"and a project", thing("project", "x"), thing("project", "NAME"), false},
		"kind":                           {"and a kind", thing("targetKind", "x"), thing("targetKind", "NAME"), false},
		"image":                          {"and an image", thing("image", "x"), thing("image", "NAME"), false},
		"version":                        {"and a version", thing("version", "x"), thing("version", "NAME"), false},
		"pod security":                   {"and a level of what is permitted", "", labelled("pod-security.kubernetes.io/enforce", "NAME"), false},
		"word":                           {"a word of a text is no name", thing("rule", "x"), thing("rule", "allow NAME all"), false},
		"part":                           {"what is made of it is none", thing("grants", "x"), thing("binds", "cluster-NAME"), false},
		"own object":                     {"but for the name of an object that it has", thing("secretName", "x"), thing("secretName", "NAME-sa") + and + ownAccount, true},
		"host":                           {"a label of a host", thing("host", "x"), thing("host", "web.CLUSTER.example.com"), true},
		"address":                        {"the host of a URL", thing("url", "x"), thing("url", "http://NAME:80/NAME"), false},
		"address alone":                  {"and not its path", thing("url", "x"), thing("url", "http://NAME:80/x"), true},
		"text with dots":                 {"what ends with the name is no host", thing("may", "x"), thing("may", "roles.NAME"), false},
		"setting":                        {"a flag that says the cluster", thing("args", "x"), thing("args", "--cluster-name=CLUSTER"), true},
		"setting of the name":            {"a flag with another meaning", thing("args", "x"), thing("args", "--as=NAME"), false},
		"account":                        {"an account that it has", thing("serviceAccountName", "x"), strings.ReplaceAll(thing("serviceAccountName", "NAME-sa"), "namespace: ns", "namespace: apps") + and + ownAccount, true},
		"other account":                  {"an account of somebody else", thing("serviceAccountName", "x"), thing("serviceAccountName", "NAME"), false},
		"own role":                       {"a role that comes with the binding", "", ownRole + and + ownAccount + and + roleBinding("NAME-role", toAccount), true},
		"role that was there":            {"a role of which the change tells nothing", ownRole, ownRole + and + roleBinding("NAME-role", "{kind: User, name: x}"), false},
		"role of somebody else":          {"a role of somebody else", "", roleBinding("cluster-NAME", "{kind: User, name: x}"), false},
		"user":                           {"a user is no object of the application", "", roleBinding("x", "{kind: User, name: NAME}"), false},
		"other people's account":         {"nor is an account that it does not have", "", roleBinding("x", toAccount), false},
		"permission":                     {"what a role permits", "", strings.Replace(ownRole, "[]", "[{apiGroups: [''], resources: [NAME], verbs: [get]}]", 1), false},
		"definition":                     {"a definition is named by what it defines", "", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: NAME.example.com}\n", false},
		"variable":                       {"a variable's name is a key", "", wrap("v1", "Pod", "spec: {containers: [{name: c, image: c, env: [{name: NAME, value: x}]}]}"), false},
		"variable that says a role":      {"a variable is a field by its name", "", wrap("v1", "Pod", "spec: {containers: [{name: c, image: c, env: [{name: ROLE, value: NAME}]}]}"), false},
		"variable that changes":          {"also where it tells the variable apart", wrap("v1", "Pod", "spec: {containers: [{name: c, env: [{name: ROLE, value: x}]}]}"), wrap("v1", "Pod", "spec: {containers: [{name: c, env: [{name: ROLE, value: NAME}]}]}"), false},
		"variable that says a name":      {"and others are names", wrap("v1", "Pod", "spec: {containers: [{name: c, env: [{name: APP, value: x}]}]}"), wrap("v1", "Pod", "spec: {containers: [{name: c, env: [{name: APP, value: NAME}]}]}"), true},
		"argument":                       {"what an argument means is not known", "", wrap("v1", "Pod", "spec: {containers: [{name: c, image: c, args: [--as, NAME]}]}"), false},
		"image elsewhere":                {"an image is no host", thing("sidecar", "x"), thing("sidecar", "NAME.example.com/tool"), false},
		"image by its URL":               {"in no form", thing("sidecar", "x"), thing("sidecar", "oci://NAME.example.com/tool"), false},
		"container":                      {"a container's is a name", "", wrap("v1", "Pod", "spec: {containers: [{name: NAME, image: c}]}"), true},
		"container that changes":         {"also where it tells the container apart", wrap("v1", "Pod", "spec: {containers: [{name: NAME, image: c}]}"), wrap("v1", "Pod", "spec: {containers: [{name: NAME, image: d}]}"), true},
		"lines that stay":                {"of a text only what changes counts", wrap("v1", "ConfigMap", "data: {a: \"as NAME\\n1\\n\"}"), wrap("v1", "ConfigMap", "data: {a: \"as NAME\\n2\\n\"}"), true},
		"lines that change":              {"and that counts", wrap("v1", "ConfigMap", "data: {a: \"as NAME\\n1\\n\"}"), wrap("v1", "ConfigMap", "data: {a: \"1\\nas NAME\\n\"}"), false},
		"names of two objects and order": {"the order of names is none of the change", "", labelled("a", "1") + and + "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME, namespace: ns}\n", true},
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

func TestNamesThatMeanMoreAreNotPutAside(t *testing.T) {
	for _, name := range []string{"true", "1", "off", "1e3", "default", "kube-system"} {
		one := change{name, "east", thing("x", ""), thing("x", "NAME")}.written(t)
		other := change{"zoo", "east", thing("x", ""), thing("x", "NAME")}.written(t)
		if one == other {
			t.Errorf("the value %q is taken for a name", name)
		}
	}
	namespace := "apiVersion: v1\nkind: Namespace\nmetadata: {name: kube-NAME}\n"
	if (change{"system", "east", "", namespace}).written(t) == (change{"zoo", "east", "", namespace}).written(t) {
		t.Error("kube-system belongs to Kubernetes")
	}
	role := "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: cluster-NAME}\nrules: []\n"
	if (change{"admin", "east", "", role}).written(t) == (change{"zoo", "east", "", role}).written(t) {
		t.Error("cluster-admin is a role of every cluster")
	}
}

func TestNoTextIsTakenForAStandIn(t *testing.T) {
	one := change{"zoo", "east", thing("x", ""), thing("x", "zoo")}.written(t)
	other := change{"admin", "west", thing("x", ""), strings.ReplaceAll(thing("x", "VALUE"), "'VALUE'", `"\0application\x01"`)}.written(t)
	if one == other {
		t.Error("a text stands in for a name")
	}
}

func TestWhatIsCutCountsByItsLength(t *testing.T) {
	big := func(name string, lines int) string {
		text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, labels: {a: " + name + "}}\ndata:\n  a: |\n" + strings.Repeat("    a line\n", lines)
		return change{name, "east", "", text}.written(t)
	}
	if one, other := big("web", 9000), big("zoo", 9000); one != other || strings.Contains(one, `: web`) {
		t.Error("a manifest that is cut has names, too")
	}
	if big("web", 9000) == big("zoo", 9001) {
		t.Error("what is left out is not the same")
	}
}

func TestAlikeHasRisksAndImages(t *testing.T) {
	objects := func(name string) []forecast.Object {
		return []forecast.Object{{Change: forecast.Changed, Version: "v1", Kind: "Pod", Namespace: "n", Name: name}}
	}
	written := func(name string, c Comparison) string {
		c.Objects = objects(name)
		text, err := Alike(Own{Application: name, Cluster: "east"}, nil, c)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	risk := func(name, message string) Comparison {
		return Comparison{Risks: []forecast.Risk{{Kind: forecast.RiskImmutable, Object: "Pod n/" + name, Message: message}}}
	}
	image := func(name, image string) Comparison {
		return Comparison{Images: []forecast.Image{{New: image, Objects: []string{"Pod/" + name}}}}
	}
	for reason, differ := range map[string]bool{
		"the same risk":  written("a", risk("a", "x")) != written("b", risk("b", "x")),
		"the same image": written("a", image("a", "x")) != written("b", image("b", "x")),
		"another risk":   written("a", risk("a", "x")) == written("b", risk("b", "y")),
		"no risk":        written("a", risk("a", "x")) == written("b", Comparison{}),
		"another image":  written("a", image("a", "a")) == written("b", image("b", "b")),
		"no image":       written("a", image("a", "x")) == written("b", Comparison{}),
	} {
		if differ {
			t.Errorf("%s decides otherwise", reason)
		}
	}
}

func TestFieldsOfTheApplicationAreAlike(t *testing.T) {
	written := func(name, cluster, path, format string) string {
		value := strings.NewReplacer("NAME", name, "CLUSTER", cluster).Replace(format)
		own := Own{Application: name, Cluster: cluster, Server: "https://" + cluster}
		text, err := Alike(own, []forecast.Field{{Path: path, Old: "x", New: value}}, Comparison{})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	cases := map[string]struct {
		path, value string
		want        bool
	}{
		"cluster":     {"spec.destination.name", "CLUSTER", true},
		"server":      {"spec.destination.server", "https://CLUSTER", true},
		"folder":      {"spec.source.path", "clusters/CLUSTER/web", true},
		"value file":  {"spec.source.helm.valueFiles[0]", "values/CLUSTER.yaml", true},
		"release":     {"spec.source.helm.releaseName", "NAME", true},
		"quoted key":  {`metadata.labels["example.com/app"]`, "NAME", true},
		"project":     {"spec.project", "NAME", false},
		"chart":       {"spec.source.chart", "NAME", false},
		"repository":  {"spec.source.repoURL", "https://git.example.com/NAME", false},
		"revision":    {"spec.source.targetRevision", "NAME", false},
		"cut path":    {"spec.a…", "NAME", false},
		"broken path": {`spec["a`, "NAME", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			one, other := written("admin", "east", tc.path, tc.value), written("zoo", "west", tc.path, tc.value)
			if (one == other) != tc.want {
				t.Errorf("alike is %v\n%q\n%q", one == other, one, other)
			}
		})
	}
}

func FuzzAlike(f *testing.F) {
	f.Add("web", "east", `spec.a["b.c"][name=web]`, "web\nx", "web")
	f.Add("a", "", "[", "\x00", "a.b.c")
	f.Fuzz(func(t *testing.T, name, cluster, path, old, head string) {
		fields := []forecast.Field{{Path: path, Old: old, New: head}}
		own := Own{Application: name, Cluster: cluster}
		c := Comparison{Objects: []forecast.Object{{Name: head, Namespace: old, Fields: fields, Manifest: old}}}
		one, err := Alike(own, fields, c)
		if err != nil {
			t.Fatal(err)
		}
		if other, _ := Alike(own, fields, c); one != other {
			t.Errorf("twice the same is not alike: %q %q", one, other)
		}
	})
}

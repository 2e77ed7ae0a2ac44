package generate

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestReadsAsksAny(t *testing.T) {
	const changed = "metadata.labels.a"
	cases := map[string]struct {
		reason string
		reads  Reads
		want   bool
	}{
		"another":   {"a label that nothing reads", Reads{Keys: []string{"metadata.labels.b", "metadata.annotations.a", "name"}}, false},
		"itself":    {"the label is read", Reads{Keys: []string{changed}}, true},
		"all":       {"a loop reads each label", Reads{Keys: []string{"metadata.labels"}}, true},
		"whole":     {"a template takes all parameters", Reads{Keys: []string{everything}}, true},
		"below":     {"a.b may be b of the label a", Reads{Keys: []string{"metadata.labels.a.b"}}, true},
		"longer":    {"ab is another label", Reads{Keys: []string{"metadata.labels.ab"}}, false},
		"list":      {"the list of clusters has the labels of each", Reads{Keys: []string{"clusters"}}, true},
		"in a list": {"and so has one of them", Reads{Keys: []string{"clusters.0.name"}}, true},
		"any":       {"it is not known what is read", Reads{AnyKey: true}, true},
	}
	for name, c := range cases {
		if got := c.reads.AsksAny([]string{"metadata.labels.other-one", changed}); got != c.want {
			t.Errorf("%s: %s: %v, want %v", name, c.reason, got, c.want)
		}
		if c.reads.AsksAny(nil) {
			t.Errorf("%s: a change of no key is asked for", name)
		}
	}
}

// TestKeysThatAnyMayBe is about sets of which it is not known which keys decide.
func TestKeysThatAnyMayBe(t *testing.T) {
	matrix := func(goTemplate bool, second string) string {
		return fmt.Sprintf("spec: {goTemplate: %v, generators: [{matrix: {generators: [{clusters: {}}, %s]}}], template: {metadata: {name: x}, spec: {project: default}}}", goTemplate, second)
	}
	many := "{{metadata.labels." + strings.Repeat("k", longest) + "}}"
	cases := map[string]struct {
		reason, set string
		want        bool
	}{
		"matrix":       {"both have to agree in all labels", matrix(false, `{list: {elements: [{metadata.labels.b: "1"}]}}`), true},
		"two clusters": {"both are clusters", matrix(false, `{clusters: {}}`), true},
		"list":         {"a list without metadata agrees with each cluster", matrix(false, `{list: {elements: [{k: "1"}]}}`), false},
		"go":           {"the first one wins", matrix(true, `{list: {elements: [{metadata: {labels: {b: "1"}}}]}}`), false},
		"long":         {"a key that is too long to be remembered", matrix(false, fmt.Sprintf(`{list: {elements: [{k: %q}]}}`, many)), true},
	}
	g := grammar{rand.New(rand.NewPCG(1, 0))}
	for name, c := range cases {
		set := &v1alpha1.ApplicationSet{}
		if err := yaml.Unmarshal([]byte(c.set), set); err != nil {
			t.Fatal(err)
		}
		out, _ := New(fakeClusters{g.cluster("c0")}, fakeRepos{}, anyProject{}).Applications(t.Context(), set)
		if out.Reads.AnyKey != c.want {
			t.Errorf("%s: %s: any key is %v, want %v", name, c.reason, out.Reads.AnyKey, c.want)
		}
	}
}

// alphabet are the labels and annotations of the clusters of the test below.
var alphabet = []string{"a", "b", "a.b", "example.com/c"}

// grammar makes sets at random.
type grammar struct{ *rand.Rand }

func (g grammar) one(of ...string) string { return of[g.IntN(len(of))] }

func (g grammar) place() string { return g.one("labels", "annotations") }

// fast is a text with parameters of the fast mode.
func (g grammar) fast() string {
	return g.one(
		"x", "{{name}}", "{{ metadata."+g.place()+"."+g.one(alphabet...)+" }}", "{{values.v}}",
		"{{metadata."+g.place()+"."+g.one(alphabet...)+"}}-{{metadata.labels."+g.one(alphabet...)+"}}",
	)
}

// path is an expression of a Go template that leads to some parameter.
func (g grammar) path(deep int) string {
	if deep == 0 {
		return g.one(".name", `"a"`, `"labels"`, ".metadata", ".metadata.labels", ".metadata.annotations", ".metadata.labels.a", "$.metadata.labels.b", ".values.v")
	}
	at, key := g.path(deep-1), g.key(deep-1)
	return g.one(
		at,
		"(index .metadata "+g.quoted("labels", "annotations")+" "+key+")",
		"(index .metadata."+g.place()+" "+key+")",
		"(get .metadata."+g.place()+" "+key+" | default "+at+")",
		"(index .metadata "+key+")",
		"((index .metadata "+key+").a)",
		"(index (index .metadata "+key+") "+g.key(deep-1)+")",
		"(dig "+key+" "+g.key(deep-1)+" "+at+" .metadata)",
		"(.metadata | dig "+key+" "+g.quoted(alphabet...)+" "+at+")",
		`(fromJson "{}" | dig "a" "b" `+at+")",
		"(dict "+key+" "+at+")", "(toJson "+at+")", "(list "+at+" "+key+" | join \"-\")",
		"(ternary "+at+" "+key+" (hasKey .metadata.labels "+g.quoted(alphabet...)+"))",
	)
}

func (g grammar) quoted(of ...string) string { return fmt.Sprintf("%q", g.one(of...)) }

func (g grammar) key(deep int) string {
	if g.IntN(2) == 0 {
		return g.quoted(append([]string{"labels", "annotations"}, alphabet...)...)
	}
	return "(" + g.path(deep) + " | toString)"
}

// full is a Go template.
func (g grammar) full() string {
	p, q := g.path(g.IntN(3)), g.path(g.IntN(3))
	return g.one(
		"x", "{{"+p+"}}", "{{"+p+" | toString}}{{"+q+"}}",
		"{{with "+p+"}}{{.a}}{{else}}{{"+q+"}}{{end}}",
		"{{if "+p+"}}{{"+q+"}}{{end}}",
		"{{if eq ("+p+" | toString) "+g.quoted("1", "2")+"}}y{{end}}",
		"{{$x := "+p+"}}{{if "+q+"}}{{$x = .metadata."+g.place()+"}}{{end}}{{$x}}",
		"{{range $k, $v := .metadata."+g.place()+"}}{{$k}}{{$v}}{{end}}",
		`{{define "t"}}{{.labels.a}}{{end}}{{template "t" .metadata}}`,
		"{{with $y := index .metadata "+g.key(1)+"}}{{index $y "+g.quoted(alphabet...)+"}}{{end}}",
	)
}

// set is an ApplicationSet of one or two generators and templates at random.
func (g grammar) set() string {
	text, mode := g.fast, "false"
	name := "n-{{name}}"
	if g.IntN(3) > 0 {
		text, mode, name = g.full, "true", "n-{{.name}}"
	}
	clusters := fmt.Sprintf("{clusters: {selector: %s, values: {v: %q}}}", g.selector(), text())
	if g.IntN(5) == 0 {
		clusters = "{clusters: {flatList: true}}"
	}
	generator := clusters
	list := fmt.Sprintf("{list: {elements: [{name: c0, k: %q, %s: \"1\"}]}}", text(), g.one("m", "metadata.annotations.a", "metadata.labels.b"))
	switch g.IntN(4) {
	case 0:
		generator = fmt.Sprintf("{matrix: {generators: [%s, {list: {elements: [{k: %q}]}}]}}", clusters, text())
	case 1:
		generator = fmt.Sprintf("{merge: {mergeKeys: [%s], generators: [%s, %s]}}", g.one("name", "metadata", "metadata.labels.a"), clusters, list)
	case 2:
		generator = fmt.Sprintf("{matrix: {generators: [%s, %s]}}", g.one(clusters, list), g.one(list, clusters))
	}
	if g.IntN(4) == 0 {
		generator = strings.TrimSuffix(generator, "}") + fmt.Sprintf(", selector: {matchLabels: {metadata.labels.%s: \"1\"}}}", g.one("a", "b"))
	}
	return fmt.Sprintf(`
metadata: {name: random, namespace: argocd}
spec:
  goTemplate: %s
  generators: [%s]
  templatePatch: %q
  template:
    metadata: {name: %q, labels: {l: %q}}
    spec:
      project: default
      source: {repoURL: "https://git.example.com/a", path: %q}
      destination: {name: c0, namespace: %q}
`, mode, generator, g.one("", "spec: {info: [{name: n, value: '"+strings.ReplaceAll(text(), "'", "")+"'}]}"), name, text(), text(), text())
}

func (g grammar) selector() string {
	return g.one("{}", fmt.Sprintf("{matchLabels: {%s: \"1\"}}", g.one(alphabet...)),
		fmt.Sprintf("{matchExpressions: [{key: %s, operator: %s}]}", g.one(alphabet...), g.one("Exists", "DoesNotExist")))
}

func (g grammar) cluster(name string) gitops.Cluster {
	values := func(of map[string]string) map[string]string {
		for _, key := range alphabet {
			if g.IntN(2) == 0 {
				of[key] = g.one("1", "2", "a", "labels")
			}
		}
		return of
	}
	return gitops.Cluster{
		Name: name, Server: "https://" + name, Secret: name,
		Labels: values(map[string]string{secretTypeLabel: "cluster"}), Annotations: values(map[string]string{"always": "x"}),
	}
}

// changed is a cluster of which one label or annotation is new, another one or gone.
func (g grammar) changed(c gitops.Cluster) (now gitops.Cluster, key string) {
	place, name := g.place(), g.one(alphabet...)
	c.Labels, c.Annotations = maps.Clone(c.Labels), maps.Clone(c.Annotations)
	values := map[string]map[string]string{"labels": c.Labels, "annotations": c.Annotations}[place]
	if _, has := values[name]; has && g.IntN(2) == 0 {
		delete(values, name)
	} else {
		values[name] = g.one("1", "3", "b", "annotations")
	}
	return c, "metadata." + place + "." + name
}

// given is all that a set gives, errors and what is rejected as well.
func given(e *Expansion, err error) string {
	rejected := make([]string, 0, len(e.Rejected))
	for _, r := range e.Rejected {
		rejected = append(rejected, r.Name+": "+r.Err.Error())
	}
	text, _ := yaml.Marshal(e.Applications)
	return fmt.Sprintf("%s\n%q\n%q\n%v", text, rejected, e.Unresolved, err != nil)
}

// TestUnreadKeysChangeNothing changes, in fleets and sets at random, keys of a cluster that
// the set did not read: it gives the same. After an error nothing is known of its keys.
func TestUnreadKeysChangeNothing(t *testing.T) {
	const rounds = 400
	unread := 0
	for seed := range uint64(rounds) {
		unread += unreadOf(t, seed)
	}
	if unread < rounds/10 {
		t.Errorf("only %d of %d changes were of keys that are not read: the test tells little", unread, rounds)
	}
}

func FuzzUnreadKeysChangeNothing(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { unreadOf(t, seed) })
}

func unreadOf(t *testing.T, seed uint64) (unread int) {
	t.Helper()
	g := grammar{rand.New(rand.NewPCG(seed, 0))}
	text := g.set()
	set := &v1alpha1.ApplicationSet{}
	if err := yaml.Unmarshal([]byte(text), set); err != nil {
		t.Fatalf("%s\n%s", err, text)
	}
	before := fakeClusters{g.cluster("c0"), g.cluster("c1")}
	first, err := New(before, fakeRepos{}, anyProject{}).Applications(t.Context(), set)
	if err != nil {
		return 0
	}
	for range 8 {
		after := slices.Clone(before)
		var key string
		after[0], key = g.changed(before[0])
		if first.Reads.AsksAny([]string{key}) {
			continue
		}
		unread++
		second, err := New(after, fakeRepos{}, anyProject{}).Applications(t.Context(), set)
		if d := cmp.Diff(given(first, nil), given(second, err)); d != "" {
			t.Fatalf("seed %d: %s is not among %q, and changes what the set gives (-before +after):\n%s\n%v\n%s", seed, key, first.Reads.Keys, d, err, text)
		}
	}
	return unread
}

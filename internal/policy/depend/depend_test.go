package depend

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/labels"
)

func TestParse(t *testing.T) {
	const argo = "argoproj.io"
	cases := map[string]struct {
		reason string
		text   string
		want   []Ref
	}{
		"nothing": {"no annotation, no dependency", "  ", nil},
		"short": {
			"kinds that everyone knows need no group", "Application/cert-manager, apps/Deployment/shop/web\nSecret/tls",
			[]Ref{{Group: argo, Kind: "Application", Name: "cert-manager"}, {Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}, {Kind: "Secret", Name: "tls"}},
		},
		"short, in a namespace": {"the kind tells where the group ends", "Deployment/shop/web", []Ref{{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}}},
		"short, custom kind":    {"its group is written", "acid.zalan.do/postgresql.v1/x, acid.example.com/Postgres/db/main", nil},
		"selector": {
			"commas within it do not end it", "Application[tier=platform,env in (a, b)], Application/*",
			[]Ref{{Group: argo, Kind: "Application", Selector: "tier=platform,env in (a, b)"}, {Group: argo, Kind: "Application"}},
		},
		"YAML": {
			"a list in flow style", `[{kind: Application, name: a, timeout: 10m}, {group: example.com, kind: Database, namespace: x, name: y, cluster: prod}]`,
			[]Ref{{Group: argo, Kind: "Application", Name: "a", Timeout: 10 * time.Minute}, {Group: "example.com", Kind: "Database", Namespace: "x", Name: "y", Cluster: "prod"}},
		},
		"YAML block": {"a list in block style", "- kind: ApplicationSet\n  selector: a=b\n", []Ref{{Group: argo, Kind: "ApplicationSet", Selector: "a=b"}}},
		"one map":    {"a single one needs no list", "{kind: Job, name: migrate}", []Ref{{Group: "batch", Kind: "Job", Name: "migrate"}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(tc.text)
			if tc.want == nil && strings.TrimSpace(tc.text) != "" {
				if err == nil {
					t.Errorf("%s: %+v, want an error", tc.reason, got)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreUnexported(Ref{})); diff != "" || err != nil {
				t.Errorf("%s: %v %s", tc.reason, err, diff)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	cases := map[string]struct{ reason, text, words string }{
		"a bare name":       {"what kind it is cannot be guessed", "cert-manager", "names no kind"},
		"no name":           {"all of a kind is written with a star", "Application", "Application/*"},
		"unknown group":     {"a custom kind needs its group", "Database/main", "group"},
		"name and selector": {"only one can be meant", "[{kind: Application, name: a, selector: b=c}]", "both"},
		"unknown field":     {"a typing error must not wait for everything", "[{kind: Application, nome: a}]", "nome"},
		"bad selector":      {"as for kubectl", "Application[a==b==c]", "selector"},
		"open selector":     {"it has to end", "Application[a=b", "no end"},
		"bad timeout":       {"a duration", "[{kind: Application, name: a, timeout: soon}]", "soon"},
		"long name":         {"no object has it", "ConfigMap/" + strings.Repeat("x", 600), "more than 512"},
		"long namespace":    {"none has it", "ConfigMap/" + strings.Repeat("x", 64) + "/a", "more than 63"},
		"long kind":         {"none has it", "a.test/" + strings.Repeat("K", 64) + "/a", "no kind"},
		"odd kind":          {"none has it", "[{kind: 'A b', group: a.test, name: a}]", "no kind"},
		"odd group":         {"none has it", "A_b.test/Kind/a", ""},
		"group in YAML":     {"none has it", "[{kind: A, group: A_b, name: a}]", "no group"},
		"too long":          {"bounded", strings.Repeat("x", maxText+1), "KiB"},
		"too many":          {"bounded", strings.Repeat("Application/a,", maxRefs+1), "65"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(tc.text); err == nil || !strings.Contains(err.Error(), tc.words) {
				t.Errorf("%s: %v does not tell %q", tc.reason, err, tc.words)
			}
		})
	}
}

func TestCircle(t *testing.T) {
	graph := func(edges string) func(Node) ([]Node, int) {
		next := map[string][]Node{}
		for edge := range strings.FieldsSeq(edges) {
			from, to, _ := strings.Cut(edge, ">")
			next[from] = append(next[from], Node{Kind: "Application", Name: to})
		}
		return func(n Node) ([]Node, int) { return next[n.Name], 1 }
	}
	cases := map[string]struct{ reason, edges, want string }{
		"none":      {"a tree has no circle", "a>b a>c b>d c>d", ""},
		"itself":    {"the shortest one", "a>a", "a → a"},
		"three":     {"it is drawn from who asks", "a>b b>c c>a", "a → b → c → a"},
		"elsewhere": {"who is not in it is not part of it", "a>b b>c c>b", ""},
		"past a dead end": {
			"what leads nowhere is not drawn", "a>x x>y a>b b>a", "a → b → a",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Draw(Circle(Node{Kind: "Application", Name: "a"}, graph(tc.edges))); got != tc.want {
				t.Errorf("%s: %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestCircleEnds where it is more work than a circle is worth to be named.
func TestCircleEnds(t *testing.T) {
	for name, c := range map[string]struct {
		reason       string
		edges, steps int
		most         int
	}{
		"Edges": {"each node leads to many", 10_000, 0, 1 + maxSteps/10_000},
		"Steps": {"it takes long to find what a node leads to", 1, maxSteps / 4, 4},
	} {
		looks := 0
		way := Circle(Node{Name: "0"}, func(n Node) (to []Node, steps int) {
			looks++
			at, _ := strconv.Atoi(n.Name)
			for i := range c.edges {
				to = append(to, Node{Name: strconv.Itoa(at + 1 + i)})
			}
			return to, c.steps
		})
		if way != nil || looks > c.most {
			t.Errorf("%s: %d nodes are looked at, want %d: %v", c.reason, looks, c.most, way)
		} else if looks < 2 {
			t.Errorf("%s: %s: it ends before it began", name, c.reason)
		}
	}
}

// TestSelectorsMatchAsTheLibrarys do.
func TestSelectorsMatchAsTheLibrarys(t *testing.T) {
	objects := []map[string]string{nil, {"a": "1"}, {"a": "2", "b": ""}, {"a": "x", "b": "3"}, {"b": "10"}}
	for _, text := range []string{
		"", "a", "!a", "a=1", "a==1", "a!=1", "a in (1,2)", "a notin (1,2)", "b=", "b!=", "b>5", "b<5", "a>1,b", "a,b", "a in (1,2),!b", "a=1,a=2", "a notin (x),b in (3,10)",
	} {
		want, err := labels.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		ref, err := Ref{Kind: "Application", Selector: text}.complete()
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range objects {
			if got := ref.Matches("x", of); got != want.Matches(labels.Set(of)) {
				t.Errorf("%q matches %v: %t", text, of, got)
			}
		}
	}
}

// TestSelectorsAreReadOnce: one of some thousand values is held against many objects.
func TestSelectorsAreReadOnce(t *testing.T) {
	values := make([]string, 4000)
	for i := range values {
		values[i] = strconv.FormatInt(int64(i), 36)
	}
	refs, err := Parse("Application[g in (" + strings.Join(values, ",") + ")]")
	if err != nil || refs[0].Steps() != 2 {
		t.Fatalf("%d steps: %v", refs[0].Steps(), err)
	}
	of := map[string]string{"g": "none"}
	if made := testing.AllocsPerRun(10, func() { refs[0].Matches("x", of) }); made > 0 {
		t.Errorf("%v allocations each time", made)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"Application/a, b[c", "[{kind: A}]", "- kind: B\n  name: c", "apps/Deployment/x/*", "{", "A[b=c]]/d,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		refs, err := Parse(text)
		if err != nil {
			return
		}
		for _, r := range refs {
			if r.Kind == "" {
				t.Errorf("%q gives a dependency without a kind", text)
			}
		}
	})
}

// TestTextsOfTheLibraryAreBounded: an annotation is judged again and again.
func TestTextsOfTheLibraryAreBounded(t *testing.T) {
	for name, c := range map[string]struct{ reason, text, want string }{
		"Keys":  {"one key very often", "[{" + strings.Repeat("a,", 4000) + "}]", `the key "a" stands in its mapping already, first at line 1`},
		"Many":  {"as many as there is room for", "[{" + strings.Repeat("a,", maxText/2-10) + "}]", "line 1: a mapping has more than 5000 keys"},
		"Types": {"many that are of another type", "[" + strings.Repeat("[],", maxText/3-10) + "]", "and 5431 more"},
	} {
		_, err := Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 3000 {
			t.Errorf("%s: %s: %.4000v", name, c.reason, err)
		}
	}
}

func TestParseNamesWhatMayHaveBeenMeant(t *testing.T) {
	cases := map[string]struct{ reason, text, want string }{
		"Field": {"a field of the long form", "- {kind: Application, nam: x}", `a dependency has no field "nam"; did you mean "name"?`},
		"Kind":  {"a kind that is known nearly so", "Deploymnt/web", `did you mean "Deployment"?`},
		"Time":  {"a time that is none", "- {kind: Application, name: x, timeout: soon}", `cannot read the timeout "soon" as a duration; write a duration such as 10m`},
		"Past":  {"a time below zero", "- {kind: Application, name: x, timeout: -1s}", "the timeout is a length of time and cannot be -1s"},
		"Bare":  {"no kind at all", "cert-manager", "write its kind before it, as in Application/cert-manager"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.reason, err, c.want)
			}
		})
	}
}

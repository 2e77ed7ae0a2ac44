package depend

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// one reads the only dependency of a text.
func one(t *testing.T, text string) Ref {
	t.Helper()
	refs, err := Parse(text)
	if err != nil || len(refs) != 1 {
		t.Fatalf("%q: %v, %v", text, refs, err)
	}
	return refs[0]
}

// What marks the end of a list follows it without being a part.
func TestListsMayBeMarked(t *testing.T) {
	if got := one(t, "- kind: Job\n  name: a\n---\n"); got.Name != "a" {
		t.Errorf("it waits for %v", got)
	}
}

// What a sync waits for is told as it may be written.
func TestRefsAreToldAsTheyAreWritten(t *testing.T) {
	cases := map[string]struct{ reason, text, want string }{
		"Known":      {"a group that goes without saying is not told", "apps/Deployment/shop/web", "Deployment/shop/web"},
		"OtherGroup": {"another one is", "extensions/Deployment/shop/web", "extensions/Deployment/shop/web"},
		"CoreNames":  {"also of a kind that the core has, too", "example.com/Service/shop/web", "example.com/Service/shop/web"},
		"Own":        {"an Application", "Application/cert-manager", "Application/cert-manager"},
		"All":        {"all of a kind", "Application/*", "Application/*"},
		"AllOf":      {"all of a namespace", "Job/shop/*", "Job/shop/*"},
		"Selector":   {"what a selector finds", "Job/shop[a=b,c in (d,e)]", "Job/shop[a=b,c in (d,e)]"},
		"Spaces":     {"without spaces around it", "  Job[ a=b ]  ", "Job[a=b]"},
		"NoSelector": {"an empty one finds all", "Job[]", "Job/*"},
		"Core":       {"all kinds of the core are known", "ResourceQuota/shop/most", "ResourceQuota/shop/most"},
		"Cluster":    {"where it is", "{kind: Job, namespace: shop, name: a, cluster: prod}", "Job/shop/a on cluster prod"},
		"AllInYAML":  {"a star is all in YAML, too", `{kind: Job, namespace: shop, name: "*"}`, "Job/shop/*"},
		"Block":      {"an item may begin on its next line", "-\n  kind: Job\n  name: a", "Job/a"},
		"Nameless":   {"and so is what has no name", "{kind: Job, namespace: shop}", "Job/shop/*"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := one(t, tc.text)
			if got.String() != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
			if got.Cluster != "" {
				return // the short form has none
			}
			if diff := cmp.Diff(got.Means(), one(t, got.String()).Means(), cmp.AllowUnexported(Ref{})); diff != "" {
				t.Errorf("%s: read again it is another (-before +after):\n%s", tc.reason, diff)
			}
		})
	}
}

// What cannot be found is refused: a sync would wait for it without end.
func TestWhatIsNeverFound(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text, says string }{
		"Namespaces":  {"a namespace is one", "Deployment/*/web", "the dependency Deployment/*/web has a pattern for its namespace, and is looked for in one; write the namespace, or leave it out"},
		"NamespaceOf": {"also in YAML", `{kind: Job, namespace: "team-*"}`, "the dependency Job/team-*/* has a pattern for its namespace"},
		"Parts":       {"a name has no slash", "apps/Deployment/a/b/c", `"apps/Deployment/a/b/c" has too many parts`},
		"PartsOf":     {"nor has a namespace with a selector", "Deployment/a/b[x=y]", "has too many parts"},
		"NoName":      {"a slash is no name", "Deployment/shop/", `names no object: write Deployment/NAME, or Deployment/* for all`},
		"NoKind":      {"a group is no kind", "apps/", `"apps/" names no kind`},
		"Behind":      {"what follows a list is in it", "[{kind: Job, name: a}], {kind: Job, name: b}", "what follows its first document cannot be read"},
		"BehindShort": {"nor are both forms mixed", "[{kind: Job, name: a}]\nApplication/b", "what follows its first document cannot be read"},
		"BehindBlock": {"nor are there two lists", "- kind: Job\n---\n- kind: Deployment", "line 3: another document begins, and one is read: have all of it in one document"},
		"Kindless":    {"in YAML, too", "[{name: web}]", `the dependency "web" has no kind`},
		"KindlessBy":  {"which is told by its selector", "[{selector: a=b}]", `the dependency "a=b" has no kind`},
		"Way":         {"a name is no way", "[{kind: Secret, name: ../x}]", "there is nothing like the dependency: the name"},
		"AllAndSome":  {"all, and some of them", `[{kind: Job, name: "*", selector: a=b}]`, "has both name and selector"},
		"Bracket":     {"what follows a selector", "Job[a=b]x", "has no end"},
	} {
		_, err := Parse(tc.text)
		if err == nil || !strings.Contains(err.Error(), tc.says) || !gitops.IsProblem(err, gitops.Invalid) {
			t.Errorf("%s: %s: %v", name, tc.reason, err)
		}
	}
}

// Applications of the hub are known to the engine; what is elsewhere is looked for there.
func TestOwn(t *testing.T) {
	for text, want := range map[string]bool{
		"Application/a": true, "ApplicationSet[a=b]": true, "argoproj.io/Application/b/a": true,
		"example.com/Application/a": false, "argoproj.io/AppProject/a": false, "Deployment/a": false, "{kind: Application, name: a, cluster: prod}": false,
	} {
		if got := one(t, text).Own(); got != want {
			t.Errorf("%q is the hub's own: %v", text, got)
		}
	}
}

// Two that are waited for differently long mean the same.
func TestMeans(t *testing.T) {
	short, long := one(t, "{kind: Job, name: a, timeout: 1m}"), one(t, "{kind: Job, name: a, timeout: 1h}")
	if short.Timeout != time.Minute || long.Timeout != time.Hour || short.Means() != long.Means() || short.Means() == one(t, "Job/b").Means() {
		t.Errorf("%+v and %+v", short, long)
	}
}

func TestMatches(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		ref    Ref
		want   bool
	}{
		"Name":     {"by its name", Ref{Kind: "Job", Name: "web"}, true},
		"Other":    {"another name", Ref{Kind: "Job", Name: "we"}, false},
		"Labels":   {"by labels", Ref{Kind: "Job", Selector: "tier=shop"}, true},
		"Others":   {"other labels", Ref{Kind: "Job", Selector: "tier!=shop"}, false},
		"All":      {"all", Ref{Kind: "Job"}, true},
		"NameOver": {"a name is not looked for by labels", Ref{Kind: "Job", Name: "web", Selector: "tier!=shop"}, true},
		"Broken":   {"what cannot be read finds nothing", Ref{Kind: "Job", Selector: "a==b==c"}, false},
	} {
		if got := tc.ref.Matches("web", map[string]string{"tier": "shop"}); got != tc.want {
			t.Errorf("%s: %s: %v", name, tc.reason, got)
		}
	}
}

// Kinds are drawn where they are not all the same.
func TestDraw(t *testing.T) {
	a, b, set := Node{Kind: "Application", Name: "a"}, Node{Kind: "Application", Namespace: "x", Name: "b"}, Node{Kind: "ApplicationSet", Name: "a"}
	for want, way := range map[string][]Node{
		"": nil, "a → b → a": {a, b, a}, "Application/a → ApplicationSet/a → Application/a": {a, set, a}, "a": {set},
	} {
		if got := Draw(way); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

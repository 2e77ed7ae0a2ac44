package preview

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
)

// nodeOf is a declaration of an application at a place.
func nodeOf(name, file string, line int, parent ID) node {
	app := &v1alpha1.Application{}
	app.Name = name
	return node{app: app, parent: parent, place: declared.Place{File: file, Line: line}}
}

// What is left out is told at its place, also where that is of another repository.
func TestWhatIsLeftOutHasItsPlace(t *testing.T) {
	e := &expansion{options: Options{}.complete(), state: &State{}}
	elsewhere := nodeOf("x", "a.yaml", 3, appID("root"))
	elsewhere.repo = "https://git.example.com/other"
	e.tooDeep([]node{elsewhere})
	e.tooMany(elsewhere, "Application argocd/root")
	if len(e.state.failures) != 2 {
		t.Fatalf("told are %+v", e.state.failures)
	}
	for _, f := range e.state.failures {
		if f.origin != (gitops.Origin{RepoURL: elsewhere.repo, File: "a.yaml", Line: 3}) || !strings.Contains(f.message, "x is left out: ") && !strings.Contains(f.message, "argocd/x") {
			t.Errorf("%s is told at %+v: %s", f.reason, f.origin, f.message)
		}
	}
}

// Two makers of the same objects are one finding, which names a few of them.
func TestMakersOfTheSameObjects(t *testing.T) {
	s := &State{}
	for i := range 6 {
		s.rivals = append(s.rivals, rivalry{id: appID(fmt.Sprint("web-", i)), one: setID("one"), other: setID("two"), place: declared.Place{File: "two.yaml", Line: 1 + i}})
	}
	s.rivals = append(s.rivals, rivalry{id: appID("db"), one: setID("one"), other: appID("root"), repo: "https://git.example.com/x"}, s.rivals[0])
	got := s.contested()
	if len(got) != 2 {
		t.Fatalf("%d findings: %+v", len(got), got)
	}
	want := "ApplicationSet argocd/one and ApplicationSet argocd/two both make Application web-0, web-1, web-2, web-3 and 2 more: each undoes what the other writes; give those of one of them other names"
	if diff := cmp.Diff(want, got[0].message); diff != "" || got[0].origin.String() != "two.yaml:1" || got[0].subject != setID("two") {
		t.Errorf("at %s of %s (-want +got):\n%s", got[0].origin, got[0].subject, diff)
	}
	if got[1].origin.RepoURL == "" || !strings.HasPrefix(got[1].message, "ApplicationSet argocd/one and Application argocd/root both make Application db:") {
		t.Errorf("the other one is %+v", got[1])
	}
}

func TestNamesThatAreDeclaredSeveralTimes(t *testing.T) {
	roots := []node{nodeOf("a", "x.yaml", 1, ID{}), nodeOf("b", "x.yaml", 9, ID{}), nodeOf("a", "z.yaml", 2, ID{}), nodeOf("a", "y.yaml", 5, ID{})}
	roots[3].app.Namespace = "argocd" // the default, in words
	got := namesakes(roots, "argocd")
	if len(got) != 1 || got[0].origin.String() != "x.yaml:1" || !strings.Contains(got[0].message, "Application argocd/a is declared in y.yaml:5, z.yaml:2, too: ") {
		t.Errorf("told is %+v", got)
	}
	roots[3].app.Namespace = "team"
	if got := namesakes(roots, "argocd"); len(got) != 1 || strings.Contains(got[0].message, "y.yaml") {
		t.Errorf("one of another namespace is another one: %+v", got)
	}
}

func TestRootsThatAreNamed(t *testing.T) {
	all := []node{nodeOf("web", "apps/web.yaml", 1, ID{}), nodeOf("db", "apps/db.yaml", 1, ID{}), nodeOf("web", "sets/web.yaml", 1, ID{})}
	all[2].app, all[2].set = nil, &v1alpha1.ApplicationSet{}
	all[2].set.Name = "web"
	cases := map[string]struct {
		reason string
		roots  []string
		want   []string
		told   string
	}{
		"Name":    {"all of a name", []string{"web"}, []string{"apps/web.yaml", "sets/web.yaml"}, ""},
		"Kind":    {"one of a kind, in any case", []string{"applicationset/web"}, []string{"sets/web.yaml"}, ""},
		"File":    {"one of a file", []string{"apps/db.yaml"}, []string{"apps/db.yaml"}, ""},
		"Folder":  {"those of a folder", []string{"apps/"}, []string{"apps/web.yaml", "apps/db.yaml"}, ""},
		"NoSlash": {"a folder is one without its slash", []string{"apps"}, []string{"apps/web.yaml", "apps/db.yaml"}, ""},
		"Dot":     {"as a shell completes it", []string{"./apps/"}, []string{"apps/web.yaml", "apps/db.yaml"}, ""},
		"DotFile": {"a file, too", []string{"./apps/db.yaml"}, []string{"apps/db.yaml"}, ""},
		"Here":    {"the folder with all of them", []string{"."}, []string{"apps/web.yaml", "apps/db.yaml", "sets/web.yaml"}, ""},
		"Nothing": {"nothing names nothing", []string{""}, nil, `declares no Application or ApplicationSet ""`},
		"Once":    {"what two of them mean is there once", []string{"db", "apps/db.yaml", "web"}, []string{"apps/db.yaml", "apps/web.yaml", "sets/web.yaml"}, ""},
		"Part":    {"a part of a folder's name is none", []string{"app"}, nil, `declares no Application or ApplicationSet "app"; name one by its name, as Kind/name, or by its file; there are db, web`},
		"Unknown": {"one that is not there beside one that is", []string{"db", "nowhere"}, nil, `"nowhere"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			found, err := named(all, Options{Namespace: "argocd", Roots: tc.roots})
			if (err != nil) != (tc.told != "") || err != nil && !strings.Contains(err.Error(), tc.told) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			var got []string
			for _, n := range found {
				got = append(got, n.place.File)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	if found, err := named(nil, Options{Roots: []string{"web"}}); err != nil || len(found) > 0 {
		t.Errorf("on a side that declares nothing nothing is missed: %v", err)
	}
}

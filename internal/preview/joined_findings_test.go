package preview

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
)

func appID(name string) ID {
	return ID{Kind: v1alpha1.ApplicationKind, Namespace: "argocd", Name: name}
}

func setID(name string) ID {
	return ID{Kind: v1alpha1.ApplicationSetKind, Namespace: "argocd", Name: name}
}

// of a file, with a message, on clusters.
func inFileAt(file string, line int, message string, clusters ...string) finding {
	return finding{reason: "R", message: message, origin: gitops.Origin{File: file, Line: line}, clusters: clusters}
}

func TestFindingsOfSeveralClustersAreOne(t *testing.T) {
	render := func(app, message string) finding {
		return finding{subject: appID(app), reason: "RenderError", message: message}
	}
	revision := func(of, message string) finding {
		return finding{reason: "R", message: message, origin: gitops.Origin{File: "a.yaml", Line: 1, Revision: of}}
	}
	counted := func(message string) finding { return finding{reason: "R", message: message, same: "that one"} }
	cases := map[string]struct {
		reason      string
		all, before []finding
		want        []string
	}{
		"Clusters":  {"one of a file, with all its clusters", []finding{inFileAt("a", 1, "m", "z"), inFileAt("a", 1, "m", "x"), inFileAt("a", 1, "m", "x")}, nil, []string{"new R a:1 m on x, z"}},
		"Before":    {"it was there on all of them", []finding{inFileAt("a", 1, "m", "x")}, []finding{inFileAt("a", 9, "m", "x", "y")}, []string{"R a:1 m on x"}},
		"OneMore":   {"it is new on one of them", []finding{inFileAt("a", 1, "m", "x", "y")}, []finding{inFileAt("a", 1, "m", "x")}, []string{"new R a:1 m on x, y"}},
		"NoCluster": {"it depends on no cluster any more", []finding{inFileAt("a", 1, "m")}, []finding{inFileAt("a", 1, "m", "x")}, []string{"R a:1 m"}},
		"File":      {"of another file it is another one", []finding{inFileAt("a", 1, "m"), inFileAt("b", 1, "m")}, nil, []string{"new R a:1 m", "new R b:1 m"}},
		"Order":     {"new ones first, then by reason and place", []finding{inFileAt("b", 1, "old"), inFileAt("c", 9, "new"), inFileAt("c", 2, "new too")}, []finding{inFileAt("b", 1, "old")}, []string{"new R c:2 new too", "new R c:9 new", "R b:1 old"}},
		"Subjects":  {"without a file each application has its own", []finding{render("a", "m"), render("b", "m")}, []finding{render("a", "m")}, []string{"new RenderError :0 m of Application argocd/b", "RenderError :0 m of Application argocd/a"}},
		"Revision":  {"another revision in the message makes no other one", []finding{revision("abc", "cannot read abc")}, []finding{revision("def", "cannot read def")}, []string{"R a.yaml:1 cannot read abc"}},
		"Counts":    {"nor do counts, where it says what it is about", []finding{counted("3 of 4")}, []finding{counted("2 of 3")}, []string{"R :0 3 of 4"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range join(&State{}, tc.all, tc.before) {
				line := fmt.Sprintf("%s %s:%d %s", f.Reason, f.File, f.Line, f.Message)
				if f.New {
					line = "new " + line
				}
				if f.Subject != "" {
					line += " of " + f.Subject
				}
				if len(f.Clusters) > 0 {
					line += " on " + strings.Join(f.Clusters, ", ")
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSourcesThatAreMissingAreTheirs(t *testing.T) {
	absent := func(app string, ref gitops.SourceRef) finding {
		inner := gitops.Problemf(gitops.NotMirrored, "no mirror has it").At(gitops.Origin{RepoURL: ref.RepoURL, Revision: "other"})
		return finding{subject: appID(app), reason: notMirrored, err: &fetchError{ref, fmt.Errorf("cannot render: %w", inner)}}
	}
	chart, repo := gitops.SourceRef{RepoURL: "https://me:hush@charts.example.com", Chart: "redis", Revision: "1.x"}, gitops.SourceRef{RepoURL: "https://git.example.com/x", Revision: "main"}
	nested := finding{subject: appID("n"), reason: notMirrored, err: gitops.Problemf(gitops.NotMirrored, "outside: %w", gitops.Problemf(gitops.NotMirrored, "within").At(gitops.Origin{RepoURL: "https://git.example.com/y", Revision: "v1"}))}
	failed := finding{subject: appID("f"), reason: "RenderError", err: errors.New("broken")}
	cases := map[string]struct {
		reason      string
		all, before []finding
		want        []forecast.Missing
	}{
		"Once":   {"with those that need it, and no password", []finding{absent("b", chart), failed, absent("a", chart), absent("a", chart)}, nil, []forecast.Missing{{RepoURL: "https://charts.example.com", Chart: "redis", Revision: "1.x", Message: "no mirror has it", Command: fetchCommand, Applications: []string{"a", "b"}, New: true}}},
		"Before": {"who needed it before is no news", []finding{absent("a", chart)}, []finding{absent("a", chart)}, []forecast.Missing{{RepoURL: "https://charts.example.com", Chart: "redis", Revision: "1.x", Message: "no mirror has it", Command: fetchCommand, Applications: []string{"a"}}}},
		"Other":  {"another application that needs it is", []finding{absent("a", repo), absent("b", repo)}, []finding{absent("a", repo)}, []forecast.Missing{{RepoURL: "https://git.example.com/x", Revision: "main", Message: "no mirror has it", Command: fetchCommand, Applications: []string{"a", "b"}, New: true}}},
		"Nested": {"the problem that tells which source it is about is told", []finding{nested}, nil, []forecast.Missing{{RepoURL: "https://git.example.com/y", Revision: "v1", Message: "within", Command: fetchCommand, Applications: []string{"n"}, New: true}}},
		"None":   {"other failures miss nothing", []finding{failed}, nil, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, missing(tc.all, tc.before)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if rest := withoutMissing(tc.all); len(rest) > 1 || len(rest) == 1 && rest[0].reason == notMirrored {
				t.Errorf("%s: among failures are told %+v", tc.reason, rest)
			}
		})
	}
}

func TestRulesThatClustersBreak(t *testing.T) {
	rule := Broken{Message: "label env is required", Schema: "MetadataSchema net", Origin: gitops.Origin{File: "schema.yaml", Line: 3}}
	refused := rule
	refused.Refused, refused.Message = true, "label tier must be one of a, b"
	s := &State{}
	for _, c := range []struct{ name, file string }{{"a", "clusters.yaml"}, {"b", "clusters.yaml"}, {"c", "other.yaml"}, {"d", ""}} {
		one := roster.Cluster{Cluster: gitops.Cluster{Name: c.name}}
		if c.file != "" {
			one.Origin = gitops.Origin{File: c.file, Line: 1}
		}
		s.Side.Roster.Clusters = append(s.Side.Roster.Clusters, one)
	}
	s.Side.Rules = func(c gitops.Cluster) []Broken {
		if c.Name == "c" {
			return []Broken{rule, refused}
		}
		return []Broken{rule}
	}
	failures, warnings := s.broken()
	var got []string
	for _, f := range append(failures, warnings...) {
		got = append(got, fmt.Sprintf("%s: %s on %s", f.origin, f.message, strings.Join(f.clusters, ", ")))
	}
	want := []string{
		"other.yaml:1: label tier must be one of a, b (MetadataSchema net, schema.yaml:3) on c",
		"clusters.yaml:1: label env is required (MetadataSchema net, schema.yaml:3) on a, b",
		"other.yaml:1: label env is required (MetadataSchema net, schema.yaml:3) on c",
		"schema.yaml:3: label env is required (MetadataSchema net) on d",
	}
	if diff := cmp.Diff(want, got); diff != "" || len(failures) != 1 {
		t.Errorf("at the Secret that has to be edited, or else at the rule (-want +got):\n%s", diff)
	}
	s.Side.Rules = nil
	if failures, warnings := s.broken(); len(failures)+len(warnings) > 0 {
		t.Error("without rules some are broken")
	}
}

// An application that is not there any more is no removal where what makes it fails.
func TestMakersThatCannotBeTold(t *testing.T) {
	empty := func() *State {
		return &State{Apps: map[ID]*App{}, Sets: map[ID]*Set{}, Side: Side{Found: &declared.Found{}}}
	}
	app := &App{Application: &v1alpha1.Application{}, ID: appID("web-a"), Parent: setID("web")}
	app.Name = "web-a"
	set := func(change func(*Set)) *State {
		s := empty()
		s.Sets[setID("web")] = &Set{Expansion: &generate.Expansion{}}
		change(s.Sets[setID("web")])
		return s
	}
	base := empty()
	base.Sets[setID("web")] = &Set{Parent: appID("root"), Place: declared.Place{File: "set.yaml"}}
	base.Apps[appID("root")] = &App{Place: declared.Place{File: "root.yaml"}}
	unreadable := func(file string) *State {
		s := empty()
		s.Side.Found.Warnings = []gitops.Warning{{Reason: "BrokenYAML", Origin: gitops.Origin{File: file}}}
		return s
	}
	root := empty()
	root.Apps[appID("root")] = &App{Err: errors.New("no chart")}
	cases := map[string]struct {
		reason string
		now    *State
		want   bool
	}{
		"Gone":       {"the set does not make it any more", set(func(*Set) {}), false},
		"Fails":      {"the set fails", set(func(s *Set) { s.Err = errors.New("no") }), true},
		"Rejects":    {"the set refuses it: what lives by it stays", set(func(s *Set) { s.Expansion.Rejected = []generate.Rejected{{Name: "web-a"}} }), true},
		"OtherName":  {"it refuses another one", set(func(s *Set) { s.Expansion.Rejected = []generate.Rejected{{Name: "web-b"}} }), false},
		"Unreadable": {"the file of the set cannot be read", unreadable("set.yaml"), true},
		"OtherFile":  {"another file cannot", unreadable("x.yaml"), false},
		"Above":      {"what makes the set fails", root, true},
		"FileAbove":  {"the file of what makes the set cannot be read", unreadable("root.yaml"), true},
		"NoMaker":    {"set and maker are gone", empty(), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.now.blocked(app, base); got != tc.want {
				t.Errorf("%s: blocked is %t", tc.reason, got)
			}
		})
	}
	own := &App{Application: &v1alpha1.Application{}, ID: appID("own"), Place: declared.Place{File: "own.yaml"}}
	if !unreadable("own.yaml").blocked(own, base) || unreadable("x.yaml").blocked(own, base) {
		t.Error("one that nothing makes is told by its own file")
	}
}

func TestRepositoriesThatNobodyReads(t *testing.T) {
	const own = "https://git.example.com/acme/fleet"
	state := func(change func(s *State), sources ...v1alpha1.ApplicationSource) *State {
		s := &State{Apps: map[ID]*App{}, Sets: map[ID]*Set{}}
		s.Side.Addresses = []string{own}
		s.Side.Locate = func(repoURL, _ string) (string, bool) { return "", repoURL == own }
		for i := range sources {
			a := &App{Application: &v1alpha1.Application{}}
			a.Spec.Source = &sources[i]
			s.Apps[appID(strconv.Itoa(i))] = a
		}
		if change != nil {
			change(s)
		}
		return s
	}
	fork, chart := v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/me/fork", Path: "a"}, v1alpha1.ApplicationSource{RepoURL: "https://charts.example.com", Chart: "redis"}
	reading := func(repoURL string) func(*State) {
		return func(s *State) {
			s.Sets[setID("failed")] = &Set{}
			s.Sets[setID("web")] = &Set{Expansion: &generate.Expansion{Reads: generate.Reads{Repos: []gitops.SourceRef{{RepoURL: repoURL}}}}}
		}
	}
	cases := map[string]struct {
		reason string
		state  *State
		want   string
	}{
		"Own":       {"one of them reads it", state(nil, fork, v1alpha1.ApplicationSource{RepoURL: own}), ""},
		"Fork":      {"all read another one", state(nil, fork), "its addresses are " + own + "; Applications name https://git.example.com/me/fork; if one of them is this repository, name it with --repo-url"},
		"NoRemote":  {"it has no address", state(func(s *State) { s.Side.Addresses = nil }, fork), "it has no remote; Applications name "},
		"Charts":    {"who reads charts alone reads no repository", state(nil, chart, v1alpha1.ApplicationSource{RepoURL: "oci://ghcr.io/x"}), ""},
		"Generator": {"a generator reads it", state(reading(own), fork), ""},
		"Other":     {"a generator reads another one", state(reading("https://git.example.com/y"), chart), "Applications name https://git.example.com/y;"},
		"Template":  {"an address that is not filled in is none", state(nil, v1alpha1.ApplicationSource{RepoURL: "{{repo}}"}), ""},
		"None":      {"there are no applications", state(nil), ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := tc.state.strangers()
			if (len(got) > 0) != (tc.want != "") || len(got) > 0 && !strings.Contains(got[0].message, tc.want) {
				t.Errorf("%s: %+v", tc.reason, got)
			}
		})
	}
}

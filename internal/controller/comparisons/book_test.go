package comparisons

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// application is one with sources at revisions that are wanted.
func application(uid string, wanted ...string) *v1alpha1.Application {
	app := &v1alpha1.Application{}
	app.Namespace, app.Name, app.UID = "argocd", "web", types.UID(uid)
	for _, w := range wanted {
		app.Spec.Sources = append(app.Spec.Sources, v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/web.git", Path: ".", TargetRevision: w})
	}
	return app
}

var web = types.NamespacedName{Namespace: "argocd", Name: "web"}

// What moved is told once: by it others decide whether something is new.
func TestRevisionsThatMove(t *testing.T) {
	b := NewBook()
	for i, step := range []struct {
		reason string
		app    *v1alpha1.Application
		at     []string
		moved  bool
	}{
		{"it is looked at for the first time", application("1", "main"), []string{"a"}, true},
		{"the same again", application("1", "main"), []string{"a"}, false},
		{"a commit came", application("1", "main"), []string{"b"}, true},
		{"another branch is wanted, at the same commit", application("1", "next"), []string{"b"}, true},
		{"a source comes that was not resolved yet", application("1", "next", "main"), []string{"b"}, false},
		{"it was resolved", application("1", "next", "main"), []string{"b", "c"}, true},
		{"nothing could be resolved", application("1", "next", "main"), nil, true},
		{"it is another one of that name", application("2", "next", "main"), nil, true},
	} {
		if moved := b.Note(step.app, step.at); moved != step.moved {
			t.Errorf("%d: %s: moved is %t", i, step.reason, moved)
		}
	}
	b.Forget(web)
	if !b.Note(application("2", "next", "main"), nil) {
		t.Error("one that was forgotten is known")
	}
}

// A comparison is that of one Application: another one that took its name has seen
// nothing yet.
func TestComparisonsOfAnotherOneOfThatName(t *testing.T) {
	b := NewBook()
	app := application("1", "main")
	app.Status.Sync.Status, app.Status.Health.Status = v1alpha1.SyncStatusCodeOutOfSync, "Degraded"
	app.Operation = &v1alpha1.Operation{}
	b.Note(app, []string{"a"})
	want := Comparison{UID: "1", Sources: []Source{{RepoURL: "https://git.example.com/web", Wanted: "main", Revision: "a"}}, Sync: "OutOfSync", Health: "Degraded", Busy: true}
	for uid, known := range map[types.UID]bool{"1": true, "2": false, "": false} {
		got, ok := b.Of(web, uid)
		if ok != known {
			t.Errorf("that of UID %q is known: %t", uid, ok)
		}
		if diff := cmp.Diff(want, got); known && diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	if _, ok := b.Of(types.NamespacedName{Name: "web"}, "1"); ok {
		t.Error("one of another namespace is known")
	}
	if !b.Busy(web) {
		t.Error("the sync that ran is not known")
	}
	app.Operation = nil
	if b.Note(app, []string{"a"}); b.Busy(web) {
		t.Error("a sync that is over goes on")
	}
	if b.Note(application("1", "main"), []string{"a"}); b.Busy(types.NamespacedName{Name: "none"}) {
		t.Error("one that nobody knows is syncing")
	}
}

// An Application is behind another one only where both want the same of one source, and
// are at different commits of it.
func TestWhoIsBehind(t *testing.T) {
	at := func(repo, chart, wanted, revision string) Comparison {
		return At(v1alpha1.ApplicationSources{{RepoURL: repo, Chart: chart, TargetRevision: wanted}}, []string{revision})
	}
	const repo = "https://git.example.com/web"
	two := At(v1alpha1.ApplicationSources{{RepoURL: "https://other"}, {RepoURL: repo, TargetRevision: "main"}}, []string{"x", "a"})
	for name, tc := range map[string]struct {
		reason string
		l      Comparison
		behind bool
	}{
		"Other commit":  {"it has seen another commit", at(repo, "", "main", "a"), true},
		"Spelled":       {"a suffix is no other repository", at(repo+".git", "", "main", "a"), true},
		"Second":        {"one of its sources is enough", two, true},
		"Same":          {"it has seen the same", at(repo, "", "main", "b"), false},
		"Other branch":  {"another branch is at another commit", at(repo, "", "next", "a"), false},
		"Other chart":   {"so is another chart of a repository", at(repo, "web", "main", "a"), false},
		"Other source":  {"and another repository", at("https://git.example.com/db", "", "main", "a"), false},
		"Not looked at": {"of one that was not compared nothing is known", Comparison{}, false},
		"Not resolved":  {"nor of a source that could not be resolved", At(v1alpha1.ApplicationSources{{RepoURL: repo, TargetRevision: "main"}}, nil), false},
	} {
		t.Run(name, func(t *testing.T) {
			last := at(repo, "", "main", "b")
			if got := tc.l.Behind(last); got != tc.behind {
				t.Errorf("%s: behind is %t", tc.reason, got)
			}
			if got := last.Behind(tc.l); got != tc.behind {
				t.Errorf("%s: the other way round it is %t", tc.reason, got)
			}
		})
	}
	if diff := cmp.Diff([]string{"x", "a"}, two.Revisions()); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
}

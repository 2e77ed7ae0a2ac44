package api

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// What many ask for at a time is made once, and what could not be made is tried again.
func TestKept(t *testing.T) {
	k, made := newKept[*text](1<<20), atomic.Int32{}
	if _, err := k.of("a", func() (*text, int64, error) { return nil, 0, errors.New("no") }); err == nil {
		t.Fatal("the error is gone")
	}
	begun, goOn := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		_, _ = k.of("a", func() (*text, int64, error) {
			made.Add(1)
			close(begun)
			<-goOn
			return &text{}, 10, nil
		})
	})
	<-begun
	for range 20 {
		all.Go(func() {
			got, err := k.of("a", func() (*text, int64, error) { made.Add(1); return &text{}, 10, nil })
			if got == nil || err != nil {
				t.Error(got, err)
			}
		})
	}
	close(goOn)
	all.Wait()
	if made.Load() != 1 {
		t.Errorf("made %d times", made.Load())
	}
}

// Answers that are kept are of one's own, and follow all that they are made of.
func TestKeptAnswersFollow(t *testing.T) {
	w := newWorld()
	known := []clusters.Health{{Name: "prod", Server: "https://prod", Labels: map[string]string{"environment": "prod"}}, {Name: "dev", Server: "https://dev", Labels: map[string]string{"environment": "dev"}}}
	told, order := &learning{}, ""
	o := w.options()
	o.Clusters, o.Commits, o.Promotion = func() []clusters.Health { return known }, told, func() string { return order }
	h := as(New(o))
	for _, path := range []string{"/fleet", "/environments"} {
		ask := func(user string) string {
			t.Helper()
			first := send(t, h, user, "GET", path, "")
			again := send(t, h, user, "GET", path, "")
			if first.Code != 200 || again.Body.String() != first.Body.String() || again.Header().Get("ETag") != first.Header().Get("ETag") || first.Header().Get("ETag") == "" {
				t.Fatalf("%s: %d, then %d %s", path, first.Code, again.Code, again.Body)
			}
			return first.Body.String()
		}
		if ask("reader") != ask("writer") || ask("reader") == ask("other") {
			t.Errorf("%s is of somebody else", path)
		}
		changes := map[string]func(){
			"an Application": func() { w.put("web-dev", "shop", "dev", "OutOfSync", path) },
			"another one":    func() { w.put("web-edge-"+path[1:], "shop", "prod", "Synced", "Healthy") },
		}
		if path == "/fleet" {
			changes["a cluster"] = func() { known = append([]clusters.Health{{Name: "edge", Server: "https://edge"}}, known...) }
			changes["its state"] = func() { known[0].Problem = "connection refused" }
		} else {
			changes["an author"] = func() { told.author = "Mina" }
			changes["the order"] = func() { order = "prod,dev" }
			changes["a label"] = func() { known[len(known)-1].Labels = map[string]string{"environment": "test"} }
		}
		for what, change := range changes {
			before := ask("reader")
			change()
			if ask("reader") == before {
				t.Errorf("%s does not follow %s: %s", path, what, before)
			}
		}
	}
}

// learning is a history that comes to know the author of commits.
type learning struct {
	commits

	author string
}

func (l *learning) CommitsOf(_ context.Context, keys []history.CommitOf) (map[history.CommitOf]history.Commit, error) {
	out := map[history.CommitOf]history.Commit{}
	for _, k := range keys {
		if l.author != "" {
			out[k] = history.Commit{Author: l.author}
		}
	}
	return out, nil
}

// An Application of a cluster that does not answer says so, as long as it is so.
func TestApplicationOfASilentCluster(t *testing.T) {
	w, since := newWorld(), time.Unix(1000, 0)
	known := []clusters.Health{{Name: "dev", Reachable: true}, {Name: "prod", Reachable: true}}
	o := w.options()
	o.Clusters = func() []clusters.Health { return known }
	h := as(New(o))
	conditions := func(name string) []Condition {
		var app Application
		if answer := send(t, h, "reader", "GET", "/applications/argocd/"+name, ""); json.Unmarshal(answer.Body.Bytes(), &app) != nil {
			t.Fatal(answer.Code, answer.Body)
		}
		return app.Conditions
	}
	if got := conditions("web-prod"); len(got) != 0 {
		t.Errorf("all answer, and it says %+v", got)
	}
	known[1] = clusters.Health{Name: "prod", Problem: "dial tcp 10.0.0.7:6443: i/o timeout", Since: &since}
	if got := conditions("web-prod"); len(got) != 1 || got[0].Type != "ClusterUnreachable" || !got[0].Since.Equal(since) || !strings.Contains(got[0].Message, "prod does not answer") || strings.Contains(got[0].Message, "10.0.0.7") {
		t.Errorf("of a cluster that does not answer it says %+v", got)
	}
	if got := conditions("web-dev"); len(got) != 0 {
		t.Errorf("of a cluster that answers it says %+v", got)
	}
	row := *w.index.Get(view.Key{Namespace: "argocd", Name: "web-prod"})
	row.Nowhere = true
	w.index.Put(&row)
	if got := conditions("web-prod"); len(got) != 0 {
		t.Errorf("of a cluster that its project does not permit it says %+v", got)
	}
}

// mistaken is a world whose set has a condition, and is of a project.
type mistaken struct {
	*world

	project string
	status  v1alpha1.ApplicationSetConditionStatus
	why     string
}

func (f *mistaken) ApplicationSet(ctx context.Context, k view.Key) (*v1alpha1.ApplicationSet, error) {
	set, err := f.world.ApplicationSet(ctx, k)
	if err == nil {
		at := v1alpha1.NewTime(time.Unix(1000, 0))
		set.Spec.Template.Spec.Project = f.project
		set.Status.Conditions = []v1alpha1.ApplicationSetCondition{
			{Type: v1alpha1.ApplicationSetConditionErrorOccurred, Status: f.status, Reason: f.why, Message: "map has no entry for key \"tier\"", LastTransitionTime: &at},
		}
	}
	return set, err
}

// An Application whose set has an error says so, to those who may read the set.
func TestApplicationOfAFailingSet(t *testing.T) {
	const yes, no = v1alpha1.ApplicationSetConditionStatusTrue, v1alpha1.ApplicationSetConditionStatusFalse
	const ofSet, ofApplications = v1alpha1.ApplicationSetReasonApplicationParamsGenerationError, v1alpha1.ApplicationSetReasonUpdateApplicationError
	const text = `webs has an error, so what is here may be what it gave before: `
	cases := map[string]struct {
		reason, set, project string
		status               v1alpha1.ApplicationSetConditionStatus
		why                  string
		// hidden tells that the set has an Application that the reader may not read.
		hidden bool
		want   string
	}{
		"fails":     {"what is here is what it gave before", "webs", "shop", yes, ofApplications, false, text + `map has no entry for key "tier"`},
		"hides":     {"it may name what the reader may not read", "webs", "shop", yes, ofApplications, true, text + "its message is shown only to users who may read all Applications of the set"},
		"templates": {"what is wrong with the set names none", "webs", "shop", yes, ofSet, true, text + `map has no entry for key "tier"`},
		"works":     {"an error that did not occur is none", "webs", "shop", no, ofApplications, false, ""},
		"unread":    {"what is in another project is not told", "webs", "platform", yes, ofApplications, false, ""},
		"gone":      {"the Application is shown all the same", "gone", "shop", yes, ofApplications, false, ""},
		"by itself": {"no set made it", "", "shop", yes, ofApplications, false, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			app := w.apps[view.Key{Namespace: "argocd", Name: "web-prod"}]
			if tc.set != "" {
				app.OwnerReferences = []metav1.OwnerReference{{Kind: v1alpha1.ApplicationSetKind, Name: tc.set}}
			}
			w.index.Put(view.RowOf(app, "prod"))
			if tc.hidden {
				w.index.Put(&view.Row{Namespace: "argocd", Name: "vault", Project: "platform", Set: tc.set})
			}
			o := w.options()
			o.Applications = &mistaken{w, tc.project, tc.status, tc.why}
			var got Application
			if answer := send(t, as(New(o)), "reader", "GET", "/applications/argocd/web-prod", ""); json.Unmarshal(answer.Body.Bytes(), &got) != nil {
				t.Fatal(answer.Code, answer.Body)
			}
			if tc.want == "" && len(got.Conditions) > 0 {
				t.Errorf("%s: got %+v", tc.reason, got.Conditions)
			}
			if tc.want == "" {
				return
			}
			if len(got.Conditions) != 1 || got.Conditions[0].Type != "ApplicationSetError" || !strings.HasSuffix(got.Conditions[0].Message, tc.want) || got.Conditions[0].Since.Unix() != 1000 {
				t.Errorf("%s: got %+v", tc.reason, got.Conditions)
			}
		})
	}
}

package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/marks"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
	"github.com/causeway-gitops/causeway/internal/server/terminal"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// world is a small installation behind the interfaces. Its users are called by
// what they may: reader, writer, and other, who has another project.
type world struct {
	index *view.Index
	marks *marks.Marks
	apps  map[view.Key]*v1alpha1.Application
	mu    sync.Mutex // of asked: batches ask beside the test
	asked []string
	book  book
	// without are the Secrets whose clusters were thought away; untold, where
	// there is one, is why it is not known what follows.
	without []string
	untold  func(context.Context) error
	// log is what Logs reads; nil for a line.
	log io.Reader
	// room is what terminals are opened in.
	room room
	// keysOf is the project of the cluster whose keys parameters follow.
	keysOf string
	// windowless is why it is not known what windows say.
	windowless error
	// people are the accounts of the last handler.
	people *people
}

func newWorld() *world {
	w := &world{index: view.NewIndex(time.Unix(1, 0)), marks: marks.New(time.Now), apps: map[view.Key]*v1alpha1.Application{}}
	w.room.shells, w.room.ticks = []string{"bash", "sh"}, make(chan time.Time, 2)
	w.put("web-dev", "shop", "dev", "Synced", "Healthy")
	w.put("web-prod", "shop", "prod", "OutOfSync", "Degraded")
	w.put("dns", "platform", "prod", "Synced", "Healthy")
	return w
}

func (w *world) put(name, project, cluster, sync, health string) {
	app := &v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: name},
		Spec:       v1alpha1.ApplicationSpec{Project: project, Source: &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/r", TargetRevision: "main"}},
		Status: v1alpha1.ApplicationStatus{
			Sync: v1alpha1.SyncStatus{Status: v1alpha1.SyncStatusCode(sync), Revision: "abc"}, Health: v1alpha1.AppHealthStatus{Status: v1alpha1.HealthStatusCode(health)},
		},
	}
	w.apps[view.Key{Namespace: "argocd", Name: name}] = app
	w.index.Put(view.RowOf(app, cluster))
}

// use puts an Application of a source.
func (w *world) use(name, project string, source v1alpha1.ApplicationSource) {
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: name}, Spec: v1alpha1.ApplicationSpec{Project: project, Source: &source}}
	w.apps[view.Key{Namespace: "argocd", Name: name}] = app
	w.index.Put(view.RowOf(app, "dev"))
}

func (w *world) Application(_ context.Context, k view.Key) (*v1alpha1.Application, error) {
	return w.apps[k], nil
}

func (w *world) ApplicationSets(context.Context) ([]v1alpha1.ApplicationSet, error) {
	return []v1alpha1.ApplicationSet{{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "webs"}, Spec: v1alpha1.ApplicationSetSpec{Template: v1alpha1.ApplicationSetTemplate{Spec: v1alpha1.ApplicationSpec{Project: "shop"}}, Generators: []v1alpha1.ApplicationSetGenerator{{Clusters: &v1alpha1.ClusterGenerator{}}}}}}, nil
}

func (w *world) ApplicationSet(ctx context.Context, k view.Key) (*v1alpha1.ApplicationSet, error) {
	all, err := w.ApplicationSets(ctx)
	for i := range all {
		if all[i].Name == k.Name && all[i].Namespace == k.Namespace {
			return &all[i], nil
		}
	}
	return nil, errors.Join(err, gitops.Problemf(gitops.NotFound, "there is no ApplicationSet %s", k.Name))
}

func (w *world) Projects(context.Context) ([]v1alpha1.AppProject, error) {
	return []v1alpha1.AppProject{{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}, {ObjectMeta: metav1.ObjectMeta{Name: "platform"}}}, nil
}

func (w *world) project(u *auth.User) (string, error) {
	switch {
	case u == nil:
		return "", gitops.Problemf(gitops.Refused, "sign in")
	case u.Name == "other":
		return "platform", nil
	}
	return "shop", nil
}

func (w *world) Visible(_ context.Context, u *auth.User) (func(*view.Row) bool, error) {
	project, err := w.project(u)
	return func(r *view.Row) bool { return r.Project == project }, err
}

func (w *world) Permit(_ context.Context, u *auth.User, a reach.Access) error {
	project, err := w.project(u)
	if err != nil {
		return err
	}
	if a.Action != "get" && u.Name != "writer" || a.Project != "" && a.Project != project {
		return gitops.Problemf(gitops.Forbidden, "%s may not %s %s", u.Name, a.Action, a.Resource)
	}
	return nil
}

func (w *world) Might(ctx context.Context, u *auth.User, a reach.Access) bool {
	project, err := w.project(u)
	a.Project = project
	return err == nil && w.Permit(ctx, u, a) == nil
}

func (w *world) Tree(context.Context, *v1alpha1.Application) (*Tree, error) {
	return &Tree{Nodes: []*Node{{Ref: Ref{Kind: "Service", Name: "web"}}}}, nil
}
func (w *world) Diff(context.Context, *v1alpha1.Application) ([]Difference, error) {
	return []Difference{}, nil
}
func (w *world) Object(context.Context, *v1alpha1.Application, Ref) (*Object, error) {
	return &Object{Live: "kind: Service\n"}, nil
}
func (w *world) Events(context.Context, *v1alpha1.Application, Ref) ([]Event, error) {
	return []Event{}, nil
}
func (w *world) Logs(_ context.Context, _ *v1alpha1.Application, q LogQuery) (io.ReadCloser, error) {
	if w.log != nil {
		return io.NopCloser(w.log), nil
	}
	return io.NopCloser(strings.NewReader("a line of " + q.Pod + "\n")), nil
}

func (w *world) Bridge(context.Context) (*Bridge, error) {
	webs, names := BridgeSet{Namespace: "argocd", Name: "webs", Project: "shop"}, BridgeSet{Namespace: "argocd", Name: "names", Project: "platform"}
	readers := []BridgeReader{{Set: "webs", From: webs, Applications: []string{"web-dev", "dns"}}, {Set: "names", From: names, Applications: []string{"dns"}}}
	return &Bridge{
		Clusters: []BridgeCluster{{
			Name: "dev", Keys: []BridgeKey{{In: "label", Name: "region", Value: "eu", Readers: readers}, {In: "label", Name: "spare"}},
			Missing: []BridgeKey{{In: "annotation", Name: "vpc", Readers: readers[:1]}, {In: "annotation", Name: "zone", Readers: readers[1:]}},
		}},
		Failures: []BridgeFailure{{Set: webs, Reason: "no value"}, {Set: names, Reason: "no name"}},
	}, nil
}

// Facts has those of one cluster, by its name.
func (w *world) Facts(_ context.Context, secret, server string) *BridgeFacts {
	return &BridgeFacts{Facts: []BridgeFact{{Name: "region", Value: "of " + secret + " at " + server, Type: "string", Source: "cluster"}}}
}

// Suppose has an Application of each project that comes.
func (w *world) Suppose(_ context.Context, wish *BridgeWish, may Supposable) (*Supposed, error) {
	out := &Supposed{BridgePreview: BridgePreview{Cluster: wish.Cluster}, SetFailures: []BridgeFailure{{Set: BridgeSet{Project: "platform", Name: "names"}, Reason: "no name"}}}
	for _, project := range []string{"shop", "platform"} {
		if may.Then("argocd", &GeneratedApp{Project: project, Name: "new-" + project}) {
			out.Applications = append(out.Applications, BridgeApplication{Name: "new-" + project, Effect: "added", Of: BridgeSet{Project: project, Name: "webs"}})
		}
	}
	out.Turnovers = turnovers()
	if dns := (&GeneratedApp{Project: "shop", Name: "dns"}); may.Now("argocd", dns) || may.Then("argocd", dns) {
		return nil, errors.New("an Application that is of another project now")
	}
	return out, nil
}

func (w *world) Without(ctx context.Context, secret string) (*Supposed, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.without = append(w.without, secret)
	if w.untold != nil {
		return nil, w.untold(ctx)
	}
	webs, names := BridgeSet{"argocd", "webs", "shop"}, BridgeSet{"argocd", "names", "platform"}
	return &Supposed{SetFailures: []BridgeFailure{{Set: webs, Reason: "no value"}, {Set: names, Reason: "no name"}}, Turnovers: turnovers()}, nil
}

// turnovers are of a set of each project that would be held, and of one that
// would not.
func turnovers() []Turnover {
	return []Turnover{
		{Set: BridgeSet{"argocd", "webs", "shop"}, Going: []string{"web-dev", "web-a", "web-b"}, Of: 4, Why: "3 of 4, where the limit is 50% min 3"},
		{Set: BridgeSet{"argocd", "few", "shop"}, Going: []string{"few-dev"}, Of: 4},
		{Set: BridgeSet{"argocd", "names", "platform"}, Going: []string{"dns", "names-dev"}, Of: 2, Why: "the generators work, but suddenly yield nothing"},
	}
}

func (w *world) did(what string, u *auth.User, k view.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, what+" "+k.Name+" by "+u.Name)
}
func (w *world) Sync(_ context.Context, u *auth.User, of view.Granted, _ Sync) (string, error) {
	k := of.Key
	w.did("sync", u, k)
	w.marks.Ask(k, "mark", marks.Sync, u.Name)
	return "mark", nil
}
func (w *world) Rollback(_ context.Context, u *auth.User, of view.Granted, _ Rollback) (string, error) {
	k := of.Key
	w.did("rollback", u, k)
	return "mark", nil
}
func (w *world) Refresh(_ context.Context, u *auth.User, of view.Granted, _ Thoroughness) error {
	k := of.Key
	w.did("refresh", u, k)
	return nil
}
func (w *world) Terminate(_ context.Context, u *auth.User, of view.Granted) error {
	k := of.Key
	w.did("terminate", u, k)
	return nil
}

func (w *world) Approve(_ context.Context, u *auth.User, of view.Granted, digest string, until time.Time) error {
	k := of.Key
	w.did(fmt.Sprintf("approve %s for %s", digest, time.Until(until).Round(time.Minute)), u, k)
	return nil
}

func (w *world) Confirm(_ context.Context, u *auth.User, of view.Granted, digest string) error {
	k := of.Key
	w.did("confirm "+digest, u, k)
	return nil
}

func (w *world) ApproveSet(_ context.Context, u *auth.User, set *v1alpha1.ApplicationSet, digest string, _ time.Time) error {
	w.did("approve set "+digest, u, view.Key{Namespace: set.Namespace, Name: set.Name})
	return nil
}

func (w *world) PauseSet(_ context.Context, u *auth.User, set *v1alpha1.ApplicationSet) error {
	w.did("pause", u, view.Key{Namespace: set.Namespace, Name: set.Name})
	return nil
}

func (w *world) ResumeSet(_ context.Context, u *auth.User, set *v1alpha1.ApplicationSet) error {
	w.did("resume", u, view.Key{Namespace: set.Namespace, Name: set.Name})
	return nil
}

func (w *world) Delete(_ context.Context, u *auth.User, of view.Granted, _ gitops.Propagation) error {
	k := of.Key
	w.did("delete", u, k)
	return nil
}

// past has one sync of web-dev and one of another Application.
type past struct{ syncs.Reader }

// pastSync is a good sync of an Application, in the project that it is put in.
func pastSync(id, name string) history.Sync {
	s := history.Sync{ID: id, App: history.App{Namespace: "argocd", Name: name}, Project: "shop", Phase: history.PhaseSucceeded, Rendering: "r"}
	if name == "dns" {
		s.Project = "platform"
	}
	return s
}

func (past) List(_ context.Context, _, name string, _ int) ([]history.Sync, error) {
	return []history.Sync{pastSync("1", name)}, nil
}
func (past) Older(context.Context, string, string, history.SyncPlace, int) ([]history.Sync, error) {
	return []history.Sync{}, nil
}
func (past) Get(_ context.Context, id string) (*history.Sync, error) {
	s := pastSync(id, map[string]string{"1": "web-dev", "2": "dns"}[id])
	return &s, nil
}
func (past) Changes(context.Context, string) ([]history.Change, error) { return nil, nil }
func (past) Compare(context.Context, string, string) ([]Difference, error) {
	return []Difference{}, nil
}

// book is the audit: what is told to it can be read.
type book struct {
	mu       sync.Mutex // of entries, which terminals add to by themselves
	entries  []audit.Entry
	broken   *audit.Broken
	verified int
}

func (b *book) Append(_ context.Context, e *audit.Entry) (*audit.Entry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept, _, err := audit.Link(e, int64(len(b.entries)), "")
	b.entries = append(b.entries, kept)
	return &kept, err
}
func (b *book) Note(*audit.Entry) {}

func (b *book) all() []audit.Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.entries)
}

func (b *book) Audit(_ context.Context, q store.AuditQuery) ([]audit.Entry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := []audit.Entry{}
	for i := len(b.entries) - 1; i >= 0 && len(out) < q.Limit; i-- {
		if q.Before == 0 || b.entries[i].Sequence < q.Before {
			out = append(out, b.entries[i])
		}
	}
	return out, nil
}

func (b *book) ExportAudit(_ context.Context, q store.AuditQuery, line func([]byte) error) error {
	for _, e := range b.entries[min(q.After, int64(len(b.entries))):] {
		if err := line([]byte(`{"verb":"` + e.Verb + `"}`)); err != nil {
			return err
		}
	}
	return nil
}

// lines are the entries, a line each.
func (b *book) lines() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for _, e := range b.entries {
		out = append(out, strings.Join([]string{e.Who.Name, string(e.Outcome), e.Verb, e.Resource, e.Project, e.Name}, " "))
	}
	return out
}

func (b *book) VerifyAudit(context.Context, string) (audit.Report, error) {
	b.verified++
	if b.broken != nil {
		return audit.Report{}, b.broken
	}
	return audit.Report{Entries: int64(len(b.entries)), First: 1, Last: int64(len(b.entries))}, nil
}

func (b *book) Where() string { return "/var/lib/history.db" }
func (b *book) Limits() store.Limits {
	return store.Limits{AuditAge: 48 * time.Hour, AuditBytes: 1 << 20}
}

func (w *world) handler() http.Handler { return as(New(w.options())) }

func (w *world) options() Options {
	p := newPeople()
	w.people = p
	return Options{
		Terminals: &w.room, Desk: terminal.NewDeskAt(w.room.clock()), Identify: w.room.identify,
		Version: "1", Index: w.index, Marks: w.marks, Rights: w, Applications: w, Look: w, Operate: w, Approver: w, Roll: w, Past: past{}, Commits: commits{}, Betweens: commits{}, Bridge: w, Explain: w, Around: w, Act: w, Sets: w, Namespace: "argocd",
		Repositories: registered{w}, RepositoryUse: registered{w}, Members: enrolled{w}, ProjectWriter: drafting{w},
		Keys: newChest(), Accounts: p, Door: session.NewDoor(p.gate()), Audit: &w.book, Trail: trail.New(&w.book, slog.New(slog.DiscardHandler)),
		Clusters: func() []clusters.Health {
			return []clusters.Health{
				{Name: "prod", Server: "https://prod", Labels: map[string]string{"environment": "prod"}}, {Name: "dev", Server: "https://dev", Labels: map[string]string{"environment": "dev"}},
			}
		},
	}
}

// as serves for the user that a request names.
func as(api http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if name := r.Header.Get("X-Test-User"); name != "" {
			r = r.WithContext(auth.With(r.Context(), &auth.User{Name: name, Via: auth.Local, ByCookie: r.Header.Get("Cookie") != ""}))
		}
		api.ServeHTTP(rw, r)
	})
}

func send(t *testing.T, h http.Handler, user, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	return sendWith(t, h, user, method, path, body, http.Header{})
}

func sendWith(t *testing.T, h http.Handler, user, method, path, body string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, Prefix+path, strings.NewReader(body))
	r.Header = header.Clone()
	r.Header.Set("X-Test-User", user)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	saysWhen(t, w.Code, w.Header())
	return w
}

// saysWhen checks that who is refused for now is told when to come again.
func saysWhen(t *testing.T, code int, h http.Header) {
	t.Helper()
	if code != http.StatusTooManyRequests && code != http.StatusServiceUnavailable {
		return
	}
	if wait, err := strconv.Atoi(h.Get("Retry-After")); err != nil || wait < 1 {
		t.Errorf("%d says to come again after %q", code, h.Get("Retry-After"))
	}
}

package argocd

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/backpressure"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Waits for the cache.
const (
	// refreshTime is how long a refresh is waited for.
	refreshTime = 30 * time.Second
	// seenTime is how long a write is waited for, to be seen in the answer.
	seenTime = 5 * time.Second
	seenStep = 50 * time.Millisecond
)

// wanted is which Applications a list is of.
type wanted struct {
	name, namespace, repo string
	projects              []string
	selector              labels.Selector
}

func (c *call) wanted() (*wanted, error) {
	w := &wanted{projects: c.query.texts("projects", "project")}
	var selector string
	for name, into := range map[string]*string{"name": &w.name, "appNamespace": &w.namespace, "repo": &w.repo, "selector": &selector} {
		text, err := c.query.text(name)
		if err != nil {
			return nil, err
		}
		*into = text
	}
	var err error
	if w.selector, err = selectorOf(selector); err != nil {
		return nil, err
	}
	return w, nil
}

func selectorOf(text string) (labels.Selector, error) {
	selector, err := labels.Parse(text)
	if err != nil {
		return nil, problemf(invalid, "cannot read the selector: %v", err)
	}
	return selector, nil
}

func (w *wanted) named(k view.Key) bool {
	return (w.name == "" || w.name == k.Name) && (w.namespace == "" || w.namespace == k.Namespace)
}

func (w *wanted) has(r *view.Row) bool {
	return w.named(r.Key()) && (len(w.projects) == 0 || slices.Contains(w.projects, r.Project)) && w.selector.Matches(labels.Set(r.Labels)) &&
		(w.repo == "" || slices.ContainsFunc(r.Sources, func(s view.Source) bool { return sameRepo(s.RepoURL, w.repo) }))
}

func sameRepo(a, b string) bool {
	plain := func(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "/"), ".git") }
	return strings.EqualFold(plain(a), plain(b))
}

// list writes Applications one after the other: there may be many. Until all are
// written, it has one of the places of who asks.
func (s *server) list(c *call) (any, error) {
	want, err := c.wanted()
	if err != nil {
		return nil, err
	}
	only, err := c.fields()
	if err != nil {
		return nil, err
	}
	end, err := s.shown.list(c.Context())
	if err != nil {
		return nil, err
	}
	at, rows, err := s.rows(c.Context(), want)
	if err != nil {
		end()
		return nil, err
	}
	return stream(func(w http.ResponseWriter) {
		defer end()
		header(w, "application/json")
		l := listing{server: s, only: only, to: w}
		if l.write(c.Context(), at, rows) != nil {
			panic(http.ErrAbortHandler) // the answer has begun: only that it is cut off tells
		}
	}), nil
}

// rows are those that are wanted and may be seen, and as of when.
func (s *server) rows(ctx context.Context, want *wanted) (at view.Moment, rows []*view.Row, err error) {
	visible, err := s.reach.Visible(ctx)
	if err != nil {
		return at, nil, err
	}
	now, err := s.reach.Place(ctx) // before it is read: what comes meanwhile is told to who follows
	if err != nil {
		return at, nil, err
	}
	for _, r := range s.Index.Now().Rows {
		if want.has(r) && visible(r) {
			rows = append(rows, r)
		}
	}
	return now.Moment, rows, nil
}

// listing is a list that is being written. An Application that cannot be read
// any more is not in it.
type listing struct {
	server *server
	only   *fields
	to     http.ResponseWriter
	comma  string
}

// write returns an error where the list is not whole: nothing else would tell.
func (l *listing) write(ctx context.Context, at view.Moment, rows []*view.Row) error {
	comma := ""
	_, _ = l.to.Write([]byte("{"))
	if below, is := l.only.step("metadata"); is {
		meta, err := below.of(metav1.ListMeta{ResourceVersion: strconv.FormatUint(uint64(at), 10)})
		text, again := json.Marshal(meta)
		if err == nil && again == nil {
			_, _ = l.to.Write(append([]byte(`"metadata":`), text...))
			comma = ","
		}
	}
	if below, is := l.only.step("items"); is {
		_, _ = l.to.Write([]byte(comma + `"items":[`))
		if err := l.items(ctx, below, rows); err != nil {
			return err
		}
		_, _ = l.to.Write([]byte("]"))
	}
	_, err := l.to.Write([]byte("}\n"))
	return err
}

func (l *listing) items(ctx context.Context, only *fields, rows []*view.Row) error {
	for some := range slices.Chunk(rows, chunk) {
		texts, err := l.texts(ctx, only, some)
		if err != nil {
			return err
		}
		if err := l.put(ctx, texts); err != nil {
			return err
		}
	}
	return nil
}

// put writes some out, which wait for the reader together.
func (l *listing) put(ctx context.Context, texts [][]byte) error {
	held := 0
	for _, text := range texts {
		held += cap(text)
	}
	defer backpressure.Hold(ctx, int64(held))()
	for _, text := range texts {
		_, _ = l.to.Write([]byte(l.comma))
		l.comma = ","
		if _, err := l.to.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// texts works some out, in the turn of who asks.
func (l *listing) texts(ctx context.Context, only *fields, rows []*view.Row) ([][]byte, error) {
	end, err := l.server.shown.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	out := make([][]byte, 0, len(rows))
	for _, r := range rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if text, err := l.server.text(ctx, r, only); err == nil && text != nil {
			out = append(out, text)
		}
	}
	return out, nil
}

// place is where an Application is: most requests name its name alone.
type place struct {
	key     view.Key
	project string
}

func (s *server) place(c *call) (place, error) {
	var p place
	var err error
	p.key.Name = c.PathValue("name")
	if p.key.Namespace, err = c.query.text("appNamespace"); err != nil {
		return p, err
	}
	p.key.Namespace = cmp.Or(p.key.Namespace, s.Namespace)
	p.project, err = c.query.text("project")
	return p, err
}

// may finds an Application with which somebody may do something. One that is
// not there is refused as one that may not be read, unless the request names a
// project in which the sender may read it: then it is told not to be there.
func (s *server) may(c *call, at place, resource, action string) (*view.Row, error) {
	if row := s.Index.Get(at.key); at.project != "" && (row == nil || row.Project != at.project) {
		return nil, s.misplaced(c, at)
	}
	row, err := s.reach.Application(c.Context(), at.key, resource, action)
	if err == nil && at.project != "" && row.Project != at.project {
		return nil, s.misplaced(c, at)
	}
	return row, err
}

// mayAlso asks for a further right to the Application of a row, in the project of
// the row.
func (s *server) mayAlso(c *call, at place, row *view.Row, action string) error {
	now, err := s.may(c, at, "applications", action)
	if err == nil && now.Project != row.Project {
		return reach.Moved(row.Key())
	}
	return err
}

// misplaced is the answer for an Application that is not in the project which
// a request names.
func (s *server) misplaced(c *call, at place) error {
	if err := s.reach.Known(c.Context()); err != nil {
		return err
	}
	if err := s.reach.Demand(c.Context(), reach.Application("applications", "get", at.project, at.key)); err != nil {
		if problemOf(err).code == denied {
			return errDenied
		}
		return err
	}
	return problemf(notFound, "applications.argoproj.io %q not found in project %s", at.key.Name, at.project)
}

// readable is the Application of a request, for those who may read it.
func (s *server) readable(c *call) (*v1alpha1.Application, error) {
	at, err := s.place(c)
	if err != nil {
		return nil, err
	}
	return s.read(c, at)
}

func (s *server) read(c *call, at place) (*v1alpha1.Application, error) {
	row, err := s.may(c, at, "applications", "get")
	if err != nil {
		return nil, err
	}
	return s.cachedIn(c.Context(), at.key, row.Project)
}

// cachedIn is an Application of the project by which somebody was found to see it.
func (s *server) cachedIn(ctx context.Context, key view.Key, project string) (*v1alpha1.Application, error) {
	app, err := s.cached(ctx, key)
	if err == nil && app.Spec.GetProject() != project {
		return nil, errDenied // it has left that in between
	}
	return app, err
}

func (s *server) cached(ctx context.Context, key view.Key) (*v1alpha1.Application, error) {
	app, err := s.Applications.Application(ctx, key)
	if app == nil && err == nil || gitops.IsProblem(err, gitops.NotFound) {
		return nil, errDenied // it went in between
	}
	return app, err
}

func (s *server) get(c *call) (any, error) {
	at, err := s.place(c)
	if err != nil {
		return nil, err
	}
	only, err := c.fields()
	if err != nil {
		return nil, err
	}
	app, err := s.read(c, at)
	if err != nil {
		return nil, err
	}
	if how := c.query.texts("refresh"); len(how) > 0 {
		if app, err = s.refreshed(c, at, app, how[0]); err != nil {
			return nil, err
		}
	}
	return only.of(app)
}

// refreshed asks for another look, and waits until it has been taken.
func (s *server) refreshed(c *call, at place, before *v1alpha1.Application, how string) (*v1alpha1.Application, error) {
	if err := c.meant(); err != nil {
		return nil, err
	}
	thorough := api.Normal
	if how == string(api.Hard) {
		thorough = api.Hard
	}
	if err := s.Operate.Refresh(c.Context(), c.user, view.Granted{Key: at.key, Project: before.Spec.GetProject()}, thorough); err != nil {
		return nil, err
	}
	return s.until(c.Context(), at.key, before.Spec.GetProject(), refreshTime, func(app *v1alpha1.Application) bool {
		_, asked := app.RefreshRequested()
		return !asked && app.ResourceVersion != before.ResourceVersion
	})
}

// until reads an Application of a project until it is as is waited for.
func (s *server) until(ctx context.Context, key view.Key, project string, limit time.Duration, right func(*v1alpha1.Application) bool) (*v1alpha1.Application, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(seenStep)
	defer tick.Stop()
	var app *v1alpha1.Application
	for known := ""; ; {
		version := s.Versions.Version(ctx, key)
		if app == nil || version == "" || version != known {
			var err error
			if app, err = s.cachedIn(ctx, key, project); err != nil || right(app) {
				return app, err
			}
		}
		known = version
		select {
		case <-ctx.Done():
			return app, ctx.Err()
		case <-tick.C:
		}
	}
}

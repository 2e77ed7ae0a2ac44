package api

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"path"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"golang.org/x/time/rate"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/server/batch"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/cursor"
	"github.com/causeway-gitops/causeway/internal/server/environment"
	"github.com/causeway-gitops/causeway/internal/server/intake"
	"github.com/causeway-gitops/causeway/internal/server/marks"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/stream"
	"github.com/causeway-gitops/causeway/internal/server/terminal"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// Prefix of all paths.
const Prefix = "/api/v1"

// Applications reads the hub's cache.
type Applications interface {
	// Application is shared: it is not to be changed.
	Application(ctx context.Context, key view.Key) (*v1alpha1.Application, error)
	ApplicationSets(ctx context.Context) ([]v1alpha1.ApplicationSet, error)
	// ApplicationSet is one of them; a Problem of kind NotFound when it is not there.
	ApplicationSet(ctx context.Context, key view.Key) (*v1alpha1.ApplicationSet, error)
	Projects(ctx context.Context) ([]v1alpha1.AppProject, error)
}

// Options are what an API stands on.
type Options struct {
	Version string
	Log     *slog.Logger
	// Namespace is the control namespace.
	Namespace string
	Index     *view.Index
	// Marks are the operations that can be followed; nil for none.
	Marks        *marks.Marks
	Rights       reach.Rights
	Applications Applications
	Look         Looker
	Looks        *Looks
	// Searches bounds those under way; nil for the bound of NewSearches.
	Searches *Looks
	// Bodies are those in work; nil for places of its own.
	Bodies *intake.Places
	// Cursors seal where pages end; nil for a key of its own.
	Cursors *cursor.Cursors
	Bridge  Bridger
	Explain Explainer
	Around  Surroundings
	Act     Actor
	// Terminals and their Desk are nil where there are none. Identify says whose
	// a request is, while a terminal that it became is open.
	Terminals Terminals
	Desk      *terminal.Desk
	Identify  func(r *http.Request) (*auth.User, error)
	Sets      SetExpander
	Operate   Operator
	Approver  Approver
	Roll      Roller
	Batches   *batch.Runner // nil for one that nobody waits for
	Past      Past          // nil where no history is kept
	Audit     Auditor       // nil where none is kept
	Commits   Commits       // nil where no history is kept
	Betweens  Betweener
	Keys      Keyring // nil where none are kept
	Accounts  Accounts
	// Trail is told of what is denied; of writes the Operator tells it.
	Trail    *trail.Trail
	Clusters func() []clusters.Health
	Door     *session.Door
	// Repositories and Members (clusters) are what Secrets describe.
	Repositories  Repositories
	RepositoryUse RepositoryUse
	Members       Members
	// ProjectWriter writes AppProjects; Applications reads them.
	ProjectWriter ProjectWriter
	// Asker is who asked for the last operation of an Application, where that is
	// proven; without it all names are unverified.
	Asker func(app *v1alpha1.Application) string
	// Promotion is what the installation says of the order of environments; of
	// its own it says nothing.
	Promotion func() string
	// SignIns are the ways to sign in that a page offers; none without it.
	SignIns func(context.Context) SignIns
}

// server is the API.
type server struct {
	Options

	reach   *reach.Reach
	api     huma.API
	streams *stream.Slots
	begins  *session.Tries // of batches
	prover  *prover
	places  *environment.Places
	commits *sums
	// texts are answers, fleets those of them that are made in turns, and matrices
	// what pages of environments are made of.
	texts    *kept[*text]
	fleets   latest[*text]
	matrices latest[*untold]
	steady   *clusters.Steady
	wholes   wholes
}

// Looks are the looks at clusters and the renderings that are under way: pages
// and portals ask for many at a time. One person has a share of them, so that
// what waits for a silent cluster is who asked for it. A nil one bounds nothing.
type Looks struct{ places *slots.Slots }

// looksAtOnce bounds them, and looksEach those of one person.
const (
	looksAtOnce = 16
	looksEach   = 4
)

// searchesAtOnce bounds searches, each of which looks through all there is, and
// searchesEach those of one person.
const (
	searchesAtOnce = 8
	searchesEach   = 2
)

// NewSearches makes the bound of all who search.
func NewSearches() *Looks { return &Looks{slots.Shares(searchesAtOnce, searchesEach)} }

// NewLooks makes the bound of all who look.
func NewLooks() *Looks { return &Looks{slots.Shares(looksAtOnce, looksEach)} }

// Begin waits for the turn of who asks, as long as ctx lasts. End is called
// after the look.
func (l *Looks) Begin(ctx context.Context) (end func(), ok bool) {
	if l == nil {
		return func() {}, true
	}
	person, err := l.places.Take(ctx, slots.Of(auth.Asker(ctx)))
	if err != nil {
		return nil, false
	}
	return func() { l.places.Give(person) }, true
}

// New makes the handler of everything below Prefix.
func New(o Options) http.Handler {
	mux := http.NewServeMux()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Bodies == nil {
		o.Bodies = intake.New(nil)
	}
	if o.Cursors == nil {
		o.Cursors = ownCursors()
	}
	if o.Marks == nil {
		o.Marks = marks.New(time.Now)
	}
	if o.Batches == nil {
		o.Batches = batch.New(time.Now)
	}
	if o.Searches == nil {
		o.Searches = NewSearches()
	}
	c := config(o.Version)
	c.Transformers = append(c.Transformers, silent, asJSON, brief, logged(o.Log))
	a := humago.New(mux, c)
	may := reach.New(o.Rights, o.Index, o.Trail)
	texts := newKept[*text](textsKept)
	s := &server{
		Options: o, reach: may, api: a, streams: stream.NewSlots(maxStreams, maxEach), begins: session.NewTries(rate.Every(batchEvery), batchBurst), prover: newProver(),
		places: &environment.Places{}, commits: newSums(), texts: texts, fleets: newLatest(texts), matrices: newLatest(newKept[*untold](matricesKept)), steady: clusters.NewSteady(time.Now),
	}
	a.UseMiddleware(s.enter)
	register(a, s)
	mux.HandleFunc(Prefix+"/", unknown(mux))
	return versioned(may, o.Trail.Wrap(mux))
}

func ownCursors() *cursor.Cursors {
	key := make([]byte, 32) //nolint:mnd // bytes
	_, _ = rand.Read(key)   // never fails
	c, _ := cursor.New(key) // nor does this with a key
	return c
}

// Streams reports whether a request asks for an answer that goes on and on.
func Streams(r *http.Request) bool {
	for _, pattern := range []string{"/events", "/audit/export", "/applications/*/*/logs", "/applications/*/*" + openPath} {
		if on, _ := path.Match(Prefix+pattern, r.URL.Path); on {
			return true
		}
	}
	return false
}

// Follows tells of those that have no end of their own, and do not look after
// the session of their reader themselves, as terminals do.
func Follows(r *http.Request) bool {
	return Streams(r) && !strings.HasSuffix(r.URL.Path, openPath) && !strings.HasSuffix(r.URL.Path, "/export")
}

// Document is the OpenAPI document, as YAML.
func Document() ([]byte, error) {
	a := humago.New(http.NewServeMux(), config("1"))
	register(a, &server{})
	return a.OpenAPI().YAML()
}

func config(version string) huma.Config {
	c := huma.DefaultConfig("Causeway", version)
	c.Info.Description = "Applications, clusters and what is done to them. Errors are problem documents (RFC 9457)."
	// No page of documentation from elsewhere, no links into bodies.
	c.DocsPath, c.SchemasPath, c.CreateHooks = "", "", nil
	c.Formats = map[string]huma.Format{"application/json": format, "json": format}
	c.OpenAPIPath = Prefix + "/openapi"
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", named)
	c.RejectUnknownQueryParameters = true
	return c
}

// named is a type's name in the document. What is kept of the past has names
// of its own: a sync that was is no sync that is asked for.
func named(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := huma.DefaultSchemaNamer(t, hint)
	switch path.Base(t.PkgPath()) {
	case "history":
		return "Past" + name
	case "audit":
		return "Audit" + name
	case "environment":
		return "Environment" + name
	case "batch":
		return "Batch" + strings.TrimPrefix(name, "Batch")
	}
	return name
}

// register adds all operations. They are added without a server to stand on
// when the document alone is wanted.
func register(a huma.API, s *server) {
	s.sessions(a)
	s.rights(a)
	s.keys(a)
	s.accounts(a)
	s.applications(a)
	s.objects(a)
	s.terminals(a)
	s.parameters(a)
	s.surroundings(a)
	s.actions(a)
	s.operations(a)
	s.approvals(a)
	s.batches(a)
	s.history(a)
	s.audit(a)
	s.fleet(a)
	s.environments(a)
	s.changes(a)
	s.bridge(a)
	s.sets(a)
	s.setDetails(a)
	s.rollouts(a)
	s.projects(a)
	s.projectWrites(a)
	s.repositories(a)
	s.members(a)
	s.searches(a)
	s.events(a)
}

// operation describes one; its errors are those that all have.
func operation(id, method, path, tag, summary string) huma.Operation {
	op := huma.Operation{
		OperationID: id, Method: method, Path: Prefix + path, Summary: summary, Tags: []string{tag},
		// Bodies are read before, within their bounds.
		MaxBodyBytes: intake.Most + 1, BodyReadTimeout: -1,
		// Whoever sends an API key too often is told to wait, wherever they ask.
		Errors: []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusTooManyRequests},
	}
	if method != http.MethodGet {
		op.Parameters = append(op.Parameters, reason())
		op.Errors = append(op.Errors, http.StatusServiceUnavailable) // the audit cannot be written
	}
	return op
}

// reason is a header that each write takes; the audit reads it.
func reason() *huma.Param {
	length := trail.MaxReason
	return &huma.Param{
		Name: trail.ReasonHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString, MaxLength: &length},
		Description: "Why, for the audit. What is not ASCII is percent-encoded.",
	}
}

// answer is a body alone.
type answer[T any] struct{ Body T }

package argocd

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"path"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/origin"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/intake"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	streams "github.com/causeway-gitops/causeway/internal/server/stream"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Prefix of all paths: what tools take for the address of Argo CD is /argocd.
const Prefix = "/argocd/api"

// maxQuery bounds what the address of a request says.
const maxQuery = 16 << 10

// How long to wait for a place that others have among looks and streams, and
// for what cannot be reached.
const (
	looksWait   = 2 * time.Second
	streamsWait = 15 * time.Second
	awayWait    = 5 * time.Second
)

// Details of an Application that Argo CD's answers have and those of package
// api have not. Objects are JSON, with the values of Secrets masked.
type Details interface {
	Managed(ctx context.Context, app *v1alpha1.Application) ([]Managed, error)
	// Manifests renders. Revisions has one entry a source, empty for the
	// spec's; it is nil for those of the spec alone.
	Manifests(ctx context.Context, app *v1alpha1.Application, revisions []string) (*Manifests, error)
	// Commit tells who made a revision of a source, counted from 0.
	Commit(ctx context.Context, app *v1alpha1.Application, source int, revision string) (*gitops.Commit, error)
	Actions(ctx context.Context, app *v1alpha1.Application, ref api.Ref) ([]Action, error)
}

// Options are what the answers stand on, besides what package api stands on.
type Options struct {
	api.Options

	Details      Details
	Repositories func() []Repository
	Settings     func(context.Context) Settings
	Versions     Versions
	// MaskSpec is what an ApplicationSet says without what is secret by its name.
	MaskSpec func(*v1alpha1.ApplicationSetSpec) (any, error)
}

// Versions tells which version of an Application the hub's cache has: to ask
// costs less than to copy it. Empty for none.
type Versions interface {
	Version(ctx context.Context, key view.Key) string
}

type server struct {
	Options

	reach   *reach.Reach
	streams *streams.Slots
	shown   *shown
}

// call is one request.
type call struct {
	*http.Request

	query query
	user  *auth.User
}

// stream is an answer that is written as it comes.
type stream func(w http.ResponseWriter)

// route is one endpoint.
type route struct {
	method, path string
	answer       func(*server, *call) (any, error)
	// open is for everybody: to sign in, one has not yet done so.
	open bool
}

// public is a route for everybody.
func public(method, path string, answer func(*server, *call) (any, error)) route {
	return route{method, path, answer, true}
}

// private is one for who is known.
func private(method, path string, answer func(*server, *call) (any, error)) route {
	return route{method, path, answer, false}
}

func routes() []route {
	const app = "/v1/applications/{name}"
	return append(actionRoutes(app), []route{
		public(http.MethodGet, "/version", (*server).version),
		public(http.MethodPost, "/v1/session", (*server).signIn),
		public(http.MethodDelete, "/v1/session", (*server).signOut),
		public(http.MethodGet, "/v1/session/userinfo", (*server).userInfo),
		private(http.MethodGet, "/v1/account/can-i/{resource}/{action}/{object...}", (*server).canI),
		public(http.MethodGet, "/v1/settings", (*server).settings),
		private(http.MethodGet, "/v1/applications", (*server).list),
		private(http.MethodGet, "/v1/stream/applications", (*server).watch),
		private(http.MethodGet, app, (*server).get),
		private(http.MethodDelete, app, (*server).remove),
		private(http.MethodPost, app+"/sync", (*server).sync),
		private(http.MethodPost, app+"/rollback", (*server).rollback),
		private(http.MethodDelete, app+"/operation", (*server).terminate),
		private(http.MethodGet, app+"/resource-tree", (*server).tree),
		private(http.MethodGet, app+"/managed-resources", (*server).managed),
		private(http.MethodGet, app+"/manifests", (*server).manifests),
		private(http.MethodGet, app+"/resource", (*server).resource),
		private(http.MethodGet, app+"/resource/actions", (*server).actions),
		private(http.MethodGet, app+"/events", (*server).events),
		private(http.MethodGet, app+"/logs", (*server).logs),
		private(http.MethodGet, app+"/pods/{pod}/logs", (*server).logs),
		private(http.MethodGet, app+"/revisions/{revision}/metadata", (*server).commit),
		private(http.MethodGet, "/v1/applicationsets", (*server).listSets),
		private(http.MethodGet, "/v1/applicationsets/{name}", (*server).getSet),
		private(http.MethodGet, "/v1/projects", (*server).listProjects),
		private(http.MethodGet, "/v1/projects/{name}", (*server).getProject),
		private(http.MethodGet, "/v1/clusters", (*server).listClusters),
		private(http.MethodGet, "/v1/clusters/{id}", (*server).getCluster),
		private(http.MethodGet, "/v1/repositories", (*server).listRepositories),
		private(http.MethodGet, "/v1/repositories/{repo}", (*server).getRepository),
	}...)
}

// New makes the handler of everything below Prefix.
func New(o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Bodies == nil {
		o.Bodies = intake.New(nil)
	}
	s := &server{Options: o, reach: reach.New(o.Rights, o.Index, o.Trail), streams: streams.NewSlots(maxStreams, maxEach), shown: newShown()}
	mux := http.NewServeMux()
	for _, r := range routes() {
		mux.HandleFunc(r.method+" "+Prefix+r.path, func(w http.ResponseWriter, q *http.Request) { s.serve(w, q, r) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, q *http.Request) {
		refuse(w, problemf(unimplemented, "Causeway does not answer %s %s of Argo CD's API; its own API is at %s/openapi.yaml", q.Method, q.URL.Path, api.Prefix))
	})
	return o.Trail.Wrap(mux)
}

// Streams reports whether a request asks for an answer that goes on and on.
func Streams(r *http.Request) bool {
	for _, pattern := range []string{"/v1/stream/applications", "/v1/applications/*/logs", "/v1/applications/*/pods/*/logs"} {
		if on, _ := path.Match(Prefix+pattern, r.URL.Path); on {
			return true
		}
	}
	return false
}

func (s *server) serve(w http.ResponseWriter, r *http.Request, to route) {
	end, err := s.enter(w, r, to)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	defer end()
	values, err := queryOf(r)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	body, err := to.answer(s, &call{Request: r, query: values, user: auth.From(r.Context())})
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	if write, ok := body.(stream); ok {
		write(w)
		return
	}
	text, err := json.Marshal(body)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	header(w, "application/json")
	_, _ = w.Write(text) // after an error the client has gone
}

// enter decides who asks before anything of a request is decoded, and reads its
// body within bounds.
func (s *server) enter(w http.ResponseWriter, r *http.Request, to route) (end func(), err error) {
	if !to.open && auth.From(r.Context()) == nil {
		if err := s.reach.Known(r.Context()); err != nil {
			return nil, err
		}
	}
	if to.method != http.MethodPost {
		return func() {}, nil // there is nothing in it to read
	}
	if to.open {
		return s.Bodies.TakeAny(w, r, origin.Sender(r))
	}
	return s.Bodies.Take(w, r, origin.Sender(r), intake.Most)
}

func header(w http.ResponseWriter, kind string) { w.Header().Set("Content-Type", kind) }

// none is an answer that says nothing.
type none struct{}

package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/server/stream"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Looker looks at the objects of an Application in its cluster. Objects that
// are none of its own are not shown. Values of Secrets are masked.
type Looker interface {
	Tree(ctx context.Context, app *v1alpha1.Application) (*Tree, error)
	Diff(ctx context.Context, app *v1alpha1.Application) ([]Difference, error)
	Object(ctx context.Context, app *v1alpha1.Application, ref Ref) (*Object, error)
	// Events are those of an object; of the Application itself when ref is empty.
	Events(ctx context.Context, app *v1alpha1.Application, ref Ref) ([]Event, error)
	Logs(ctx context.Context, app *v1alpha1.Application, q LogQuery) (io.ReadCloser, error)
}

// lookTime bounds a look at a cluster: a page waits for it.
const lookTime = 15 * time.Second

// Tree is what an Application has in its cluster.
type Tree struct {
	Nodes []*Node `json:"nodes"`
	// Partial tells why something is left out.
	Partial string `json:"partial,omitempty" doc:"Why something is left out: a kind or the whole cluster cannot be read now, or not by you."`
}

// Node is an object with what it owns.
type Node struct {
	Ref

	UID      string    `json:"uid,omitempty"`
	Sync     string    `json:"sync,omitempty" doc:"Only of objects that Git has."`
	Health   string    `json:"health,omitempty"`
	Message  string    `json:"message,omitempty"`
	Info     string    `json:"info,omitempty" doc:"What people want to know of the kind: 2/3 ready, a pod's phase."`
	Wave     int64     `json:"wave,omitempty"`
	Hook     bool      `json:"hook,omitempty"`
	Prune    bool      `json:"prune,omitempty"`
	Images   []string  `json:"images,omitempty"`
	Created  time.Time `json:"created,omitzero"`
	Missing  bool      `json:"missing,omitempty" doc:"It is in Git and not in the cluster."`
	Children []*Node   `json:"children,omitempty"`
	Holder   string    `json:"holder,omitempty" doc:"The other application that has it, by its tracking id: nothing of what is live is shown until a sync takes it over."`
}

// Difference is what a sync would change of one object.
type Difference struct {
	Ref

	Verb    string   `json:"verb" enum:"create,update,prune,keep"`
	Changes []Change `json:"changes,omitempty"`
	// Live and Desired are YAML, with secrets masked.
	Live    string `json:"live,omitempty" doc:"YAML; values of Secrets are masked."`
	Desired string `json:"desired,omitempty" doc:"YAML, as the API server would have it after the sync."`
	Origin  string `json:"origin,omitempty" doc:"File and line in Git."`
	Kept    string `json:"kept,omitempty" doc:"Why it stays although Git no longer has it, or is not looked at."`
	Drifted string `json:"drifted,omitempty" doc:"Who changed what in the cluster; empty when it is Git that changed."`
}

// Change is one field.
type Change struct {
	Path string `json:"path"`
	Old  any    `json:"old,omitempty"`
	New  any    `json:"new,omitempty"`
}

// Object is one object.
type Object struct {
	Ref

	Live    string `json:"live,omitempty" doc:"YAML without managed fields; values of Secrets are masked."`
	Desired string `json:"desired,omitempty" doc:"YAML as Git has it; empty for what Git does not have."`
	Problem string `json:"problem,omitempty" doc:"Why it is not known what Git has: desired is empty then."`
	Origin  string `json:"origin,omitempty" doc:"File and line in Git."`
	Health  string `json:"health,omitempty"`
	Message string `json:"message,omitempty"`
	// Containers of a pod.
	Containers []string `json:"containers,omitempty"`
	Unanswered bool     `json:"unanswered,omitempty" doc:"The cluster did not answer: what is live is not known, and the message says why."`
	Holder     string   `json:"holder,omitempty" doc:"The other application that has it, by its tracking id: nothing of what is live is shown until a sync takes it over."`
}

// Event is a Kubernetes event.
type Event struct {
	Type    string    `json:"type"`
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
	Count   int32     `json:"count"`
	First   time.Time `json:"first,omitzero"`
	Last    time.Time `json:"last,omitzero"`
	From    string    `json:"from,omitempty"`
	On      string    `json:"on,omitempty" doc:"The object, as KIND NAME."`
}

// LogQuery selects lines of a pod's log.
type LogQuery struct {
	Namespace, Pod, Container string
	Previous, Follow          bool
	Tail                      int64
	// Since leaves out lines of earlier seconds; then Tail does not count.
	Since time.Time
}

// RefInput names an object of an Application. It is exported for the reflection
// that reads what is embedded.
type RefInput struct {
	KeyInput

	Group           string `query:"group" maxLength:"253"`
	Version         string `query:"version" maxLength:"63"`
	Kind            string `query:"kind" maxLength:"63" required:"true"`
	ObjectNamespace string `query:"objectNamespace" maxLength:"253"`
	ObjectName      string `query:"objectName" maxLength:"253" required:"true"`
}

func (in *RefInput) ref() Ref {
	return Ref{Group: in.Group, Version: in.Version, Kind: in.Kind, Namespace: in.ObjectNamespace, Name: in.ObjectName}
}

func (s *server) objects(a huma.API) {
	at := func(id, path, summary string) huma.Operation {
		op := operation(id, http.MethodGet, "/applications/{namespace}/{name}"+path, "objects", summary)
		op.Errors = append(op.Errors, http.StatusBadGateway, http.StatusGatewayTimeout)
		return op
	}
	handle(a, at("get-tree", "/tree", "The objects of an Application with what they own"), s.tree)
	handle(a, at("get-diff", "/diff", "What a sync would change, by dry runs in the cluster"), s.diff)
	handle(a, at("get-object", "/object", "One object: live, and as Git has it"), s.object)
	handle(a, at("list-events", "/events", "Events of one object, or of the Application"), s.objectEvents)
	logs := at("get-logs", "/logs", "The log of a pod's container, as plain text")
	logs.Responses = map[string]*huma.Response{"200": {Description: "Lines", Content: map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: huma.TypeString}}}}}
	handle(a, logs, s.logs)
}

func (s *server) tree(ctx context.Context, in *KeyInput) (*answer[*Tree], error) {
	return look(ctx, s, in.key(), s.Look.Tree)
}

func (s *server) diff(ctx context.Context, in *KeyInput) (*answer[[]Difference], error) {
	return look(ctx, s, in.key(), s.Look.Diff)
}

func (s *server) object(ctx context.Context, in *RefInput) (*answer[*Object], error) {
	return look(ctx, s, in.key(), func(ctx context.Context, app *v1alpha1.Application) (*Object, error) {
		return s.Look.Object(ctx, app, in.ref())
	})
}

type eventsInput struct {
	KeyInput

	Group           string `query:"group" maxLength:"253"`
	Version         string `query:"version" maxLength:"63"`
	Kind            string `query:"kind" maxLength:"63" doc:"Empty for the Application itself."`
	ObjectNamespace string `query:"objectNamespace" maxLength:"253"`
	ObjectName      string `query:"objectName" maxLength:"253"`
}

func (s *server) objectEvents(ctx context.Context, in *eventsInput) (*answer[[]Event], error) {
	ref := Ref{Group: in.Group, Version: in.Version, Kind: in.Kind, Namespace: in.ObjectNamespace, Name: in.ObjectName}
	return look(ctx, s, in.key(), func(ctx context.Context, app *v1alpha1.Application) ([]Event, error) {
		return s.Look.Events(ctx, app, ref)
	})
}

// look asks something of an Application that may be read, for a bounded time.
func look[T any](ctx context.Context, s *server, key view.Key, ask func(context.Context, *v1alpha1.Application) (T, error)) (*answer[T], error) {
	app, err := s.readable(ctx, key)
	if err != nil {
		return nil, err
	}
	ctx, end, err := s.place(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	body, err := ask(ctx, app)
	if err != nil {
		return nil, looked(err)
	}
	return &answer[T]{body}, nil
}

type logsInput struct {
	KeyInput

	PodNamespace string    `query:"podNamespace" maxLength:"253" required:"true"`
	Pod          string    `query:"pod" maxLength:"253" required:"true"`
	Container    string    `query:"container" maxLength:"253"`
	Previous     bool      `query:"previous" doc:"Of the container before its last restart."`
	Follow       bool      `query:"follow" doc:"Go on while the container writes."`
	Tail         int64     `query:"tail" minimum:"1" maximum:"10000" default:"500" doc:"Lines from the end to begin with."`
	Since        time.Time `query:"since" doc:"Lines from the second of this time on, in place of tail: to go on where a log ended. Lines of that second may come again; each begins with its time."`
}

// logs streams. Argo CD's policies have a resource of its own for them.
func (s *server) logs(ctx context.Context, in *logsInput) (*huma.StreamResponse, error) {
	row, err := s.may(ctx, in.key(), "logs", "get")
	if err != nil {
		return nil, err
	}
	app, err := s.applicationOf(ctx, row)
	if err != nil {
		return nil, httpError(err)
	}
	q := LogQuery{Namespace: in.PodNamespace, Pod: in.Pod, Container: in.Container, Previous: in.Previous, Follow: in.Follow, Tail: in.Tail, Since: in.Since}
	free, err := s.slot(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, stream.Life)
	lines, err := s.Look.Logs(ctx, app, q)
	if err != nil {
		cancel()
		free()
		return nil, looked(err)
	}
	return &huma.StreamResponse{Body: func(to huma.Context) {
		defer free()
		defer cancel()
		pour(to, lines)
	}}, nil
}

// Bounds of logs and exports that are being read.
const (
	maxStreams = 400
	maxEach    = 20
)

// slot is a place for an answer that lasts.
func (s *server) slot(ctx context.Context) (free func(), err error) {
	free, ok := s.streams.Take(auth.Asker(ctx))
	if !ok {
		return nil, later(http.StatusTooManyRequests, fmt.Sprintf("%d logs and exports are being read already, or %d by you; close some, or try again later", maxStreams, maxEach), streamsWait)
	}
	return free, nil
}

// pour hands lines on as they come.
func pour(ctx huma.Context, lines io.ReadCloser) {
	defer func() { _ = lines.Close() }()
	ctx.SetHeader("Content-Type", "text/plain; charset=utf-8")
	ctx.SetHeader("X-Content-Type-Options", "nosniff")
	w := sent(ctx)
	buffer := make([]byte, 32<<10)
	for {
		n, err := lines.Read(buffer)
		if n > 0 {
			if _, err := w.Write(buffer[:n]); err != nil {
				return
			}
			_ = w.Flush()
		}
		if err != nil {
			return // the end, or the client or the pod has gone
		}
	}
}

// sent writes to who reads in time.
func sent(ctx huma.Context) *stream.Writer {
	_, w := humago.Unwrap(ctx)
	return stream.To(w)
}

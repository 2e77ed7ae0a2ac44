package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/gorilla/websocket"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/terminal"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Terminals reach shells in containers of an Application's pods. That somebody
// may by the policies is settled before; what the cluster says is theirs.
type Terminals interface {
	// Shells are those that are tried, in this order; none where terminals are off.
	Shells() []string
	// Containers of a pod that the Application has, those that run now, and why
	// the cluster does not let the user in; nil where it does.
	Containers(ctx context.Context, u *auth.User, app *v1alpha1.Application, at TerminalAt) (running []string, refused, err error)
	// Open finds a container; its shell is not run yet.
	Open(ctx context.Context, u *auth.User, app *v1alpha1.Application, at TerminalAt) (terminal.Shell, error)
}

// TerminalAt names a container, and the shells to try in it.
type TerminalAt struct {
	Namespace, Pod, Container string
	Shells                    []string
}

// Terminal reports whether somebody may open a shell in a pod, and where.
type Terminal struct {
	On        bool     `json:"on" doc:"Terminals are switched on here."`
	Permitted bool     `json:"permitted" doc:"You may open one in this pod."`
	Why       string   `json:"why,omitempty" doc:"Why there is none, and what to do."`
	Running   []string `json:"running,omitempty" doc:"Containers that run, the usual one first."`
	Shells    []string `json:"shells,omitempty" doc:"Shells that are tried, in this order."`
	Idle      int64    `json:"idle" doc:"Seconds without typing after which one ends."`
	Longest   int64    `json:"longest" doc:"Seconds after which one ends."`
}

// PodInput names a pod of an Application. It is exported for the reflection
// that reads what is embedded.
type PodInput struct {
	KeyInput

	PodNamespace string `query:"podNamespace" maxLength:"253" required:"true"`
	Pod          string `query:"pod" maxLength:"253" required:"true"`
}

type openInput struct {
	PodInput

	Container string `query:"container" maxLength:"253" doc:"Empty for the usual one."`
	Shell     string `query:"shell" maxLength:"64" doc:"One of the shells that are tried; empty for the first one that is there."`
	Cols      uint16 `query:"cols" maximum:"1000" doc:"Characters of a line, to begin with."`
	Rows      uint16 `query:"rows" maximum:"1000" doc:"Lines, to begin with."`
}

// openPath ends the address at which terminals are opened.
const openPath = "/terminal/open"

func (s *server) terminals(a huma.API) {
	at := func(id, path, summary string) huma.Operation {
		op := operation(id, http.MethodGet, "/applications/{namespace}/{name}"+path, "objects", summary)
		op.Errors = append(op.Errors, http.StatusConflict, http.StatusBadGateway, http.StatusGatewayTimeout)
		return op
	}
	handle(a, at("get-terminal", "/terminal", "Whether you may open a shell in a pod"), s.terminal)
	open := at("open-terminal", openPath, "A shell in a container, as a WebSocket")
	open.Description = "Binary frames are bytes of the terminal. Text frames are JSON: the client sends `{\"resize\":{\"cols\":80,\"rows\":24}}`, the server " +
		"`{\"opened\":{\"shell\":\"bash\"}}` and at last `{\"ended\":{\"reason\":\"exit\",\"code\":0,\"message\":\"…\"}}`, with a reason of exit, idle, long, rights, stop, gone, failed. " +
		"Off unless the installation has switched it on."
	open.DefaultStatus = http.StatusSwitchingProtocols
	open.Responses = map[string]*huma.Response{"101": {Description: "The terminal is open"}}
	open.Errors = append(open.Errors, http.StatusUpgradeRequired, http.StatusServiceUnavailable)
	handle(a, open, s.openTerminal)
}

// off is why nobody may.
var off = gitops.Problemf(gitops.Forbidden, "terminals are switched off here").
	Do("have an administrator set exec.enabled: \"true\" in argocd-cm, or start the engine with --exec")

// shells are those of the installation.
func (s *server) shells() []string {
	if s.Terminals == nil {
		return nil
	}
	return s.Terminals.Shells()
}

func (s *server) terminal(ctx context.Context, in *PodInput) (*answer[*Terminal], error) {
	return look(ctx, s, in.key(), func(ctx context.Context, app *v1alpha1.Application) (*Terminal, error) {
		out := &Terminal{Shells: s.shells(), Idle: int64(terminal.Idle / time.Second), Longest: int64(terminal.Longest / time.Second)}
		if out.On = len(out.Shells) > 0; !out.On {
			out.Why = off.Error()
			return out, nil
		}
		u := auth.From(ctx)
		if u == nil {
			out.Why = errNobody.Error()
			return out, nil
		}
		why := s.reach.Permit(ctx, reach.Access{Resource: "exec", Action: "create", Project: app.Spec.GetProject(), Namespace: app.Namespace, Name: app.Name})
		if ok, err := allowed(why); err != nil || !ok {
			out.Why = sentence(why)
			return out, err
		}
		running, why, err := s.Terminals.Containers(ctx, u, app, TerminalAt{Namespace: in.PodNamespace, Pod: in.Pod})
		if err != nil {
			return nil, err
		}
		out.Running, out.Permitted = running, why == nil
		if why != nil {
			out.Why = why.Error()
		}
		return out, nil
	})
}

// errNobody is the answer to nobody, whatever a policy lets them: a shell has
// to be somebody's.
var errNobody = gitops.Problemf(gitops.Refused, "nobody is signed in").Do("sign in to open a terminal")

// openTerminal goes through all that may be wrong before it becomes a terminal:
// browsers are not told why a WebSocket is refused, so that their page asks the
// same again, as a read, and gets the reason in place of 426.
func (s *server) openTerminal(ctx context.Context, in *openInput) (*huma.StreamResponse, error) {
	row, err := s.mayOpen(ctx, in.key())
	if err != nil {
		return nil, httpError(err)
	}
	at, err := s.container(in)
	if err != nil {
		return nil, httpError(err)
	}
	app, err := s.applicationOf(ctx, row)
	if err != nil {
		return nil, httpError(err)
	}
	shell, err := s.findShell(ctx, app, at)
	if err != nil {
		s.reach.Denied(ctx, execOf(row), denial(err))
		return nil, httpError(err)
	}
	return &huma.StreamResponse{Body: func(to huma.Context) { s.join(to, in, at, row, shell) }}, nil
}

// mayOpen finds an Application in whose pods somebody may open terminals.
func (s *server) mayOpen(ctx context.Context, key view.Key) (*view.Row, error) {
	row, err := s.may(ctx, key, "exec", "create")
	switch {
	case err != nil:
		return nil, err
	case auth.From(ctx) == nil:
		return nil, errNobody
	case len(s.shells()) == 0:
		return nil, off
	}
	return row, nil
}

// container is the one that is wanted, with the shells to try.
func (s *server) container(in *openInput) (TerminalAt, error) {
	at := TerminalAt{Namespace: in.PodNamespace, Pod: in.Pod, Container: in.Container, Shells: s.shells()}
	if in.Shell == "" {
		return at, nil
	}
	for _, shell := range at.Shells {
		if shell == in.Shell {
			at.Shells = []string{shell}
			return at, nil
		}
	}
	return at, gitops.Problemf(gitops.Invalid, "%q is none of the shells %s", in.Shell, strings.Join(at.Shells, ", ")).Do("add it to exec.shells in argocd-cm")
}

// findShell finds the container for a bounded time.
func (s *server) findShell(ctx context.Context, app *v1alpha1.Application, at TerminalAt) (terminal.Shell, error) {
	ctx, end, err := s.place(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return s.Terminals.Open(ctx, auth.From(ctx), app, at)
}

// denial is an error that says that somebody may not; nil for all others, which
// are no news for the audit: nothing was begun.
func denial(err error) error {
	if ok, other := allowed(err); !ok && other == nil {
		return err
	}
	return nil
}

func execOf(row *view.Row) reach.Access {
	return reach.Access{Resource: "exec", Action: "create", Project: row.Project, Namespace: row.Namespace, Name: row.Name}
}

// join makes the request a terminal. The audit tells of it before, and of its end.
func (s *server) join(to huma.Context, in *openInput, at TerminalAt, row *view.Row, shell terminal.Shell) {
	r, w := humago.Unwrap(to)
	ctx := r.Context()
	u := auth.From(ctx)
	refuse := func(code int, text string) { _ = huma.WriteErr(s.api, to, code, text) }
	if !websocket.IsWebSocketUpgrade(r) {
		to.SetHeader("Upgrade", "websocket")
		refuse(http.StatusUpgradeRequired, "a terminal is a WebSocket: ask with Upgrade: websocket")
		return
	}
	if err := sameSite(r, u); err != nil {
		s.reach.Denied(ctx, execOf(row), err)
		refuse(http.StatusForbidden, err.Error())
		return
	}
	free, ok := s.Desk.Take(u.Person())
	if !ok {
		to.SetHeader("Retry-After", strconv.Itoa(int(streamsWait/time.Second)))
		refuse(http.StatusTooManyRequests, "too many terminals are open already, in all or by you; close some, or try again later")
		return
	}
	defer free()
	e := &audit.Entry{
		Verb: "create", Resource: "exec", Project: row.Project, Namespace: row.Namespace, Name: row.Name, Cluster: row.Cluster,
		Message: fmt.Sprintf("a terminal in %s with %s", at, strings.Join(at.Shells, " or ")),
	}
	if err := s.Trail.Begin(ctx, u, e); err != nil {
		to.SetHeader("Retry-After", strconv.Itoa(int(trail.Wait/time.Second)))
		refuse(http.StatusServiceUnavailable, err.Error())
		return
	}
	end, err := s.Desk.Join(w, r, terminal.Visit{Shell: shell, First: terminal.Size{Cols: in.Cols, Rows: in.Rows}, Still: s.still(r, u, row)})
	if err != nil {
		s.Trail.Failed(ctx, u, e, err)
		return
	}
	e.Verb, e.Message = "end", fmt.Sprintf("the terminal in %s ended after %s: %s", at.with(end.Shell), end.Lasted.Round(time.Second), end.Message)
	s.Trail.Ended(ctx, u, e)
}

// String names the container.
func (at TerminalAt) String() string {
	if at.Container == "" {
		return "the usual container of pod " + at.Namespace + "/" + at.Pod
	}
	return "container " + at.Container + " of pod " + at.Namespace + "/" + at.Pod
}

func (at TerminalAt) with(shell string) string {
	if shell == "" {
		return at.String() + " without a shell"
	}
	return at.String() + " with " + shell
}

// sameSite refuses a page of another site: browsers let any page open a
// WebSocket, and send their cookies along. A cookie counts for a request alone
// that says which page it is from.
func sameSite(r *http.Request, u *auth.User) error {
	if u.ByCookie && r.Header.Get("Origin") == "" {
		return gitops.Problemf(gitops.Forbidden, "a terminal by a cookie needs the header Origin").Do("send a token as Authorization: Bearer instead")
	}
	as := r.Clone(r.Context())
	as.Method = http.MethodPost // what reads is let through otherwise
	if err := http.NewCrossOriginProtection().Check(as); err != nil {
		return gitops.Problemf(gitops.Forbidden, "a page of another site may not open a terminal: %w", err)
	}
	return nil
}

// still asks, while a terminal is open, whether it might be opened again: the
// session, the key and the rights may have ended. It was opened by what the project
// of its Application permits: in another one it does not go on.
func (s *server) still(r *http.Request, u *auth.User, row *view.Row) func(context.Context) error {
	return func(ctx context.Context) error {
		now, err := s.Identify(r.WithContext(ctx))
		if session.Unsure(err) {
			return doubtful(httpError(err))
		}
		if err != nil || now == nil || now.Person() != u.Person() {
			return errors.New("your session has ended")
		}
		is, err := s.mayOpen(auth.With(ctx, now), row.Key())
		if err == nil && is.Project != row.Project {
			return fmt.Errorf("the application is in project %s now, and no longer in %s: open a terminal there anew", is.Project, row.Project)
		}
		return doubtful(httpError(err))
	}
}

// doubtful marks errors that say nothing about somebody's rights.
func doubtful(err error) error {
	var e huma.StatusError
	if err == nil || errors.As(err, &e) && e.GetStatus() < http.StatusInternalServerError && e.GetStatus() != http.StatusTooManyRequests {
		return err
	}
	return fmt.Errorf("%w: %w", terminal.ErrUnsure, err)
}

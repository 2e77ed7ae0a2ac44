package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Operator writes what somebody wants of an Application. That they may is
// settled before; one that has left the project since is not written.
type Operator interface {
	// Sync asks for one, and returns the mark that its operation bears.
	Sync(ctx context.Context, u *auth.User, app view.Granted, want Sync) (string, error)
	Rollback(ctx context.Context, u *auth.User, app view.Granted, want Rollback) (string, error)
	Refresh(ctx context.Context, u *auth.User, app view.Granted, hard Thoroughness) error
	Terminate(ctx context.Context, u *auth.User, app view.Granted) error
	Delete(ctx context.Context, u *auth.User, app view.Granted, how gitops.Propagation) error
}

// Sync is a sync that is asked for.
type Sync struct {
	Revision  string   `json:"revision,omitempty" maxLength:"256" doc:"Instead of the one in the spec; needs the right to override."`
	Revisions []string `json:"revisions,omitempty" maxItems:"100" doc:"Instead of revision where there are several sources: one each, empty for the one in the spec."`
	Prune     bool     `json:"prune,omitempty" doc:"Delete objects that are no longer in Git."`
	DryRun    bool     `json:"dryRun,omitempty"`
	Force     bool     `json:"force,omitempty" doc:"Delete objects that cannot be changed, and create them again."`
	NoHooks   bool     `json:"noHooks,omitempty" doc:"Apply the objects alone."`
	Options   []string `json:"options,omitempty" maxItems:"50" doc:"Sync options, such as ServerSideApply=true, beside those of the Application."`
	Resources []Ref    `json:"resources,omitempty" maxItems:"1000" doc:"Only these objects."`
	Retries   *int64   `json:"retries,omitempty" doc:"Tries after the first that fails, instead of those in the spec; below 0 without end."`
}

// maxItem bounds what lists have in them: tags bound how many there are alone.
const maxItem = 256

// Resolve implements huma.Resolver.
func (w *Sync) Resolve(huma.Context) []error {
	long := func(s string) bool { return len(s) > maxItem }
	switch {
	case slices.ContainsFunc(w.Revisions, long):
		return []error{&huma.ErrorDetail{Message: fmt.Sprintf("a revision has more than %d characters", maxItem), Location: "body.revisions"}}
	case slices.ContainsFunc(w.Options, long):
		return []error{&huma.ErrorDetail{Message: fmt.Sprintf("an option has more than %d characters", maxItem), Location: "body.options"}}
	}
	return nil
}

// Rollback goes back to an earlier sync.
type Rollback struct {
	Sync   string `json:"sync" maxLength:"64" doc:"Identifier of the sync, as the history has it."`
	Prune  bool   `json:"prune,omitempty"`
	DryRun bool   `json:"dryRun,omitempty"`
}

// Thoroughness of a refresh.
type Thoroughness string

// Normal looks at Git again; Hard renders all anew, too.
const (
	Normal Thoroughness = "normal"
	Hard   Thoroughness = "hard"
)

// Asked is an operation to follow: the Application's operation bears the mark.
type Asked struct {
	ID     string `json:"id" doc:"The operation's mark, which the operation of the application has as its id."`
	Follow string `json:"follow" doc:"Where to read how it goes, and when it has ended."`
}

type syncInput struct {
	KeyInput

	Body Sync
}

type rollbackInput struct {
	KeyInput

	Body Rollback
}

type refreshInput struct {
	KeyInput

	How Thoroughness `query:"how" enum:"normal,hard" default:"normal"`
}

type deleteInput struct {
	KeyInput

	Objects gitops.Propagation `query:"objects" enum:"foreground,background,orphan" default:"foreground" doc:"What happens to the objects: deleted before the Application is gone, after it, or left."`
}

func (s *server) operations(a huma.API) {
	at := func(id, path, summary string) huma.Operation {
		op := operation(id, http.MethodPost, "/applications/{namespace}/{name}"+path, "operations", summary)
		op.DefaultStatus = http.StatusAccepted
		op.Errors = append(op.Errors, http.StatusConflict, http.StatusUnprocessableEntity)
		return op
	}
	handle(a, at("sync-application", "/sync", "Sync"), s.sync)
	handle(a, at("rollback-application", "/rollback", "Go back to an earlier sync"), s.rollback)
	handle(a, at("refresh-application", "/refresh", "Look at Git and the cluster again"), s.refresh)
	handle(a, at("terminate-operation", "/terminate", "End the operation that runs"), s.terminate)
	gone := operation("delete-application", http.MethodDelete, "/applications/{namespace}/{name}", "operations", "Delete an Application")
	gone.DefaultStatus = http.StatusAccepted
	handle(a, gone, s.remove)
}

func (s *server) sync(ctx context.Context, in *syncInput) (*answer[Asked], error) {
	id, err := s.ask(ctx, in.key(), in.Body)
	if err != nil {
		return nil, err
	}
	return asked(id), nil
}

func asked(id string) *answer[Asked] {
	return &answer[Asked]{Asked{ID: id, Follow: Prefix + "/operations/" + id}}
}

// ask wants a sync. Another revision than the spec's is a right of its own.
func (s *server) ask(ctx context.Context, k view.Key, want Sync) (string, error) {
	row, err := s.may(ctx, k, "applications", "sync")
	if err != nil {
		return "", err
	}
	if want.Elsewhere(row) {
		if err := s.mayAlso(ctx, row, "override"); err != nil {
			return "", err
		}
	}
	id, err := s.Operate.Sync(ctx, auth.From(ctx), row.Granted(), want)
	return id, httpError(err)
}

// Elsewhere reports whether a sync is to other revisions than those of the spec.
// Who names them in two ways may mean others than are looked at here.
func (w *Sync) Elsewhere(row *view.Row) bool {
	if w.Revision != "" && len(w.Revisions) > 0 {
		return true
	}
	if w.Revision != "" {
		return len(row.Sources) != 1 || row.Sources[0].Target != w.Revision
	}
	for i, r := range w.Revisions {
		if r != "" && (i >= len(row.Sources) || row.Sources[i].Target != r) {
			return true
		}
	}
	return false
}

func (s *server) rollback(ctx context.Context, in *rollbackInput) (*answer[Asked], error) {
	if s.Past == nil {
		return nil, httpError(gitops.Problemf(gitops.NotFound, "cannot roll back: no history is kept").Do("run the engine with --store"))
	}
	row, err := s.may(ctx, in.key(), "applications", "sync")
	if err != nil {
		return nil, err
	}
	if err := s.mayAlso(ctx, row, "override"); err != nil {
		return nil, err
	}
	if _, err := s.syncOf(ctx, row, in.Body.Sync); err != nil {
		return nil, httpError(err)
	}
	id, err := s.Operate.Rollback(ctx, auth.From(ctx), row.Granted(), in.Body)
	if err != nil {
		return nil, httpError(err)
	}
	return asked(id), nil
}

func (s *server) refresh(ctx context.Context, in *refreshInput) (*struct{}, error) {
	// Who may read may ask for another look, as in Argo CD.
	return s.write(ctx, in.key(), "get", func(u *auth.User, app view.Granted) error { return s.Operate.Refresh(ctx, u, app, in.How) })
}

func (s *server) terminate(ctx context.Context, in *KeyInput) (*struct{}, error) {
	return s.write(ctx, in.key(), "sync", func(u *auth.User, app view.Granted) error { return s.Operate.Terminate(ctx, u, app) })
}

func (s *server) remove(ctx context.Context, in *deleteInput) (*struct{}, error) {
	return s.write(ctx, in.key(), "delete", func(u *auth.User, app view.Granted) error { return s.Operate.Delete(ctx, u, app, in.Objects) })
}

func (s *server) write(ctx context.Context, k view.Key, action string, do func(*auth.User, view.Granted) error) (*struct{}, error) {
	row, err := s.may(ctx, k, "applications", action)
	if err != nil {
		return nil, err
	}
	return nil, httpError(do(auth.From(ctx), row.Granted()))
}

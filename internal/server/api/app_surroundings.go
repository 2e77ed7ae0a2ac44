package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Surroundings are what concerns an Application and is none of its own.
type Surroundings interface {
	// Windows are those of its project.
	Windows(ctx context.Context, app *v1alpha1.Application) (*Schedule, error)
	// Orphans are objects in its namespace that no Application has.
	Orphans(ctx context.Context, app *v1alpha1.Application) (*Orphans, error)
}

// Schedule is what the sync windows of a project say of an Application.
type Schedule struct {
	Application string `json:"application"`
	Project     string `json:"project"`
	// Automated and Manual tell when such a sync may run.
	Automated string   `json:"automated" doc:"When an automated sync may run: now, never, or a time."`
	Manual    string   `json:"manual" doc:"When a manual sync may run: now, never, or a time."`
	Windows   []Window `json:"windows" nullable:"false"`
}

// Window is a sync window that concerns an Application.
type Window struct {
	Index    int        `json:"index" doc:"Place in the project's list, from 0."`
	Kind     string     `json:"kind" doc:"allow or deny."`
	Schedule string     `json:"schedule"`
	Duration string     `json:"duration"`
	TimeZone string     `json:"timeZone,omitempty" doc:"UTC without one."`
	Active   bool       `json:"active"`
	Changes  *time.Time `json:"changes,omitempty" doc:"When it opens or closes next."`
	Note     string     `json:"note,omitempty"`
}

// Orphans are objects that no Application has, and no other object owns.
type Orphans struct {
	Asked   bool      `json:"asked" doc:"The project asks for them: spec.orphanedResources."`
	Objects []Unowned `json:"objects" nullable:"false"`
	// Partial tells why something is left out.
	Partial string `json:"partial,omitempty" doc:"Why something is left out: a kind cannot be read by you, or more kinds are there than a cluster is asked about."`
}

// Unowned is one of them.
type Unowned struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

func (s *server) surroundings(a huma.API) {
	const at = "/applications/{namespace}/{name}"
	handle(a, operation("get-windows", http.MethodGet, at+"/windows", "applications", "Which sync windows hold for an Application, and when it may sync next"), s.windows)
	orphans := operation("list-orphans", http.MethodGet, at+"/orphans", "objects", "The objects in an Application's namespace that no Application has")
	orphans.Errors = append(orphans.Errors, http.StatusBadGateway, http.StatusGatewayTimeout)
	handle(a, orphans, s.orphans)
}

func (s *server) windows(ctx context.Context, in *KeyInput) (*answer[*Schedule], error) {
	return look(ctx, s, in.key(), s.Around.Windows)
}

// windowsOf are the windows of an Application of which something is to be synced.
func (s *server) windowsOf(ctx context.Context, app *v1alpha1.Application) *Schedule {
	if app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && !app.Status.OperationState.Runs() {
		return nil
	}
	windows, err := s.Around.Windows(ctx, app)
	if err != nil {
		return nil // its conditions tell of the project
	}
	return windows
}

func (s *server) orphans(ctx context.Context, in *KeyInput) (*answer[*Orphans], error) {
	return look(ctx, s, in.key(), s.Around.Orphans)
}

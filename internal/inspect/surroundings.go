package inspect

import (
	"context"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Surroundings tell of what concerns an application and is none of its own.
type Surroundings struct{ inspector *Inspector }

var _ api.Surroundings = Surroundings{}

// Around tells of what concerns applications and is none of their own.
func (i *Inspector) Around() Surroundings { return Surroundings{i} }

// Windows implements api.Surroundings.
func (s Surroundings) Windows(ctx context.Context, app *v1alpha1.Application) (*api.Schedule, error) {
	project, err := s.inspector.rules().Project(ctx, app.Spec.GetProject())
	if err != nil {
		return nil, err
	}
	if err := policy.Namespace(project, app.Namespace, s.inspector.cfg.Namespace); err != nil {
		return nil, err
	}
	return ScheduleOf(project, app, time.Now()), nil
}

// Orphans implements api.Surroundings.
func (s Surroundings) Orphans(ctx context.Context, app *v1alpha1.Application) (*api.Orphans, error) {
	found, asked, err := s.inspector.Orphans(ctx, app)
	if err != nil {
		return nil, err
	}
	out := &api.Orphans{Asked: asked, Objects: make([]api.Unowned, 0, len(found))}
	for _, k := range found {
		out.Objects = append(out.Objects, api.Unowned(k))
	}
	return out, nil
}

// ScheduleOf is what the windows of a project say of an Application at a time.
func ScheduleOf(project *v1alpha1.AppProject, app *v1alpha1.Application, now time.Time) *api.Schedule {
	opening := policy.Opens(project, app, now)
	s := &api.Schedule{
		Application: app.Name, Project: project.Name, Windows: []api.Window{},
		Automated: when(opening.Auto, now), Manual: when(opening.Manual, now),
	}
	for _, state := range policy.Agenda(project, app, now) {
		spec := project.Spec.SyncWindows[state.Index]
		line := api.Window{
			Index: state.Index, Kind: spec.Kind, Schedule: spec.Schedule, Duration: spec.Duration, TimeZone: spec.TimeZone, Active: state.Open, Note: state.Note,
		}
		if !state.Changes.IsZero() {
			at := state.Changes.UTC().Truncate(time.Second)
			line.Changes = &at
		}
		s.Windows = append(s.Windows, line)
	}
	return s
}

// when is an opening in words.
func when(at, now time.Time) string {
	switch {
	case at.IsZero():
		return "never"
	case !at.After(now):
		return "now"
	}
	return at.UTC().Truncate(time.Second).Format(time.RFC3339)
}

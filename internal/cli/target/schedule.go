package target

import (
	"context"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Schedule is what sync windows say of an application now.
func Schedule(ctx context.Context, h *Hub, application *v1alpha1.Application) (*api.Schedule, error) {
	if h.Server != nil {
		return h.Server.Windows(ctx, KeyOf(application))
	}
	project, err := hub.ReadProject(ctx, h.Client, h.Namespace, application.Spec.GetProject())
	if err != nil {
		return nil, err
	}
	return inspect.ScheduleOf(project, application, time.Now()), nil
}

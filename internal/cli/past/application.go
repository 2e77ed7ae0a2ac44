package past

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/history"
)

// Flags are those of commands that look into the history.
type Flags struct {
	*command.Global

	File string
}

// Register adds the flags to those of a command.
func (p *Flags) Register(f *pflag.FlagSet) {
	f.StringVar(&p.File, "history-file", "", "history of an engine on this machine, instead of the local fleet's or the hub's")
}

// Application is one with its history.
type Application struct {
	Hub  *target.Hub
	App  *v1alpha1.Application
	From target.Historian
}

// Open finds an application and its history.
func (p *Flags) Open(ctx context.Context, name string) (*Application, error) {
	h, err := target.Reach(p.Global)
	if err != nil {
		return nil, err
	}
	application, err := h.Application(ctx, name)
	if err != nil {
		return nil, err
	}
	from, err := h.HistorianOf(ctx, p.File, application)
	if err != nil {
		return nil, err
	}
	return &Application{Hub: h, App: application, From: from}, nil
}

// Close lets go of the history.
func (p *Application) Close() { _ = p.From.Close() }

// MostSyncs bounds what is looked through for an id.
const MostSyncs = 500

// Find returns the sync of an id: the number in the Application's history, or
// the first digits of the id of its trace; empty: the newest.
func (p *Application) Find(ctx context.Context, id string) (*history.Sync, error) {
	list, err := p.From.List(ctx, p.App.Namespace, p.App.Name, MostSyncs)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("application %s has no history yet", p.App.Name)
	}
	if id == "" {
		return &list[0], nil
	}
	number, err := strconv.ParseInt(id, 10, 64)
	for i := range list {
		if err == nil && list[i].History != nil && *list[i].History == number && list[i].App.UID == string(p.App.UID) {
			return &list[i], nil
		}
	}
	for i := range list {
		if len(id) >= 4 && strings.HasPrefix(list[i].ID, strings.ToLower(id)) {
			return &list[i], nil
		}
	}
	return nil, fmt.Errorf("application %s has no sync %q in its history: see causeway history %s", p.App.Name, id, p.Hub.NameOf(p.App))
}

package get

import (
	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/rows"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// appFilter narrows a list of applications as the browser's filters do.
type appFilter struct {
	view.Query

	// flags are those that are about applications alone.
	flags *pflag.FlagSet
}

func (a *appFilter) register(to *pflag.FlagSet) {
	a.flags = pflag.NewFlagSet("applications", pflag.ContinueOnError)
	f := a.flags
	f.StringSliceVar(&a.Namespace, "app-namespace", nil, "applications: of these namespaces, instead of the control namespace")
	f.StringSliceVar(&a.Set, "applicationset", nil, "applications: only those of these ApplicationSets")
	f.StringSliceVar(&a.Cluster, "cluster", nil, "applications: only those on these clusters")
	f.StringSliceVar(&a.Health, "health", nil, "applications: only of this health, as in Degraded,Missing")
	f.StringVar(&a.Image, "image", "", "applications: only those that run an image with this text in its name")
	f.StringSliceVar(&a.Operation, "operation", nil, "applications: only those whose last sync is Running, Succeeded, Failed or Error")
	f.StringVar(&a.Revision, "revision", "", "applications: only those at this revision, which may be shortened")
	f.StringVar(&a.Text, "search", "", "applications: only those with all of these words in name, project, cluster, sources, images or labels")
	f.StringSliceVar(&a.Sync, "sync", nil, "applications: only of this sync status, as in OutOfSync,Unknown")
	to.AddFlagSet(f)
}

// compile is nil where all are asked for. It refuses what cannot be meant of a
// kind, before a hub is asked.
func (a *appFilter) compile(what kind) (rows.AppTest, error) {
	set := ""
	a.flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed && set == "" {
			set = f.Name
		}
	})
	if set == "" {
		return nil, nil
	}
	if what.singular != applicationKind().singular {
		return nil, command.Usagef("--%s is for applications: write causeway get apps", set)
	}
	wanted, err := a.Filter()
	if err != nil {
		return nil, command.UsageError{Err: err}
	}
	return func(app *v1alpha1.Application, cluster string) bool { return wanted(view.RowOf(app, cluster)) }, nil
}

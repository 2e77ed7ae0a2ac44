package preview

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
	"github.com/causeway-gitops/causeway/internal/render"
)

// ID names an Application or ApplicationSet of one side.
type ID struct {
	Kind, Namespace, Name string
	// Of tells objects of one name apart that belong to different hubs: the
	// file or parent that they come from.
	Of string
}

// String is "Kind namespace/name", with what tells it apart.
func (id ID) String() string {
	text := gitops.ObjectName(id.Kind, id.Namespace, id.Name)
	if id.Of != "" {
		text += " (" + id.Of + ")"
	}
	return text
}

func (id ID) compare(o ID) int {
	return cmp.Or(strings.Compare(id.Kind, o.Kind), strings.Compare(id.Namespace, o.Namespace), strings.Compare(id.Name, o.Name), strings.Compare(id.Of, o.Of))
}

// App is an Application of one side.
type App struct {
	*v1alpha1.Application
	ID ID
	// Parent made it; zero for a root.
	Parent ID
	Place  declared.Place
	// Repo is where Place is; empty for the previewed repository.
	Repo string
	// Cluster is its destination, Snapshots its sources at this side; nil for
	// one that cannot be read.
	Cluster   roster.Cluster
	Snapshots []*gitops.Snapshot
	// Rendering is kept of applications that may hold others; nil for the rest.
	Rendering *gitops.Rendering
	// Err is why the application cannot be rendered, as far as the expansion
	// tells; it does not change afterwards.
	Err error
	// renderErr is what the comparison finds out. It belongs to the one who
	// compares this application.
	renderErr error
}

// failed is why the application could not be rendered, if it could not.
func (a *App) failed() error {
	if a.Err != nil {
		return a.Err
	}
	return a.renderErr
}

// Set is an ApplicationSet of one side.
type Set struct {
	*v1alpha1.ApplicationSet
	ID        ID
	Parent    ID
	Place     declared.Place
	Repo      string
	Expansion *generate.Expansion
	Err       error
}

// State is everything that one side leads to.
type State struct {
	Side Side
	Apps map[ID]*App
	Sets map[ID]*Set
	// Findings of the expansion: what is wrong, and what is likely a mistake.
	failures, warnings []finding
	rivals             []rivalry
}

// finding is a Failure or Warning before two sides are compared.
type finding struct {
	subject  ID
	clusters []string
	reason   string
	message  string
	origin   gitops.Origin
	err      error
	// same is what the finding is about, where the message has counts and names
	// that differ between two revisions without being another finding.
	same string
}

// Applications in the order of their IDs.
func (s *State) Applications() []*App {
	out := make([]*App, 0, len(s.Apps))
	for _, a := range s.Apps {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b *App) int { return a.ID.compare(b.ID) })
	return out
}

// ApplicationSets in the order of their IDs.
func (s *State) ApplicationSets() []*Set {
	out := make([]*Set, 0, len(s.Sets))
	for _, x := range s.Sets {
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b *Set) int { return a.ID.compare(b.ID) })
	return out
}

// input is what an application is rendered from.
func (s *State) input(a *App, namespace string) render.Input {
	return render.Input{
		App: a.Application, Snapshots: a.Snapshots, Facts: a.Cluster.Facts, Settings: s.Side.Settings,
		TrackingName: gitops.TrackingName(a.ID.Namespace, a.Name, namespace), Remotes: s.Side.Sources,
	}
}

// Render renders an application.
func (s *State) Render(ctx context.Context, a *App) (*gitops.Rendering, error) {
	if a.Err != nil {
		return nil, a.Err
	}
	return s.Side.Renderer.Application(ctx, s.input(a, a.ID.Namespace))
}

// Values are the Helm values of an application, with their layers. They are
// not masked.
func (s *State) Values(ctx context.Context, a *App) ([]render.SourceValues, error) {
	if a.Err != nil {
		return nil, a.Err
	}
	all, err := s.Side.Renderer.Values(ctx, s.input(a, a.ID.Namespace))
	for i := range all {
		for j := range all[i].Values {
			layers := all[i].Values[j].Layers
			for k := range layers {
				layers[k].Origin = s.Side.place(layers[k].Origin)
			}
		}
	}
	return all, err
}

package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/directory"
	"github.com/causeway-gitops/causeway/internal/render/kustomize"
	"github.com/causeway-gitops/causeway/internal/source"
)

// chartRef is a chart that an Application names.
type chartRef struct{ repo, chart, revision string }

// folderRef is a folder of a Git repository that an Application deploys.
type folderRef struct {
	repo, path string
	helm       bool
}

// closure is everything that comes of some manifests on the hub and a fleet of clusters: Applications of
// ApplicationSets, what those Applications deploy to the hub, and so on.
type closure struct {
	sets     map[string]*v1alpha1.ApplicationSet
	files    map[string]string                // of each set: the file that it was found in
	failed   map[string]error                 // sets that cannot be expanded
	apps     map[string]*v1alpha1.Application // by name
	owner    map[string]string                // of each: its set, if any
	rejected map[string]string                // name of what may not be made: why
	twice    map[string][]string              // names that several sets give
	charts   map[chartRef]bool
	folders  map[folderRef]bool
	bare     map[folderRef]bool // folders with charts that have lost their templates
	switches map[string]bool    // labels that selectors want to be "true"
	broken   map[string]error   // Applications that cannot be rendered offline
}

// expander makes closures. It uses the engine's own stages that need no cluster.
type expander struct {
	sources  *source.Registry
	generate *generate.Generator
	render   *render.Renderer
	clusters []gitops.Cluster
	out      *closure
	todo     []gitops.Manifest
}

type listed []gitops.Cluster

func (l listed) Clusters(context.Context) ([]gitops.Cluster, error) { return l, nil }

type anyProject struct{}

func (anyProject) HasProject(context.Context, string) (bool, error) { return true, nil }

// expand follows manifests to the fixed point. Applications that are rejected but live stay.
func expand(ctx context.Context, sources *source.Registry, clusters []gitops.Cluster, manifests []gitops.Manifest,
	live map[string]*v1alpha1.Application) (*closure, error) {
	x := &expander{
		sources: sources, clusters: clusters, todo: slices.Clone(manifests),
		generate: generate.New(listed(clusters), sources, anyProject{}),
		render:   render.New(render.Options{}, directory.Renderer{}, kustomize.New(kustomize.Options{})),
		out: &closure{
			sets: map[string]*v1alpha1.ApplicationSet{}, files: map[string]string{}, failed: map[string]error{}, apps: map[string]*v1alpha1.Application{},
			owner: map[string]string{}, rejected: map[string]string{}, twice: map[string][]string{}, charts: map[chartRef]bool{},
			folders: map[folderRef]bool{}, bare: map[folderRef]bool{}, switches: map[string]bool{}, broken: map[string]error{},
		},
	}
	for len(x.todo) > 0 {
		object := x.todo[0]
		x.todo = x.todo[1:]
		if err := x.object(ctx, object, live); err != nil {
			return nil, err
		}
	}
	return x.out, nil
}

func (x *expander) object(ctx context.Context, m gitops.Manifest, live map[string]*v1alpha1.Application) error {
	if m.Object.GroupVersionKind().Group != v1alpha1.Group {
		return nil
	}
	object := m.Object.DeepCopy()
	object.SetNamespace(control)
	switch object.GetKind() {
	case "Application":
		app := &v1alpha1.Application{}
		if err := convert(object, app); err != nil {
			return err
		}
		return x.app(ctx, app, "")
	case "ApplicationSet":
		if _, ok := x.out.files[object.GetName()]; !ok {
			x.out.files[object.GetName()] = m.Origin.File
		}
		return x.set(ctx, object, live)
	}
	return nil
}

func convert(object *unstructured.Unstructured, into any) error {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, into); err != nil {
		return fmt.Errorf("cannot read %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}

func (x *expander) set(ctx context.Context, object *unstructured.Unstructured, live map[string]*v1alpha1.Application) error {
	set := &v1alpha1.ApplicationSet{}
	if err := convert(object, set); err != nil {
		return err
	}
	if x.out.sets[set.Name] != nil {
		return nil
	}
	x.out.sets[set.Name] = set
	switches(object.Object["spec"], x.out.switches)
	made, err := x.generate.Applications(ctx, set)
	if err != nil {
		x.out.failed[set.Name] = err
		return nil //nolint:nilerr // a result, not a failure
	}
	for i := range made.Applications {
		if err := x.app(ctx, &made.Applications[i], set.Name); err != nil {
			return err
		}
	}
	for _, r := range made.Rejected {
		x.out.rejected[r.Name] = r.Err.Error()
		if old := live[r.Name]; old != nil {
			if err := x.app(ctx, old, set.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *expander) app(ctx context.Context, app *v1alpha1.Application, owner string) error {
	if _, ok := x.out.apps[app.Name]; ok {
		x.out.twice[app.Name] = append(x.out.twice[app.Name], owner)
		_, _ = x.snapshots(ctx, app) // for what they need
		return nil
	}
	x.out.apps[app.Name], x.out.owner[app.Name] = app, owner
	snaps, err := x.snapshots(ctx, app)
	if err != nil {
		x.out.broken[app.Name] = err
	}
	if len(snaps) < len(app.Spec.GetSources()) {
		return nil // a result, not a failure
	}
	made, err := x.render.Application(ctx, render.Input{App: app, Snapshots: snaps, Facts: gitops.Facts{KubeVersion: "1.36.3"}})
	if err != nil {
		x.out.broken[app.Name] = err
		return nil //nolint:nilerr // a result, not a failure
	}
	if !x.onHub(app.Spec.Destination) {
		return nil
	}
	x.todo = append(x.todo, made.Manifests...)
	return nil
}

// snapshots has an entry for each source that can be looked into.
func (x *expander) snapshots(ctx context.Context, app *v1alpha1.Application) (snaps []*gitops.Snapshot, err error) {
	for _, s := range app.Spec.GetSources() {
		snap, problem := x.source(ctx, app, s)
		if problem != nil {
			err = problem
		}
		if snap != nil {
			snaps = append(snaps, snap)
		}
	}
	return snaps, err
}

func (x *expander) onHub(d v1alpha1.ApplicationDestination) bool {
	for _, c := range x.clusters {
		if c.Server == gitops.HubServer && (d.Name == c.Name || d.Server == c.Server) {
			return true
		}
	}
	return d.Name == gitops.HubName || d.Server == gitops.HubServer
}

// source notes what a source needs. The snapshot is nil where there is nothing to look into.
func (x *expander) source(ctx context.Context, app *v1alpha1.Application, s v1alpha1.ApplicationSource) (*gitops.Snapshot, error) {
	if s.Chart != "" {
		x.out.charts[chartRef{s.RepoURL, s.Chart, s.TargetRevision}] = true
		return nil, nil
	}
	ref := folderRef{s.RepoURL, path.Clean(s.Path), s.Helm != nil}
	if s.Ref == "" || s.Path != "" {
		x.out.folders[ref] = true
	}
	snap, err := x.sources.Snapshot(ctx, gitops.SourceRef{RepoURL: s.RepoURL, Revision: s.TargetRevision, Project: app.Spec.GetProject()})
	if err != nil {
		return nil, err
	}
	if _, err := snap.Tree.Stat(path.Join(ref.path, "Chart.yaml")); errors.Is(err, fs.ErrNotExist) {
		return snap, nil
	}
	if _, err := snap.Tree.Stat(path.Join(ref.path, "templates")); errors.Is(err, fs.ErrNotExist) {
		x.out.bare[ref] = true
	}
	return nil, nil
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

package preview

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
)

// node is an Application or ApplicationSet that is still to be opened.
type node struct {
	app    *v1alpha1.Application
	set    *v1alpha1.ApplicationSet
	of     string
	parent ID
	place  declared.Place
	// repo is where place is; empty for the previewed repository.
	repo string
}

func (n node) id(namespace string) ID {
	if n.app != nil {
		return ID{v1alpha1.ApplicationKind, orElse(n.app.Namespace, namespace), n.app.Name, n.of}
	}
	return ID{v1alpha1.ApplicationSetKind, orElse(n.set.Namespace, namespace), n.set.Name, n.of}
}

func orElse(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

// says reports whether two nodes say the same, wherever they come from. The
// namespace may be left to the default.
func (n node) says(o node) bool {
	if n.app != nil && o.app != nil {
		return sameMeta(n.app.ObjectMeta, o.app.ObjectMeta) && reflect.DeepEqual(n.app.Spec, o.app.Spec)
	}
	return n.set != nil && o.set != nil && sameMeta(n.set.ObjectMeta, o.set.ObjectMeta) && reflect.DeepEqual(n.set.Spec, o.set.Spec)
}

// sameMeta compares what people write of an object's metadata.
func sameMeta(a, b metav1.ObjectMeta) bool {
	return maps.Equal(a.Labels, b.Labels) && maps.Equal(a.Annotations, b.Annotations) && slices.Equal(a.Finalizers, b.Finalizers)
}

// opened is what a node led to.
type opened struct {
	app      *App
	set      *Set
	children []node
	failures []finding
	warnings []finding
}

func (o *opened) fail(id ID, reason string, origin gitops.Origin, err error, clusters ...string) {
	o.failures = append(o.failures, finding{subject: id, reason: reason, message: err.Error(), origin: origin, err: err, clusters: clusters})
}

func (o *opened) warn(id ID, all []gitops.Warning, clusters ...string) {
	for _, w := range all {
		o.warnings = append(o.warnings, finding{subject: id, reason: w.Reason, message: w.Message, origin: w.Origin, clusters: clusters})
	}
}

// open expands a set, or renders an application of the hub, and finds the
// Applications and ApplicationSets that it gives.
func (e *expansion) open(ctx context.Context, n node) *opened {
	if n.set != nil {
		return e.openSet(ctx, n)
	}
	return e.openApp(ctx, n)
}

func (e *expansion) openSet(ctx context.Context, n node) *opened {
	set := n.set
	if set.Namespace == "" {
		set = set.DeepCopy()
		set.Namespace = e.options.Namespace
	}
	out := &opened{set: &Set{ApplicationSet: set, ID: n.id(e.options.Namespace), Parent: n.parent, Place: n.place}}
	at := gitops.Origin{RepoURL: n.repo, File: n.place.File, Line: n.place.Line}
	found, err := e.generate.Applications(ctx, set)
	out.set.Expansion, out.set.Err = found, err
	if found != nil {
		for i := range found.Warnings {
			if found.Warnings[i].Origin == (gitops.Origin{}) {
				found.Warnings[i].Origin = e.placeOf(n, found.Warnings[i])
			}
		}
		out.warn(out.set.ID, slices.DeleteFunc(slices.Clone(found.Warnings), retold))
	}
	if err != nil {
		reason := "GenerateError"
		if reasonOf(err) == notMirrored {
			reason = notMirrored
		}
		out.fail(out.set.ID, reason, at, err)
		return out
	}
	for _, r := range found.Rejected {
		out.fail(out.set.ID, "RejectedApplication", at, r.Err)
	}
	for i := range found.Applications {
		out.children = append(out.children, node{app: &found.Applications[i], of: n.of, parent: out.set.ID, place: n.place, repo: n.repo})
	}
	return out
}

func (e *expansion) openApp(ctx context.Context, n node) *opened {
	a := &App{Application: n.app, ID: n.id(e.options.Namespace), Parent: n.parent, Place: n.place, Repo: n.repo}
	if a.Namespace == "" {
		a.Application = a.DeepCopy()
		a.Namespace = a.ID.Namespace
	}
	out := &opened{app: a}
	at := gitops.Origin{RepoURL: n.repo, File: n.place.File, Line: n.place.Line}
	if a.Err = e.prepare(ctx, a); a.Err != nil {
		out.fail(a.ID, reasonOf(a.Err), at, a.Err, a.Cluster.Name)
		return out
	}
	if !a.Cluster.IsHub() {
		return out
	}
	a.Rendering, a.Err = e.side.Renderer.Application(ctx, e.state.input(a, e.options.Namespace))
	if a.Err != nil {
		out.fail(a.ID, reasonOf(a.Err), at, a.Err, a.Cluster.Name)
		return out
	}
	for _, m := range a.Rendering.Manifests {
		if child, ok := e.child(out, a, m); ok {
			child.of = n.of
			out.children = append(out.children, child)
		}
	}
	return out
}

// placeOf is where a warning of a set is about.
func (e *expansion) placeOf(n node, w gitops.Warning) gitops.Origin {
	if w.Key != "" {
		return e.side.lineWith(n.repo, n.place, asWritten(w.Key))
	}
	return gitops.Origin{RepoURL: n.repo, File: n.place.File, Line: n.place.Line}
}

// prepare finds an application's cluster and sources.
func (e *expansion) prepare(ctx context.Context, a *App) error {
	var err error
	if a.Cluster, err = e.side.Roster.Resolve(a.Spec.Destination); err != nil {
		return err
	}
	sources := a.Spec.GetSources()
	if len(sources) == 0 {
		return gitops.Problemf(gitops.Invalid, "the application has no source").Do("set spec.source or spec.sources")
	}
	var first error
	for i := range sources {
		ref := gitops.SourceOf(a.Application, &sources[i], sources[i].TargetRevision)
		snap, err := e.side.Sources.Snapshot(ctx, ref)
		if err != nil && first == nil {
			first = &fetchError{ref, err}
		}
		a.Snapshots = append(a.Snapshots, snap)
	}
	return first
}

// fetchError says which source could not be read.
type fetchError struct {
	ref gitops.SourceRef
	err error
}

func (f *fetchError) Error() string { return f.err.Error() }
func (f *fetchError) Unwrap() error { return f.err }

// notMirrored is the word for sources that are not at hand.
const notMirrored = "NotMirrored"

// reasonOf is the word of an error for machines.
func reasonOf(err error) string {
	var fetch *fetchError
	var p *gitops.Problem
	switch {
	case gitops.IsProblem(err, gitops.NotMirrored):
		return notMirrored
	case errors.As(err, &fetch):
		return "FetchError"
	case errors.As(err, &p) && p.Kind == gitops.NotFound && p.Where == (gitops.Origin{}):
		return "UnknownCluster"
	}
	return "RenderError"
}

// child is the Application or ApplicationSet that a manifest is, if it is one.
func (e *expansion) child(out *opened, parent *App, m gitops.Manifest) (node, bool) {
	gvk := m.Object.GroupVersionKind()
	if gvk.Group != v1alpha1.Group || (gvk.Kind != v1alpha1.ApplicationKind && gvk.Kind != v1alpha1.ApplicationSetKind) {
		return node{}, false
	}
	at := e.side.place(m.Origin)
	n := node{parent: parent.ID, place: declared.Place{File: at.File, Line: at.Line}, repo: at.RepoURL}
	unknown := func(field string) {
		out.warnings = append(out.warnings, finding{
			subject: parent.ID, reason: "UnknownField", origin: m.Origin,
			message: fmt.Sprintf("%s %s has no field %s; the API server drops it", gvk.Kind, m.Object.GetName(), field),
		})
	}
	var err error
	if gvk.Kind == v1alpha1.ApplicationKind {
		n.app = &v1alpha1.Application{}
		err = convert(m.Object, n.app, unknown)
		place(&n.app.Namespace, parent)
	} else {
		n.set = &v1alpha1.ApplicationSet{}
		err = convert(m.Object, n.set, unknown)
		place(&n.set.Namespace, parent)
	}
	if err != nil {
		out.fail(parent.ID, "WrongType", m.Origin, gitops.Problemf(gitops.Invalid, "cannot read %s %s: %w", gvk.Kind, m.Object.GetName(), err))
		return node{}, false
	}
	return n, true
}

// place puts an object without a namespace where its application goes.
func place(namespace *string, parent *App) {
	if *namespace == "" {
		*namespace = parent.Spec.Destination.Namespace
	}
}

// convert reads an object, and names the fields that its type does not have.
func convert(from *unstructured.Unstructured, into any, unknown func(field string)) error {
	err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(from.Object, into, true)
	strict, ok := runtime.AsStrictDecodingError(err)
	if !ok {
		return err
	}
	for _, e := range strict.Errors() {
		field, ok := strings.CutPrefix(e.Error(), "unknown field ")
		if field = strings.Trim(field, `"`); ok && !strings.HasPrefix(field, "status") {
			unknown(field)
		}
	}
	return nil
}

package plan

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Want is what the desired set of an application is made of.
type Want struct {
	App *v1alpha1.Application
	// TrackingName is the application's name in tracking ids.
	TrackingName string
	// Tracking is how objects are marked.
	Tracking gitops.Tracking
	// Manifests in the order of sources and files. They are not changed.
	Manifests []gitops.Manifest
	Scope     gitops.Scope
	// Options are the sync options in force: those of the spec, or of an
	// operation that was written by hand.
	Options v1alpha1.SyncOptions
	// Settings are what the installation says of comparisons; nil is nothing.
	Settings *Settings
	// Server is the destination's address.
	Server string
}

// Set is the desired state of an application, ready to be compared. It does
// not change; it may be kept as long as its input is the same.
type Set struct {
	// Objects without duplicates, in the order of the manifests.
	Objects []Object
	// Namespace is what CreateNamespace=true asks for, if anything.
	Namespace *Object
	// Warnings about repeated objects, and options that mean nothing.
	Warnings []gitops.Warning
	// Hidden are decrypted texts that the manifests may have in them: none of
	// it is shown.
	Hidden []string

	recipe    *recipe
	tracking  string
	mark      gitops.Tracking
	namespace string
	server    string
	options   gitops.Options
	settings  *Settings
	rules     *difference.Rules
	drift     []DriftRule // the installation's, and then the application's
	common    *common     // while it is made
	told      gitops.Warnings
}

// Object is one desired object.
type Object struct {
	gitops.Manifest

	Key     gitops.Key
	Digest  string
	Wave    int
	Hook    Hook
	Options gitops.Options
	Ignore  gitops.Ignore
	Drift   gitops.Drift
	// Fault is why the object cannot be applied as it stands.
	Fault error

	defines groupKind
}

// Desired brings an application's manifests into the form in which they are
// compared and applied: namespaces filled in, repeated objects resolved, tracked.
func Desired(w Want) (*Set, error) {
	w, recipe := noted(w)
	s, err := begin(w)
	if err != nil {
		return nil, err
	}
	s.recipe = recipe
	manifests := s.exclude(w.Manifests)
	s.mistakes(slices.Values(w.Options), "the Application", gitops.Origin{})
	scope := scopeWith(w.Scope, manifests)
	objects := make([]Object, 0, len(manifests))
	for _, m := range manifests {
		o, err := s.object(m, scope)
		if err != nil {
			return nil, err
		}
		objects = append(objects, o)
	}
	s.unique(objects)
	if err := s.createNamespace(w); err != nil {
		return nil, err
	}
	s.Warnings, s.common = s.told.List(), nil
	return s, nil
}

// begin is the Set of a Want before its manifests are read.
func begin(w Want) (*Set, error) {
	s := &Set{
		tracking:  w.TrackingName,
		mark:      w.Tracking.Owning(),
		namespace: w.App.Spec.Destination.Namespace,
		server:    w.Server,
		options:   compareOptions(ApplyOptions(DefaultOptions(), w.Options), w.App.Annotations),
		settings:  w.Settings,
		common:    newCommon(),
	}
	if gitops.CheckKey(gitops.Key{Namespace: s.namespace}) != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot deploy to namespace %q: that is no name of one", s.namespace).Do("correct spec.destination.namespace of the Application")
	}
	if err := checkOptions(w.Options); err != nil {
		return nil, err
	}
	s.options.Migrate = w.App.Annotations[v1alpha1.AnnotationClientSideApplyMigrationManager]
	return s, s.readRules(w.App)
}

// Keys of all objects, the created Namespace included: what a caller has to
// look up in the cluster. Hooks with a generated name are not among them.
func (s *Set) Keys() []gitops.Key {
	keys := make([]gitops.Key, 0, len(s.Objects)+1)
	for i := range s.Objects {
		if s.Objects[i].Key.Name != "" {
			keys = append(keys, s.Objects[i].Key)
		}
	}
	if s.Namespace != nil {
		keys = append(keys, s.Namespace.Key)
	}
	return keys
}

func (s *Set) object(m gitops.Manifest, scope gitops.Scope) (Object, error) {
	o, err := s.placed(m, scope)
	if err != nil {
		return Object{}, err
	}
	annotations := o.Object.GetAnnotations()
	foldSecret(o.Key, o.Object)
	o.Wave = WaveOf(annotations)
	o.Options = objectOptions(s.options, annotations)
	s.mistakes(words(annotations[gitops.AnnotationSync]), o.Key.String(), m.Origin)
	s.misread(annotations, o.Key.String(), m.Origin)
	if _, known := scope(o.Key.Group, o.Key.Kind); !known && !o.Options.SkipDryRun && o.Fault == nil {
		o.Fault = unserved(o.Key, m.Origin)
	}
	if o.Ignore, err = s.ignoreFor(o.Object); err != nil {
		return Object{}, gitops.Problemf(gitops.Invalid, "cannot compare: %w", err).At(m.Origin)
	}
	if o.Key.IsDefinition() {
		o.defines = definedBy(m.Object)
		s.disown(o.Object, o.Key.String(), m.Origin)
	} else {
		s.track(&o)
	}
	if o.Digest, err = digest(o.Object.Object, o.Ignore, o.Drift); err != nil {
		return Object{}, gitops.Problemf(gitops.Invalid, "cannot read %s: %w", o.Key, err).At(m.Origin)
	}
	return o, nil
}

// mistakes warns of sync options that mean nothing.
func (s *Set) mistakes(list iter.Seq[string], of string, at gitops.Origin) {
	for item := range list {
		if mistake := mistakeIn(item); mistake != nil {
			s.ineffective(of, at, mistake)
		}
	}
}

// ineffective warns of what means nothing. The text is made if it is kept.
func (s *Set) ineffective(of string, at gitops.Origin, text func() string) {
	s.told.Tell(gitops.Warning{Reason: v1alpha1.ApplicationConditionIneffectiveOptionWarning, Origin: at}, func() string { return of + ": " + text() })
}

// track marks an object. As in Argo CD the id names the destination's
// namespace for cluster-scoped objects too, so both engines write the same.
// CustomResourceDefinitions carry none: they outlive the applications that bring them.
func (s *Set) track(o *Object) { s.retrack(o.Object, o.Key) }

// disown takes the mark of another application from an object that gets none.
func (s *Set) disown(o *unstructured.Unstructured, of string, at gitops.Origin) {
	if taken := s.mark.Disown(o, s.tracking); len(taken) > 0 {
		s.ineffective(of, at, func() string {
			return "without " + strings.Join(taken, " and ") + ", which would make it another application's or installation's"
		})
	}
}

// retrack marks an object under a key.
func (s *Set) retrack(o *unstructured.Unstructured, key gitops.Key) {
	key.Namespace = cmp.Or(key.Namespace, s.namespace)
	s.mark.Mark(o, s.tracking, key)
}

// unserved is the fault of an object of a kind that the cluster does not
// serve, and that no definition among the manifests brings.
func unserved(k gitops.Key, at gitops.Origin) error {
	p := gitops.Problemf(gitops.NotReady, "cannot apply %s: the cluster does not serve this kind (yet)", k)
	p.Err = gitops.ErrNotServed
	return p.At(at).Do("install its CustomResourceDefinition, or check apiVersion and kind; where an earlier wave brings it, set the sync option SkipDryRunOnMissingResource=true")
}

// Unserved reports whether some object is of a kind that the cluster was not known
// to serve when the set was made, and is known to serve now.
func (s *Set) Unserved(now gitops.Scope) bool {
	return slices.ContainsFunc(s.Objects, func(o Object) bool {
		if !errors.Is(o.Fault, gitops.ErrNotServed) {
			return false
		}
		_, known := now(o.Key.Group, o.Key.Kind)
		return known
	})
}

// unique keeps the last of the objects with one key, and says so.
func (s *Set) unique(objects []Object) {
	last := make(map[gitops.Key]int, len(objects))
	count := make(map[gitops.Key]int, len(objects))
	for i := range objects {
		last[objects[i].Key] = i
		count[objects[i].Key]++
	}
	s.Objects = make([]Object, 0, len(last))
	for i := range objects {
		key := objects[i].Key
		if key.Name != "" && last[key] != i {
			continue
		}
		s.Objects = append(s.Objects, objects[i])
		if key.Name == "" || count[key] == 1 {
			continue
		}
		s.told.Add(gitops.Warning{
			Reason:  "RepeatedResourceWarning",
			Message: fmt.Sprintf("%s appears %d times among the application's manifests; the last one wins", key, count[key]),
			Origin:  objects[i].Origin,
		})
	}
}

// readRules reads what the installation and the application say of comparisons.
func (s *Set) readRules(app *v1alpha1.Application) (err error) {
	if s.settings == nil {
		s.settings = &Settings{}
	}
	if s.settings.err != nil {
		return s.settings.err
	}
	if s.rules, err = difference.NewRules(app.Spec.GetProject(), app.Spec.IgnoreDifferences, s.settings.differences); err != nil {
		return gitops.Problemf(gitops.Invalid, "cannot compare: %w", err)
	}
	drift, err := ParseDrift(app.Annotations[gitops.AnnotationDrift])
	if err != nil {
		return gitops.Problemf(gitops.Invalid, "cannot compare: annotation %s: %w", gitops.AnnotationDrift, err)
	}
	s.drift = slices.Concat(s.settings.drift, drift)
	return nil
}

// globs matches a group or kind; neither can hold a slash.
func globs(pattern, s string) bool {
	ok, err := path.Match(pattern, s)
	return err == nil && ok
}

// shallow copies an object as deep as this package writes.
func shallow(o *unstructured.Unstructured) *unstructured.Unstructured {
	object := maps.Clone(o.Object)
	if metadata, ok := object["metadata"].(map[string]any); ok {
		object["metadata"] = maps.Clone(metadata)
	}
	return &unstructured.Unstructured{Object: object}
}

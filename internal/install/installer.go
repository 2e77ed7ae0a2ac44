package install

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/deploy"
	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// installer brings objects of the hub to what is wanted, by server-side apply.
// Objects that are so already are not sent.
type installer struct {
	config *rest.Config
	client client.Client
	// coming are the resources of definitions that may not be served yet.
	coming map[schema.GroupKind]collection
	// shared are objects of others that keys are added to.
	shared map[gitops.Key]bool
	// adopts tells that objects of others are taken over.
	adopts bool
}

// definitionKind is of what definitions are themselves.
const definitionKind = "CustomResourceDefinition"

// collection is what rights and requests call a kind.
type collection struct {
	group, name string
	namespaced  bool
}

// installation is what an installer would write.
type installation struct {
	// pending are the objects that differ, in order.
	pending []pending
	// same counts those that are as they should be.
	same int
}

// pending is an object that is applied, or deleted.
type pending struct {
	object *unstructured.Unstructured
	diff   plan.ObjectDiff
}

// found is an object that is wanted, beside the one that is there. Without the
// former, the latter goes.
type found struct {
	wanted, live *unstructured.Unstructured
	resource     collection
	// served tells that the API server can be asked what it would become.
	served bool
}

// calling is how messages call an object.
func calling(key gitops.Key) string {
	return gitops.ObjectName(key.Kind, key.Namespace, key.Name)
}

func newInstaller(config *rest.Config) (*installer, error) {
	scheme, err := hub.NewScheme()
	if err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("cannot reach the hub: %w", err)
	}
	all, err := deploy.Definitions()
	if err != nil {
		return nil, err
	}
	i := &installer{config: config, client: c, coming: map[schema.GroupKind]collection{}, shared: map[gitops.Key]bool{}}
	for _, d := range all {
		text := func(path ...string) string { s, _, _ := unstructured.NestedString(d.Object, path...); return s }
		group := text("spec", "group")
		i.coming[schema.GroupKind{Group: group, Kind: text("spec", "names", "kind")}] = collection{
			group: group, name: text("spec", "names", "plural"), namespaced: text("spec", "scope") == "Namespaced",
		}
	}
	return i, nil
}

// plan tells what has to be written so that the objects are there, and others
// are gone. It writes nothing, and fails where a right for that is missing, or
// where somebody else made an object of the name. foreign are such that are
// known already.
func (i *installer) plan(ctx context.Context, objects []*unstructured.Unstructured, gone, foreign []found) (installation, error) {
	var out installation
	var all []found
	absent := map[string]bool{} // namespaces
	for _, o := range objects {
		f, err := i.find(ctx, o)
		if err != nil {
			return out, err
		}
		if o.GetKind() == "Namespace" && f.live == nil {
			absent[o.GetName()] = true
		}
		f.served = f.served && !absent[o.GetNamespace()]
		if f.stays() {
			out.same++
			continue
		}
		if !i.ours(f) {
			foreign = append(foreign, f)
			continue
		}
		all = append(all, f)
	}
	if len(foreign) > 0 {
		return out, inTheWay(foreign)
	}
	all = append(all, gone...)
	if err := i.allowed(ctx, all); err != nil {
		return out, err
	}
	for _, f := range all {
		d, err := i.compare(ctx, f)
		if err != nil {
			return out, err
		}
		if d == nil {
			out.same++
			continue
		}
		out.pending = append(out.pending, pending{object: cmp.Or(f.wanted, f.live), diff: *d})
	}
	return out, nil
}

// find reads the object that is there.
func (i *installer) find(ctx context.Context, o *unstructured.Unstructured) (found, error) {
	out := found{wanted: o}
	gvk := o.GroupVersionKind()
	mapping, err := i.client.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		known, ok := i.coming[gvk.GroupKind()]
		if !ok {
			return out, gitops.Problemf(gitops.Invalid, "cannot install %s: the cluster does not serve that kind", calling(gitops.KeyOf(o))).
				Do("install its definition first, or switch it off in the values")
		}
		out.resource = known
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("cannot tell what kinds the cluster serves: %w", err)
	}
	out.resource = collection{group: gvk.Group, name: mapping.Resource.Resource, namespaced: mapping.Scope.Name() == meta.RESTScopeNameNamespace}
	out.served = true
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(gvk)
	err = i.client.Get(ctx, client.ObjectKeyFromObject(o), live)
	switch {
	case apierrors.IsNotFound(err):
		return out, nil
	case err != nil:
		return out, fmt.Errorf("cannot read %s: %w", calling(gitops.KeyOf(o)), err)
	}
	out.live = live
	return out, nil
}

// stays reports whether an object is left as it is, whatever it says: a namespace
// has no content of ours, and definitions that somebody else installed, such as
// Argo CD, are theirs.
func (f found) stays() bool {
	if f.live == nil {
		return false
	}
	switch f.wanted.GetKind() {
	case "Namespace":
		return true
	case definitionKind:
		return !managed(f.live, bootstrap.Manager, "causeway")
	}
	return false
}

// managed reports whether one of the field managers has written the object.
func managed(o *unstructured.Unstructured, by ...string) bool {
	return slices.ContainsFunc(o.GetManagedFields(), func(m metav1.ManagedFieldsEntry) bool { return slices.Contains(by, m.Manager) })
}

// compare asks the API server what would become of an object; nil when it
// would stay as it is.
func (i *installer) compare(ctx context.Context, f found) (*plan.ObjectDiff, error) {
	if f.wanted == nil {
		d, err := plan.NewDiff(f.live, nil)
		return &plan.ObjectDiff{Key: gitops.KeyOf(f.live), Verb: gitops.Prune, Diff: d}, err
	}
	predicted := f.wanted.DeepCopy()
	if f.served {
		if err := i.send(ctx, predicted, client.DryRunAll); err != nil {
			return nil, err
		}
	}
	d, err := plan.NewDiff(f.live, predicted, secretive(f.live)...)
	if err != nil || d.Empty() {
		return nil, err
	}
	verb := gitops.Update
	if f.live == nil {
		verb = gitops.Create
	}
	return &plan.ObjectDiff{Key: gitops.KeyOf(f.wanted), Verb: verb, Diff: d}, nil
}

// secretive are the annotations of an object that is there whose values are not shown.
func secretive(live *unstructured.Unstructured) []string {
	if live == nil {
		return nil
	}
	return bootstrap.Secretive(live.GetAnnotations())
}

// send applies an object, which becomes what the API server answers.
func (i *installer) send(ctx context.Context, o *unstructured.Unstructured, options ...client.ApplyOption) error {
	key := calling(gitops.KeyOf(o))
	options = append(options, client.FieldOwner(bootstrap.Manager), client.ForceOwnership)
	err := i.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), options...)
	switch {
	case apierrors.IsForbidden(err):
		return gitops.Problemf(gitops.Refused, "cannot write %s: %w", key, err).Do("have that right granted; who installs the engine needs every right that it gets")
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err):
		return gitops.Problemf(gitops.Invalid, "cannot write %s: %w", key, err).Do("correct the values or the metadata")
	case err != nil:
		return fmt.Errorf("cannot write %s: %w", key, err)
	}
	return nil
}

// write applies or deletes one object.
func (i *installer) write(ctx context.Context, p pending) error {
	if p.diff.Verb != gitops.Prune {
		return i.send(ctx, p.object.DeepCopy())
	}
	uid := p.object.GetUID()
	err := i.client.Delete(ctx, p.object, client.Preconditions{UID: &uid})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot delete %s: %w", calling(p.diff.Key), err)
	}
	return nil
}

// apply writes what differs, and tells of each object. Definitions are waited
// for before the first object of their kinds.
func (i *installer) apply(ctx context.Context, in installation, say func(format string, args ...any)) error {
	defined := false
	for _, p := range in.pending {
		isDefinition := p.object.GetKind() == definitionKind
		if defined && !isDefinition {
			if err := definitionsServed(ctx, i.config); err != nil {
				return err
			}
			defined = false
		}
		defined = defined || isDefinition
		if err := i.write(ctx, p); err != nil {
			return err
		}
		say("%sd %s", p.diff.Verb, calling(p.diff.Key))
	}
	if !defined {
		return nil
	}
	return definitionsServed(ctx, i.config)
}

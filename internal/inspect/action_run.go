package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/conflict"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe/action"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// actionManager owns the fields that actions write: they are nobody's drift
// unless Git says otherwise.
const actionManager = "causeway-action"

// Act is an action that a person asks for.
type Act struct {
	Object     gitops.Key
	Version    string // of the API group
	Action     string
	Parameters map[string]string
	// DryRun asks the API server, and changes nothing.
	DryRun bool
	// May, if there is one, is asked before, also for a dry run: where it fails,
	// nothing is tried.
	May func(changes []action.Change) error
	// Begin, if there is one, is told what is about to be written; where it
	// fails, nothing is. It is called again when somebody else was faster.
	Begin func(live *unstructured.Unstructured, changes []action.Change) error
}

// GVK is the kind of the object, with the version that the action is asked of.
func (a *Act) GVK() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: a.Object.Group, Version: a.Version, Kind: a.Object.Kind}
}

// Acted is one object that an action changed or made.
type Acted struct {
	Key gitops.Key
	// Verb is create, update, or keep where there was nothing to change.
	Verb gitops.Verb
	Diff plan.Diff
}

// Actions are those that a live object of an application has now.
func (i *Inspector) Actions(ctx context.Context, app *v1alpha1.Application, gvk schema.GroupVersionKind, k gitops.Key) ([]action.Action, error) {
	a, err := i.admit(ctx, app)
	if err != nil {
		return nil, err
	}
	ctx, end := a.Cluster.OneLook(ctx, auth.Asker(ctx))
	defer end()
	o, err := i.belonging(ctx, a, gvk, k)
	if err != nil {
		return nil, err
	}
	return action.Discover(i.checks.Custom(), a.Place().Server, o)
}

// Act carries out an action on an object of an application, in the
// application's cluster, as far as its project permits.
func (i *Inspector) Act(ctx context.Context, app *v1alpha1.Application, act Act) (done []Acted, err error) {
	a, err := i.actor(ctx, app, act)
	if err != nil {
		return nil, err
	}
	// Who changed the object in between is not overwritten: the action is
	// worked out anew.
	err = conflict.Retry(func() (err error) {
		done, err = a.run(ctx)
		return err
	})
	return done, err
}

// acting is an action with what it needs to be carried out.
type acting struct {
	inspector *Inspector
	act       Act
	*admission

	write dynamic.Interface
	// made are objects of an earlier attempt, which are not made again.
	made map[int]*unstructured.Unstructured
}

func (i *Inspector) actor(ctx context.Context, app *v1alpha1.Application, act Act) (*acting, error) {
	admitted, err := i.admit(ctx, app)
	if err != nil {
		return nil, err
	}
	if paused := gitops.PausedBy(admitted.Cluster.Desc()); paused != "" && !act.DryRun {
		return nil, gitops.Problemf(gitops.Refused, "cannot act on %s: %s", act.Object, paused)
	}
	user, err := i.accountIn(admitted)
	if err != nil {
		return nil, err
	}
	a := &acting{
		inspector: i, act: act, admission: admitted, write: admitted.Cluster.Dynamic(), made: map[int]*unstructured.Unstructured{},
	}
	if user != "" {
		cfg := a.Cluster.RESTConfig()
		cfg.Impersonate.UserName = user
		a.write, err = dynamic.NewForConfig(cfg)
	}
	return a, err
}

// accountIn is who an application acts as there; empty for the engine.
func (i *Inspector) accountIn(a *admission) (string, error) {
	return policy.Account(a.Project, a.Place(), a.App.Namespace, i.settings.Acting())
}

// Account is who an application acts as there, for a namespace that the project permits.
func (i *Inspector) Account(ctx context.Context, app *v1alpha1.Application, namespace string) (string, error) {
	a, err := i.admit(ctx, app)
	if err != nil {
		return "", err
	}
	there := a.Place()
	there.Namespace = namespace
	if err := policy.Destination(a.Project, there, a.Scoped); err != nil {
		return "", err
	}
	return i.accountIn(a)
}

// run works the changes out, and makes them only if all are permitted.
func (a *acting) run(ctx context.Context) ([]Acted, error) {
	live, err := a.inspector.belonging(ctx, a.admission, a.act.GVK(), a.act.Object)
	if err != nil {
		return nil, err
	}
	changes, err := action.Run(a.inspector.checks.Custom(), a.Place().Server, live, a.act.Action, a.act.Parameters)
	if err != nil {
		return nil, err
	}
	for i := range changes {
		if err := a.place(ctx, live, changes[i].Object); err != nil {
			return nil, err
		}
		if err := a.Permits(gitops.KeyOf(changes[i].Object)); err != nil {
			return nil, err
		}
	}
	if a.act.May != nil {
		if err := a.act.May(changes); err != nil {
			return nil, err
		}
	}
	if a.act.Begin != nil && !a.act.DryRun {
		if err := a.act.Begin(live, changes); err != nil {
			return nil, err
		}
	}
	done := make([]Acted, 0, len(changes))
	for i := range changes {
		one, err := a.carryOut(ctx, i, live, &changes[i])
		if err != nil {
			return nil, fmt.Errorf("cannot %s %s: %w", changes[i].Verb, gitops.KeyOf(changes[i].Object), err)
		}
		done = append(done, one)
	}
	return done, nil
}

// place puts an object that says no namespace where the live object is.
func (a *acting) place(ctx context.Context, live, o *unstructured.Unstructured) error {
	m, err := a.Cluster.Mapping(ctx, o.GroupVersionKind())
	if err == nil && m.Scope.Name() == meta.RESTScopeNameNamespace && o.GetNamespace() == "" {
		o.SetNamespace(live.GetNamespace())
	}
	return err
}

func (a *acting) carryOut(ctx context.Context, index int, live *unstructured.Unstructured, c *action.Change) (Acted, error) {
	m, err := a.Cluster.Mapping(ctx, c.Object.GroupVersionKind())
	if err != nil {
		return Acted{}, err
	}
	resource := a.resource(m, c.Object.GetNamespace())
	before, after := live, a.made[index]
	if c.Verb == gitops.Create {
		before = nil
	}
	switch {
	case c.Verb != gitops.Create:
		after, err = a.patch(ctx, resource, live, c)
	case after == nil:
		after, err = resource.Create(ctx, c.Object, metav1.CreateOptions{FieldManager: actionManager, DryRun: a.dryRun()})
		a.made[index] = after
	}
	if err != nil {
		return Acted{}, err
	}
	diff, err := plan.NewDiff(before, after, a.inspector.settings.Comparing().Hidden()...)
	done := Acted{Key: gitops.KeyOf(after), Verb: c.Verb, Diff: diff}
	if c.Verb == gitops.Update && c.Patch == nil && c.StatusPatch == nil {
		done.Verb = gitops.Keep
	}
	return done, err
}

func (a *acting) resource(m *meta.RESTMapping, namespace string) dynamic.ResourceInterface {
	if m.Scope.Name() == meta.RESTScopeNameRoot {
		return a.write.Resource(m.Resource)
	}
	return a.write.Resource(m.Resource).Namespace(namespace)
}

func (a *acting) dryRun() []string {
	if a.act.DryRun {
		return []string{metav1.DryRunAll}
	}
	return nil
}

// patch writes the object, then its status by the subresource; a kind that
// has none keeps its status with the rest.
func (a *acting) patch(ctx context.Context, r dynamic.ResourceInterface, live *unstructured.Unstructured, c *action.Change) (*unstructured.Unstructured, error) {
	after := live
	if c.Patch != nil {
		var err error
		if after, err = a.send(ctx, r, live, c.Patch, live.GetResourceVersion()); err != nil {
			return nil, err
		}
	}
	if c.StatusPatch == nil {
		return after, nil
	}
	body := map[string]any{"status": c.StatusPatch}
	version := after.GetResourceVersion()
	if a.act.DryRun {
		version = live.GetResourceVersion()
	}
	got, err := a.send(ctx, r, live, body, version, "status")
	if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
		return a.send(ctx, r, live, body, version)
	}
	return got, err
}

func (a *acting) send(ctx context.Context, r dynamic.ResourceInterface, live *unstructured.Unstructured, body map[string]any, version string, subresource ...string) (*unstructured.Unstructured, error) {
	locked := map[string]any{}
	for key, value := range body {
		locked[key] = value
	}
	metadata := map[string]any{"resourceVersion": version}
	if m, ok := body["metadata"].(map[string]any); ok {
		for key, value := range m {
			metadata[key] = value
		}
	}
	locked["metadata"] = metadata
	data, err := json.Marshal(locked)
	if err != nil {
		return nil, errors.New("the action's result is no JSON")
	}
	o := metav1.PatchOptions{FieldManager: actionManager, DryRun: a.dryRun()}
	return r.Patch(ctx, live.GetName(), types.MergePatchType, data, o, subresource...)
}

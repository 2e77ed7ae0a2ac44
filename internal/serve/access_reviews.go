package serve

import (
	"cmp"
	"context"
	"errors"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe/action"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// right is something that a cluster lets somebody do, in the words of its roles.
type right = authorizationv1.ResourceAttributes

// lets asks a cluster whether it lets somebody do something there; nobody's
// name is the engine's. Where it does not, the error is Barred.
func lets(ctx context.Context, cluster *fleet.Cluster, who rest.ImpersonationConfig, want right) error {
	name := cluster.Desc().Name
	allowed, err := inTime(ctx, answerTime, name, func(ctx context.Context) (bool, error) { return cluster.Review(ctx, who, want) })
	var p *gitops.Problem
	switch {
	case errors.As(err, &p) && p.Kind == gitops.Forbidden:
		return reach.Bar(p)
	case err != nil || allowed:
		return err
	}
	return reach.Bar(gitops.Problemf(gitops.Forbidden, "cluster %s does not let %s %s %s", name, cmp.Or(who.UserName, "the engine"), want.Verb, wordsOf(&want)).
		Do("give them a role there with the verb " + want.Verb + " on " + resourceOf(&want)))
}

// resourceOf is a resource as roles name it, with its group.
func resourceOf(of *right) string {
	name := of.Resource
	if of.Subresource != "" {
		name += "/" + of.Subresource
	}
	return schema.GroupResource{Group: of.Group, Resource: name}.String()
}

func wordsOf(of *right) string {
	out := resourceOf(of)
	if of.Name != "" {
		out += " " + of.Name
	}
	if of.Namespace != "" {
		out += " in namespace " + of.Namespace
	}
	return out
}

// impersonating is somebody in the words of a request in their name.
func impersonating(u *auth.User) rest.ImpersonationConfig {
	return rest.ImpersonationConfig{UserName: u.Name, Groups: u.Groups, Extra: u.Extra}
}

// roles tells whose rights are Kubernetes'.
type roles interface {
	// ByKubernetes tells that somebody is known to Kubernetes, and that it is
	// Kubernetes' roles alone that let them do something.
	ByKubernetes(u *auth.User, a reach.Access) bool
}

// accessTo is what somebody does with an application, in the words of policies.
func accessTo(app *v1alpha1.Application, resource, action string) reach.Access {
	return reach.Application(resource, action, app.Spec.GetProject(), view.Key{Namespace: app.Namespace, Name: app.Name})
}

// barred asks the destination of an application whether it lets who asks do
// something with what is live there. It is asked of those whom Kubernetes'
// roles let do it with the Application: roles of the hub say nothing of another
// cluster, nor of its objects. What Argo CD's policies let somebody do counts
// for what is live as well, and the engine does it with its own rights there.
func (l looker) barred(ctx context.Context, cluster *fleet.Cluster, by reach.Access, wanted ...right) error {
	u := auth.From(ctx)
	if !l.byKubernetes(u, by) {
		return nil
	}
	for _, want := range wanted {
		if err := lets(ctx, cluster, impersonating(u), want); err != nil {
			return err
		}
	}
	return nil
}

func (l looker) byKubernetes(u *auth.User, by reach.Access) bool {
	return l.roles != nil && l.roles.ByKubernetes(u, by)
}

// demand is barred, and the audit is told.
func (l looker) demand(ctx context.Context, cluster *fleet.Cluster, by reach.Access, wanted ...right) error {
	err := l.barred(ctx, cluster, by, wanted...)
	if errors.As(err, &reach.Barred{}) {
		l.trail.Failed(ctx, auth.From(ctx), &audit.Entry{
			Verb: by.Action, Resource: by.Resource, Project: by.Project, Namespace: by.Namespace, Name: by.Name, Cluster: cluster.Desc().Name,
		}, err)
	}
	return err
}

// toGet is the right to read a live object.
func toGet(ctx context.Context, cluster *fleet.Cluster, o *unstructured.Unstructured) (right, error) {
	m, err := cluster.Mapping(ctx, o.GroupVersionKind())
	if err != nil {
		return right{}, err
	}
	return right{Verb: "get", Group: m.Resource.Group, Resource: m.Resource.Resource, Namespace: o.GetNamespace(), Name: o.GetName()}, nil
}

// toWrite are the rights to what an action writes.
func toWrite(ctx context.Context, cluster *fleet.Cluster, changes []action.Change) ([]right, error) {
	var out []right
	for i := range changes {
		c := &changes[i]
		one, err := toGet(ctx, cluster, c.Object)
		if err != nil {
			return nil, err
		}
		if one.Verb = "patch"; c.Verb == gitops.Create {
			one.Verb, one.Name = "create", ""
		}
		out = append(out, one)
		if c.StatusPatch != nil {
			one.Subresource = "status"
			out = append(out, one)
		}
	}
	return out, nil
}

// shows tells of the objects of an application whether who asks is shown what
// is live of them. It is asked by kinds: a list has many of each. What objects say is asked
// about each time; showsAll believes an answer for a while, as a tree has names alone.
func (l looker) shows(ctx context.Context, cluster *fleet.Cluster, app *v1alpha1.Application) func(gitops.Key) error {
	by := accessTo(app, "applications", "get")
	if !l.byKubernetes(auth.From(ctx), by) {
		return func(gitops.Key) error { return nil }
	}
	known := map[gitops.Key]error{}
	return func(k gitops.Key) error {
		k.Name = ""
		why, asked := known[k]
		if !asked {
			why = l.barredKind(ctx, cluster, by, k)
			known[k] = why
		}
		return why
	}
}

// barredKind asks for all objects of a kind in a namespace.
func (l looker) barredKind(ctx context.Context, cluster *fleet.Cluster, by reach.Access, k gitops.Key) error {
	r, err := cluster.Resource(ctx, schema.GroupKind{Group: k.Group, Kind: k.Kind})
	if err != nil {
		return err
	}
	return l.barred(ctx, cluster, by, right{Verb: "get", Group: r.Group, Resource: r.Resource, Namespace: k.Namespace})
}

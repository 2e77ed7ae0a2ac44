package cli

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/observe/action"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// liveObject is an object of an application, or one that such an object owns.
type liveObject struct {
	key     gitops.Key
	version string
}

func (o liveObject) gvk() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: o.key.Group, Version: o.version, Kind: o.key.Kind}
}

// doer knows and carries out the actions of live objects.
type doer interface {
	trees
	Actions(ctx context.Context, a *v1alpha1.Application, gvk schema.GroupVersionKind, k gitops.Key) ([]action.Action, error)
	Act(ctx context.Context, a *v1alpha1.Application, want inspect.Act) ([]inspect.Acted, error)
	Close()
}

func (a *actionsFlags) open(ctx context.Context, name string) (*hub, doer, *v1alpha1.Application, error) {
	h, err := a.reach()
	if err != nil {
		return nil, nil, nil, err
	}
	application, err := h.application(ctx, name)
	if err != nil {
		return nil, nil, nil, err
	}
	if h.server != nil {
		return h, servedActions{servedLook{h.server}}, application, nil
	}
	inspector, err := a.inspect(ctx, h, nil)
	return h, inspector, application, err
}

// objects lists the live objects of an application with what they own.
func (g *global) objects(ctx context.Context, from trees, application *v1alpha1.Application) ([]liveObject, error) {
	nodes, err := from.Tree(ctx, application)
	if err != nil && len(nodes) == 0 {
		return nil, fmt.Errorf("cannot look below application %s: %w", application.Name, err)
	}
	if err != nil {
		_, _ = fmt.Fprintf(g.Err, "warning: %s\n", screen.Words(err.Error()))
	}
	return flat(nil, nodes), nil
}

func flat(out []liveObject, nodes []*observe.Node) []liveObject {
	for _, n := range nodes {
		out = flat(append(out, liveObject{n.Key, n.Version}), n.Children)
	}
	return out
}

// choose finds the one object that KIND[.GROUP]/[NAMESPACE/]NAME names.
func choose(objects []liveObject, text string) (liveObject, error) {
	kind, rest, ok := strings.Cut(text, "/")
	if !ok || kind == "" || rest == "" {
		return liveObject{}, usagef("cannot understand the object %q: write KIND/NAME, as in Deployment/web", text)
	}
	kind, group, grouped := strings.Cut(kind, ".")
	namespace, name, spaced := strings.Cut(rest, "/")
	if !spaced {
		namespace, name = "", rest
	}
	var found []liveObject
	var known []string
	for _, o := range objects {
		known = append(known, o.key.Kind+"/"+o.key.Name)
		if strings.EqualFold(o.key.Kind, kind) && o.key.Name == name && (!grouped || o.key.Group == group) && (!spaced || o.key.Namespace == namespace) {
			found = append(found, o)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return liveObject{}, fmt.Errorf("the application has no live object %s%s", text, gitops.DidYouMean(text, known))
	}
	var all []string
	for _, o := range found {
		all = append(all, qualified(o.key.Kind, o.key.Group)+"/"+gitops.NameIn(o.key.Namespace, o.key.Name))
	}
	return liveObject{}, usagef("%s is not enough: it may be %s", text, strings.Join(all, " or "))
}

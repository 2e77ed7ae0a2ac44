package target

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// LiveObject is an object of an application, or one that such an object owns.
type LiveObject struct {
	Key     gitops.Key
	Version string
}

// Gvk is the kind of the object, in the version that it was read in.
func (o LiveObject) Gvk() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: o.Key.Group, Version: o.Version, Kind: o.Key.Kind}
}

// Objects lists the live objects of an application with what they own.
func Objects(ctx context.Context, g *command.Global, from Trees, application *v1alpha1.Application) ([]LiveObject, error) {
	nodes, err := from.Tree(ctx, application)
	if err != nil && len(nodes) == 0 {
		return nil, fmt.Errorf("cannot look below application %s: %w", application.Name, err)
	}
	if err != nil {
		_, _ = fmt.Fprintf(g.Err, "warning: %s\n", screen.Words(err.Error()))
	}
	return flat(nil, nodes), nil
}

func flat(out []LiveObject, nodes []*observe.Node) []LiveObject {
	for _, n := range nodes {
		out = flat(append(out, LiveObject{n.Key, n.Version}), n.Children)
	}
	return out
}

// Choose finds the one object that KIND[.GROUP]/[NAMESPACE/]NAME names.
func Choose(objects []LiveObject, text string) (LiveObject, error) {
	kind, rest, ok := strings.Cut(text, "/")
	if !ok || kind == "" || rest == "" {
		return LiveObject{}, command.Usagef("cannot understand the object %q: write KIND/NAME, as in Deployment/web", text)
	}
	kind, group, grouped := strings.Cut(kind, ".")
	namespace, name, spaced := strings.Cut(rest, "/")
	if !spaced {
		namespace, name = "", rest
	}
	var found []LiveObject
	var known []string
	for _, o := range objects {
		known = append(known, o.Key.Kind+"/"+o.Key.Name)
		if strings.EqualFold(o.Key.Kind, kind) && o.Key.Name == name && (!grouped || o.Key.Group == group) && (!spaced || o.Key.Namespace == namespace) {
			found = append(found, o)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return LiveObject{}, fmt.Errorf("the application has no live object %s%s", text, gitops.DidYouMean(text, known))
	}
	var all []string
	for _, o := range found {
		all = append(all, table.Qualified(o.Key.Kind, o.Key.Group)+"/"+gitops.NameIn(o.Key.Namespace, o.Key.Name))
	}
	return LiveObject{}, command.Usagef("%s is not enough: it may be %s", text, strings.Join(all, " or "))
}

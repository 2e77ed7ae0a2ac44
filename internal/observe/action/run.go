package action

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe/custom"
	"github.com/causeway-gitops/causeway/internal/observe/sandbox"
)

// Change is one object that an action changes or makes.
type Change struct {
	// Verb is create or update.
	Verb gitops.Verb
	// Object is how it shall be.
	Object *unstructured.Unstructured
	// Patch is the merge patch of the live object, without its status, and
	// StatusPatch that of the status; nil where nothing changes.
	Patch, StatusPatch map[string]any
}

// Bounds of what one action does.
const maxChanges = 100

// Run works out what an action makes of a live object of the cluster with an address. An action that the
// object has not, or not now, and parameters that it does not know are
// refused.
func Run(set *custom.Set, server string, o *unstructured.Unstructured, name string, parameters map[string]string) ([]Change, error) {
	chosen, err := choose(set, server, o, name, parameters)
	if err != nil {
		return nil, err
	}
	given, err := chosen.values(parameters)
	if err != nil {
		return nil, err
	}
	p, err := script(set, o, name)
	if err != nil {
		return nil, failed("run action "+name+" on", o, err)
	}
	result, err := p.RunFor(sandbox.Subject{Server: server, Object: o.Object}, map[string]any{"obj": o.Object, "actionParams": given})
	if err != nil {
		return nil, failed("run action "+name+" on", o, err)
	}
	changes, err := changesOf(o, result)
	if err != nil {
		return nil, failed("run action "+name+" on", o, err)
	}
	return changes, nil
}

func choose(set *custom.Set, server string, o *unstructured.Unstructured, name string, parameters map[string]string) (*Action, error) {
	all, err := Discover(set, server, o)
	if err != nil {
		// A discovery that fails over an odd object says nothing of the action.
		return undiscovered(name, parameters), nil //nolint:nilerr // as above
	}
	names := make([]string, 0, len(all))
	for i := range all {
		if all[i].Name == name && all[i].Disabled {
			return nil, gitops.Problemf(gitops.NotReady, "action %s of %s is disabled in its present state", name, gitops.KeyOf(o))
		}
		if all[i].Name == name {
			return &all[i], nil
		}
		names = append(names, all[i].Name)
	}
	near := gitops.DidYouMean(name, names)
	p := gitops.Problemf(gitops.NotFound, "%s has no action %q now%s", gitops.KeyOf(o), name, near)
	if near == "" && len(names) > 0 {
		p = p.Do("it has: " + strings.Join(names, ", "))
	}
	return nil, p
}

// undiscovered is an action of which only the name is known: it takes what is given.
func undiscovered(name string, parameters map[string]string) *Action {
	a := &Action{Name: name}
	for p := range parameters {
		a.Parameters = append(a.Parameters, Parameter{Name: p})
	}
	return a
}

// values are the parameters as the script gets them, with defaults.
func (a *Action) values(given map[string]string) (map[string]any, error) {
	out := map[string]any{}
	var names []string
	for _, p := range a.Parameters {
		names = append(names, p.Name)
		value, ok := given[p.Name]
		switch {
		case ok:
			out[p.Name] = value
		case p.Default != "":
			out[p.Name] = p.Default
		default:
			return nil, gitops.Problemf(gitops.Invalid, "action %s needs the parameter %s", a.Name, p.Name)
		}
	}
	for name := range given {
		if _, known := out[name]; !known {
			return nil, gitops.Problemf(gitops.Invalid, "action %s has no parameter %q%s", a.Name, name, gitops.DidYouMean(name, names))
		}
	}
	return out, nil
}

// changesOf reads a result: the object as it shall be, or a list of
// operations, each with its object.
func changesOf(o *unstructured.Unstructured, result any) ([]Change, error) {
	list, isList := result.([]any)
	if !isList {
		c, err := change(o, "patch", result)
		if err != nil {
			return nil, err
		}
		return []Change{c}, nil
	}
	if len(list) > maxChanges {
		return nil, fmt.Errorf("the script returned more than %d objects", maxChanges)
	}
	var out []Change
	for i, item := range list {
		impacted, _ := item.(map[string]any)
		c, err := change(o, text(impacted["operation"]), impacted["resource"])
		if err != nil {
			return nil, fmt.Errorf("operation %d: %w", i+1, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func change(o *unstructured.Unstructured, operation string, value any) (Change, error) {
	fields, ok := value.(map[string]any)
	if !ok {
		return Change{}, fmt.Errorf("the script returned %s where an object belongs", kindOf(value))
	}
	switch operation {
	case "create":
		fields, _ = like(fields, nil).(map[string]any)
		made := &unstructured.Unstructured{Object: fields}
		return Change{Verb: gitops.Create, Object: made}, complete(made)
	case "patch":
		fields, _ = like(fields, o.Object).(map[string]any)
		next := &unstructured.Unstructured{Object: fields}
		if gitops.KeyOf(next) != gitops.KeyOf(o) {
			return Change{}, fmt.Errorf("the script patches %s instead of the object", gitops.KeyOf(next))
		}
		c := Change{Verb: gitops.Update, Object: next}
		c.Patch = patch(without(o.Object), without(fields))
		before, _ := o.Object["status"].(map[string]any)
		after, _ := fields["status"].(map[string]any)
		c.StatusPatch = patch(before, after)
		return c, nil
	}
	return Change{}, fmt.Errorf("there is no operation %q: it is create or patch", operation)
}

func complete(o *unstructured.Unstructured) error {
	if o.GetAPIVersion() == "" || o.GetKind() == "" || o.GetName() == "" && o.GetGenerateName() == "" {
		return errors.New("the object to create needs apiVersion, kind and a name")
	}
	return nil
}

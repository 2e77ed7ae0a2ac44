// Package action tells which actions a live object has, such as a restart,
// and works out what one of them changes. It carries out nothing.
package action

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe/custom"
	"github.com/causeway-gitops/causeway/internal/observe/sandbox"
	"github.com/causeway-gitops/causeway/internal/observe/shipped"
)

// Action is something that can be done with an object.
type Action struct {
	Name        string
	DisplayName string
	// Disabled tells that the object's state rules it out now.
	Disabled   bool
	Parameters []Parameter
}

// Parameter is what a person may say of an action.
type Parameter struct {
	Name, Type, Default string
}

// Discover returns the actions that an object of the cluster with an address has now, by name. What the
// installation says of an action comes before what ships.
func Discover(set *custom.Set, server string, o *unstructured.Unstructured) ([]Action, error) {
	gk := o.GroupVersionKind().GroupKind()
	var scripts []*sandbox.Program
	own := set.Actions(gk)
	if own != nil {
		scripts = append(scripts, own.Discovery)
	}
	if ships := shipped.Discovery(gk); ships != nil && (own == nil || own.Merge) {
		scripts = append(scripts, ships)
	}
	var out []Action
	for _, p := range scripts {
		result, err := p.RunFor(sandbox.Subject{Server: server, Object: o.Object}, map[string]any{"obj": o.Object})
		if err != nil {
			return nil, failed("discover the actions of", o, err)
		}
		found, err := actions(result)
		if err != nil {
			return nil, failed("discover the actions of", o, err)
		}
		for _, a := range found {
			if !slices.ContainsFunc(out, func(b Action) bool { return b.Name == a.Name }) {
				out = append(out, a)
			}
		}
	}
	slices.SortFunc(out, func(a, b Action) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

func failed(what string, o *unstructured.Unstructured, err error) error {
	return gitops.Problemf(gitops.Invalid, "cannot %s %s: %w", what, gitops.KeyOf(o), err)
}

// actions reads a table of actions by name; an empty one is a list to Lua.
func actions(result any) ([]Action, error) {
	table, ok := result.(map[string]any)
	if list, empty := result.([]any); !ok && (!empty || len(list) > 0) {
		return nil, fmt.Errorf("the script returned %s where a table of actions belongs", kindOf(result))
	}
	out := make([]Action, 0, len(table))
	for name, value := range table {
		fields, _ := value.(map[string]any)
		a := Action{Name: name, DisplayName: text(fields["displayName"])}
		a.Disabled, _ = fields["disabled"].(bool)
		params, _ := fields["params"].([]any)
		for _, item := range params {
			p, _ := item.(map[string]any)
			a.Parameters = append(a.Parameters, Parameter{text(p["name"]), text(p["type"]), text(p["default"])})
		}
		out = append(out, a)
	}
	return out, nil
}

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "nothing"
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return fmt.Sprintf("a %T", value)
}

// text reads what may be a number to Lua.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// errNone is what an action is without a script.
var errNone = errors.New("it has no script")

// script finds what an action does.
func script(set *custom.Set, o *unstructured.Unstructured, name string) (*sandbox.Program, error) {
	gk := o.GroupVersionKind().GroupKind()
	if own := set.Actions(gk); own != nil {
		if p := own.Scripts[name]; p != nil {
			return p, nil
		}
	}
	if p := shipped.Action(gk, name); p != nil {
		return p, nil
	}
	return nil, errNone
}

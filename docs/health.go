package docs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/observe/sandbox"
	"github.com/causeway-gitops/causeway/internal/observe/shipped"
)

// ownChecks lists the kinds with a health check of the engine's own.
func ownChecks() string {
	var b strings.Builder
	b.WriteString("| kind | healthy when |\n|---|---|\n")
	for _, d := range observe.Describe() {
		var kinds []string
		for _, gk := range d.Kinds {
			if name := gk.Kind + owner(gk.Group); !slices.Contains(kinds, name) {
				kinds = append(kinds, name)
			}
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(kinds, ", "), cell(d.Healthy))
	}
	fmt.Fprintf(&b, "| kinds of AWS controllers (`*%s`) | Ready |\n", observe.AWSControllers)
	shipped, groups := shippedChecks()
	fmt.Fprintf(&b, "| [%d kinds of %d groups](../reference/health-checks.md) of other projects | as the Lua checks of Argo CD say |\n", shipped, len(groups))
	b.WriteString("| everything else | it exists |\n")
	return b.String()
}

// owner tells whose a kind is where Kubernetes does not define it.
func owner(group string) string {
	switch group {
	case "argoproj.io":
		return " of Argo"
	case "causeway.io":
		return " of Causeway"
	}
	return ""
}

// shippedChecks are the kinds whose check comes with Argo CD, by group; kinds
// with a check of the engine's own are not among them.
func shippedChecks() (count int, groups map[string][]string) {
	own := map[string]bool{}
	for _, d := range observe.Describe() {
		for _, gk := range d.Kinds {
			own[shipped.Key(gk)] = true
		}
	}
	groups = map[string][]string{}
	shipped.All(func(key, name string, _ *sandbox.Program) {
		if name != "health" || own[key] {
			return
		}
		group, kind, found := strings.Cut(key, "/")
		if !found {
			group, kind = "", key
		}
		group, kind = strings.ReplaceAll(group, "_", "*"), strings.ReplaceAll(kind, "_", "*")
		groups[group] = append(groups[group], kind)
		count++
	})
	return count, groups
}

func shippedTable() string {
	var b strings.Builder
	count, groups := shippedChecks()
	fmt.Fprintf(&b, "%d kinds of %d groups. `*` stands for any name.\n\n| group | kinds |\n|---|---|\n", count, len(groups))
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", group, strings.Join(groups[group], ", "))
	}
	return b.String()
}

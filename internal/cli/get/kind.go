package get

import (
	"context"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/rows"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// kind is something that `get` lists.
type kind struct {
	// resource is the name that -o name prints before the slash.
	resource     string
	singular     string
	aliases      []string
	header, wide []string
	list         func(context.Context, *target.Hub, rows.Query) ([]rows.Row, error)
}

func kinds() []kind {
	return []kind{applicationKind(), applicationSetKind(), clusterKind(), repositoryKind(), projectKind()}
}

func kindNames() []string {
	var all []string
	for _, k := range kinds() {
		all = append(all, k.aliases[0])
	}
	return all
}

func kindNamed(name string) (kind, error) {
	var known []string
	for _, k := range kinds() {
		if slices.Contains(k.aliases, strings.ToLower(name)) {
			return k, nil
		}
		known = append(known, k.aliases...)
	}
	return kind{}, command.Usagef("there is no kind %q%s", name, gitops.DidYouMean(name, known))
}

func clusterKind() kind {
	return kind{
		resource: "cluster", singular: "cluster",
		aliases: []string{"clusters", "cluster"},
		header:  rows.ClusterHeader,
		wide:    rows.ClusterWide,
		list:    rows.Clusters,
	}
}

func repositoryKind() kind {
	return kind{
		resource: "repository", singular: "repository",
		aliases: []string{"repos", "repo", "repository", "repositories"},
		header:  rows.RepositoryHeader,
		wide:    rows.RepositoryWide,
		list:    rows.Repositories,
	}
}

// mark is what an item shows, but for what changes all the time.
func (k kind) mark(it rows.Row) string {
	var shown []string
	cells := slices.Concat(it.Cells, it.Wide)
	for i, column := range slices.Concat(k.header, k.wide) {
		if column != ageColumn && column != rows.Latency {
			shown = append(shown, cells[i])
		}
	}
	return strings.Join(shown, "\x00")
}

// ageColumn is the heading of the column that says how old something is.
const ageColumn = "AGE"

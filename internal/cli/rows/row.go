package rows

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Row is one line of a list, in every form that it can be printed in.
type Row struct {
	Name string
	// Cells of the table, and those that wide adds before the last.
	Cells, Wide []string
	// Object is printed as JSON or YAML; it holds no credentials.
	Object any
}

// Query narrows a list.
type Query struct {
	Selector labels.Selector
	Projects []string
	// Wanted is of Applications; nil for all.
	Wanted AppTest
	// Namespaces of Applications, empty text for all; when nil, the control namespace.
	Namespaces []string
	Now        time.Time
}

// AppTest reports whether an application, on a cluster, is asked for.
type AppTest func(app *v1alpha1.Application, cluster string) bool

// Of reports whether a project is among those that are asked for.
func (q *Query) Of(project string) bool {
	return len(q.Projects) == 0 || slices.Contains(q.Projects, project)
}

package environment

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// productLabel names the product that an Application is of.
const productLabel = v1alpha1.LabelProduct

// identity is what tells products apart: Applications of one product may be in
// projects and namespaces that are called by the environment.
type identity struct{ namespace, project, name string }

// productOf is the label's, or what is left of the names when those of the
// environment and the cluster are taken out.
func productOf(r *view.Row, environment string) identity {
	if name := r.Labels[productLabel]; name != "" {
		return identity{name: name}
	}
	words := spellings(environment)
	name := without(r.Name, []string{r.Cluster})
	return identity{namespace: without(r.Namespace, words), project: without(r.Project, words), name: without(name, words)}
}

// spellings are the names of an environment: people label with one and name
// by another.
func spellings(environment string) []string {
	if environment == "" {
		return nil
	}
	if of := family(environment); of >= 0 {
		return families[of]
	}
	return []string{environment}
}

// without takes words out of a name, where they stand between dashes. A name
// of which nothing is left stays as it is.
func without(name string, words []string) string {
	for _, w := range words {
		if w == "" || !strings.Contains(name, w) {
			continue
		}
		if rest := cut(name, w); rest != "" {
			name = rest
		}
	}
	return name
}

// cut takes one word out, wherever it stands as a whole.
func cut(name, word string) string {
	if name == word {
		return ""
	}
	if rest, ok := strings.CutSuffix(name, "-"+word); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(name, word+"-"); ok {
		return rest
	}
	before, after, ok := strings.Cut(name, "-"+word+"-")
	if !ok {
		return name
	}
	return before + "-" + after
}

// id is an identity as one word of an address. Parts that all products share
// are not worth reading, and stay all the same: an address must not change
// when another product comes.
func (i identity) id() string {
	parts := slices.DeleteFunc([]string{i.namespace, i.project, i.name}, func(s string) bool { return s == "" })
	return strings.Join(parts, "/")
}

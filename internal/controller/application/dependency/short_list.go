package dependency

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// mostShown is how many of several texts a message has.
const mostShown = 3

// few are the first of some texts, and how many there are.
type few struct {
	first []string
	all   int
}

func fewOf(texts []string) few {
	return few{slices.Clone(texts[:min(len(texts), mostShown)]), len(texts)}
}

// and adds others.
func (f few) and(others few) few {
	out := fewOf(append(f.first, others.first...))
	out.all = f.all + others.all
	return out
}

func (f few) String() string {
	out := strings.Join(f.first, "; ")
	if more := f.all - len(f.first); more > 0 {
		out += ", " + gitops.More(more)
	}
	return out
}

package mirror

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/git"
)

// Private reports whether a relative path leads to what Git keeps for itself, or to
// the state of local fleets: both have credentials.
func Private(rel string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), func(part string) bool {
		return slices.ContainsFunc(leftOut, func(name string) bool { return strings.EqualFold(name, part) })
	})
}

// Below is the path of what a name has beyond a mirror's URL, see Table.Find.
// Who writes the name is not who chose the folder, and a folder in a repository
// may be somebody else's altogether: no link leads out of that, and none to
// what is Private.
func (m Mirror) Below(rest string) (string, error) {
	path := filepath.Join(m.Path, filepath.FromSlash(rest))
	if rest == "" {
		return path, nil
	}
	rel, err := filepath.Rel(bounded.Real(m.Path), bounded.Real(path))
	if err == nil && filepath.IsLocal(rel) {
		return path, m.served(rest, !Private(rel))
	}
	top := git.Top(m.Path)
	if top == "" {
		return path, nil // links to repositories, side by side
	}
	rel, inside, err := bounded.Within(top, path)
	return path, m.served(rest, err == nil && inside && !Private(rel))
}

func (m Mirror) served(rest string, is bool) error {
	if is {
		return nil
	}
	return gitops.Problemf(gitops.Refused, "mirror folder %s does not serve %s: that leads out of the repository that the folder is in, or to what Git or a local fleet keeps for itself", m.Path, rest).
		Do("name the folder that is meant with a --mirror of its own")
}

package wire

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Path is a path within a repository without slashes at its ends; empty is the
// root. One that leads out of the repository is Invalid.
func Path(path string) (string, error) {
	path = strings.Trim(path, "/")
	if slices.Contains(strings.Split(path, "/"), "..") {
		return "", gitops.Problemf(gitops.Invalid, "cannot look for %q: it leads out of the repository", path).Do("write the path from the repository's root")
	}
	return path, nil
}

package wire

import (
	"regexp"
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

var plain = regexp.MustCompile(`^[\pL\pN_~.-]+$`)

// Name checks the name of an organisation or repository, which becomes one
// part of an address: it must not lead to another one. The field is where the
// user wrote it.
func Name(field, name string) error {
	if plain.MatchString(name) && name != "." && name != ".." {
		return nil
	}
	if name == "" {
		return gitops.Problemf(gitops.Invalid, "cannot ask the Git host: %s is empty", field).Do("set " + field)
	}
	return gitops.Problemf(gitops.Invalid, "cannot ask the Git host: %s %q is no name", field, name).Do("correct " + field)
}

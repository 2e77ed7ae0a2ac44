package process

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

var (
	errMissing    = errors.New("there is no such command in the search path")
	errExecutable = errors.New("the file is not executable")
)

// find is the executable's path. A name without a slash is looked for in
// folders of the list that are absolute: never in the working folder, which
// comes from a repository.
func find(name, search string) (string, error) {
	if name == "" {
		return "", errMissing
	}
	if strings.ContainsRune(name, '/') {
		return name, nil
	}
	found := errMissing
	for _, dir := range filepath.SplitList(search) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil || info.IsDir() {
			continue
		}
		if info.Mode()&0o111 != 0 {
			return path, nil
		}
		found = errExecutable
	}
	return "", found
}

package corpus

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/source"
)

// webFiles stands in for the files of the web that kustomizations of a repository build on: each becomes an object
// that tells where it is from. It returns a mirror for each folder that holds some.
func webFiles(repo, dir string) ([]source.Mirror, error) {
	var mirrors []source.Mirror
	err := filepath.WalkDir(repo, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "kustomization.yaml" {
			return err
		}
		resources, err := resourcesOf(file)
		if err != nil {
			return err
		}
		for _, r := range resources {
			u, err := url.Parse(r)
			if err != nil || u.Scheme != "https" || path.Ext(u.Path) != ".yaml" {
				continue
			}
			folder := filepath.Join(dir, u.Host, filepath.FromSlash(path.Dir(u.Path)))
			if err := writeFiles(folder, map[string]string{path.Base(u.Path): webFile(u)}); err != nil {
				return err
			}
			mirrors = append(mirrors, source.Mirror{URL: u.JoinPath("..").String(), Path: folder})
		}
		return nil
	})
	return mirrors, err
}

func resourcesOf(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var k struct{ Resources []string }
	if err := yaml.Unmarshal(text, &k); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", file, err)
	}
	return k.Resources, nil
}

// webFile is an object that is named after an address.
func webFile(u *url.URL) string {
	name := strings.Trim(strings.ReplaceAll(strings.ToLower(u.Host+u.Path), "/", "."), ".")
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %q}\ndata: {from: %q}\n", name, u.String())
}

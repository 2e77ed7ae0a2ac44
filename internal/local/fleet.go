package local

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/causeway-gitops/causeway/internal/source/mirror"
)

// Fleet is a checked fleet with absolute paths.
type Fleet struct {
	Name      string
	Namespace string
	// Clusters has the hub first.
	Clusters []Cluster
	// Undescribed says that something else writes the clusters' Secrets.
	Undescribed bool
	Mirrors     []mirror.Mirror
	// Apply are files and folders of manifests for the hub, in order.
	Apply []string
	Next  string
	// Programs lets cluster Secrets name programs that get credentials. No file
	// says so: it may be somebody else's.
	Programs bool
	// Former says that its file is written with the former API version.
	Former bool
}

// Hub returns the cluster that the engine's objects live on.
func (f *Fleet) Hub() Cluster { return f.Clusters[0] }

var validName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// maxClusters is far beyond what one machine carries.
const maxClusters = 64

// fleet checks a file's content; paths in it are relative to dir.
func (f *File) fleet(dir string) (*Fleet, error) {
	fleet := &Fleet{
		Name: f.Metadata.Name, Namespace: cmp.Or(f.Spec.Namespace, DefaultNamespace),
		Clusters: slices.Clone(f.Spec.Clusters), Undescribed: f.Spec.Undescribed, Next: f.Spec.Next, Former: f.Former(),
	}
	for url, folder := range f.Spec.Mirrors {
		m, err := mirror.Parse(url + "=" + under(dir, folder))
		if err != nil {
			return nil, err
		}
		fleet.Mirrors = append(fleet.Mirrors, m)
	}
	slices.SortFunc(fleet.Mirrors, func(a, b mirror.Mirror) int { return cmp.Compare(a.URL, b.URL) })
	for i := range fleet.Clusters {
		c := &fleet.Clusters[i]
		if c.Secret != "" && fleet.Undescribed {
			return nil, fmt.Errorf("spec.clusters[%d]: secret says how %s is described, and spec.undescribed that something else does: take one of them out", i, c.Name)
		}
		if c.Secret != "" {
			c.Secret = under(dir, c.Secret)
		}
	}
	for _, path := range f.Spec.Apply {
		fleet.Apply = append(fleet.Apply, under(dir, path))
	}
	return fleet, fleet.check()
}

func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// check puts the hub first and tells everything that is wrong at once.
func (f *Fleet) check() error {
	problems := []error{f.checkNames()}
	for _, c := range f.Clusters {
		problems = append(problems, exists("secret of cluster "+c.Name, c.Secret))
	}
	for _, path := range f.Apply {
		problems = append(problems, exists("apply", path))
	}
	for _, m := range f.Mirrors {
		problems = append(problems, m.Check())
	}
	return errors.Join(append(problems, f.sortHub())...)
}

// CheckName refuses what is no name of a fleet: it becomes a folder.
func CheckName(name string) error {
	if !validName.MatchString(name) {
		return fmt.Errorf("%q is no name: use small letters, digits and dashes", name)
	}
	return nil
}

func (f *Fleet) checkNames() error {
	if err := CheckName(f.Name); err != nil {
		return fmt.Errorf("metadata.name: %w", err)
	}
	if len(f.Clusters) > maxClusters {
		return fmt.Errorf("spec.clusters: %d clusters are more than %d", len(f.Clusters), maxClusters)
	}
	seen := map[string]bool{}
	var problems []error
	for i, c := range f.Clusters {
		switch {
		case !validName.MatchString(c.Name):
			problems = append(problems, fmt.Errorf("spec.clusters[%d]: %q is no name: use small letters, digits and dashes", i, c.Name))
		case seen[c.Name]:
			problems = append(problems, fmt.Errorf("spec.clusters[%d]: a second cluster is named %q", i, c.Name))
		}
		seen[c.Name] = true
	}
	return errors.Join(problems...)
}

func exists(what, path string) error {
	if path == "" {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func (f *Fleet) sortHub() error {
	if len(f.Clusters) == 0 {
		return errors.New("spec.clusters is empty: name at least the hub, as in {name: hub, hub: true}")
	}
	if len(f.Clusters) == 1 {
		f.Clusters[0].Hub = true
	}
	hubs := 0
	for _, c := range f.Clusters {
		if c.Hub {
			hubs++
		}
	}
	if hubs != 1 {
		return fmt.Errorf("spec.clusters: %d clusters have hub: true; exactly one must", hubs)
	}
	slices.SortStableFunc(f.Clusters, func(a, b Cluster) int { return rank(a) - rank(b) })
	return nil
}

func rank(c Cluster) int {
	if c.Hub {
		return 0
	}
	return 1
}

// AddMirrors adds mirrors; one for an address that the fleet mirrors already replaces it.
func (f *Fleet) AddMirrors(more []mirror.Mirror) {
	byURL := map[string]mirror.Mirror{}
	for _, m := range slices.Concat(f.Mirrors, more) {
		byURL[m.URL] = m
	}
	f.Mirrors = nil
	for _, url := range slices.Sorted(maps.Keys(byURL)) {
		f.Mirrors = append(f.Mirrors, byURL[url])
	}
}

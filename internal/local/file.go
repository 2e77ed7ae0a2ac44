package local

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
)

// APIVersion and Kind of a LocalFleet file.
const (
	APIVersion = causeway.Group + "/v1alpha1"
	Kind       = "LocalFleet"
	// FormerAPIVersion is read as well.
	FormerAPIVersion = causeway.FormerGroup + "/v1alpha1"
)

// DefaultNamespace is where the engine's objects live when a file does not say.
const DefaultNamespace = "argocd"

// maxFile bounds the size of a file that a person writes.
const maxFile = 4 << 20 // bytes

// File is a LocalFleet file as written.
type File struct {
	// APIVersion is causeway.io/v1alpha1.
	APIVersion string `yaml:"apiVersion"`
	// Kind is LocalFleet.
	Kind string `yaml:"kind"`
	// Metadata names the fleet.
	Metadata Metadata `yaml:"metadata"`
	// Spec says what it consists of.
	Spec Spec `yaml:"spec"`
}

// Metadata names the fleet.
type Metadata struct {
	// Name of the fleet and of its folder of state: small letters, digits and
	// dashes.
	Name string `yaml:"name"`
}

// Spec says what a fleet consists of. Paths are relative to the file.
type Spec struct {
	// Namespace of the engine's objects on the hub; argocd when empty.
	Namespace string `yaml:"namespace"`
	// Clusters to start, at most 64; one of them is the hub.
	Clusters []Cluster `yaml:"clusters"`
	// Undescribed leaves the clusters' Secrets on the hub to something else, such
	// as Terraform.
	Undescribed bool `yaml:"undescribed"`
	// Mirrors are addresses and the folder that stands in for each. See
	// docs/how-to/mirrors.md.
	Mirrors map[string]string `yaml:"mirrors"`
	// Apply are files and folders of manifests that are applied to the hub at the
	// start, in order.
	Apply []string `yaml:"apply"`
	// Next is printed when all is Synced and Healthy.
	Next string `yaml:"next"`
}

// Cluster is one embedded control plane.
type Cluster struct {
	// Name of the cluster, and of its context in the kubeconfig: small letters,
	// digits and dashes.
	Name string `yaml:"name"`
	// Hub marks the cluster that the engine's objects live on: exactly one. With
	// one cluster it may be left out.
	Hub bool `yaml:"hub"`
	// Secret is the file that describes the cluster as Terraform would; server,
	// config and the label secret-type are filled in. Without it, a Secret is
	// made up.
	Secret string `yaml:"secret"`
	// Nodes to simulate; one when zero.
	Nodes int `yaml:"nodes"`
	// Port of the API server; that of the last start, or a free one, when zero.
	Port int `yaml:"port"`
}

// Read reads and checks a LocalFleet file. Paths in the answer are absolute.
func Read(path string) (*Fleet, error) {
	text, err := bounded.File(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read %s: there is no such file; name a LocalFleet file with --file, or a repository with --repo", path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	file, err := parse(path, text)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", path, err)
	}
	fleet, err := file.fleet(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return fleet, nil
}

// parse decodes strictly: a field that is not known is a typing error.
func parse(path string, text []byte) (*File, error) {
	file := &File{}
	if err := bounded.DecodeStrict(text, file); err != nil {
		return nil, explain(path, err)
	}
	if reflect.ValueOf(*file).IsZero() {
		return nil, fmt.Errorf("cannot read %s: it is empty", path)
	}
	if file.APIVersion != APIVersion && !file.Former() || file.Kind != Kind {
		return nil, fmt.Errorf("cannot use %s: it is %q of %q; `causeway up` takes kind: %s of apiVersion: %s",
			path, file.Kind, file.APIVersion, Kind, APIVersion)
	}
	return file, nil
}

// Former reports whether a file is written with the former API version.
func (f *File) Former() bool { return f.APIVersion == FormerAPIVersion }

var (
	unknownField = regexp.MustCompile(`^line (\d+): field (\S+) not found in type local\.(\w+)$`)
	otherTrouble = regexp.MustCompile(`^line (\d+): (.*)$`)
)

// explain turns the decoder's words into file:line and what to do.
func explain(path string, err error) error {
	var typed *yaml.TypeError
	if !errors.As(err, &typed) {
		return fmt.Errorf("cannot read %s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	lines := make([]string, 0, len(typed.Errors))
	for _, text := range typed.Errors {
		lines = append(lines, explainLine(path, text))
	}
	return fmt.Errorf("cannot read %s", strings.Join(lines, "\n"))
}

func explainLine(path, text string) string {
	if m := unknownField.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s:%s: unknown field %q; known are %s", path, m[1], m[2], knownFields(m[3]))
	}
	if m := otherTrouble.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s:%s: %s", path, m[1], m[2])
	}
	return path + ": " + text
}

func knownFields(kind string) string {
	known := map[string]string{
		"File":     "apiVersion, kind, metadata, spec",
		"Metadata": "name",
		"Spec":     "namespace, clusters, mirrors, apply, next, undescribed",
		"Cluster":  "name, hub, secret, nodes, port",
	}
	return known[kind]
}

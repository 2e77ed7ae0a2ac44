package bootstrap

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/deploy/charts"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Release is the name of the chart's release.
const Release = "causeway"

// Engine says how the engine is installed: by the chart that this program was
// built with.
type Engine struct {
	// Namespace is the control namespace.
	Namespace string
	// Files have values of the chart; the last one wins.
	Files []Values
	// Set are single values over the files, as in engine.workers=8.
	Set []string
	// Rights are those in its own cluster where the values do not say.
	Rights Rights
	// Image is a repository, with a tag and a digest where they are known;
	// Version is a tag. They win over values.
	Image, Version string
}

// Rights are what the engine may do to objects of applications in its own cluster.
type Rights int

const (
	// RootRights are the least with which the root applications can be
	// deployed: they are ApplicationSets and their like.
	RootRights Rights = iota
	// AllRights are those of an administrator, as Argo CD has them.
	AllRights
)

// Values are the text of a file with values of the chart.
type Values struct {
	Name string
	Text []byte
}

// Given reports whether anything is asked of the engine.
func (e Engine) Given() bool {
	return len(e.Files) > 0 || len(e.Set) > 0 || e.Image != "" || e.Version != ""
}

// Objects are what the chart makes for a cluster, in the order in which they
// can be applied.
func (e Engine) Objects(facts gitops.Facts) ([]*unstructured.Unstructured, error) {
	values, err := e.values()
	if err != nil {
		return nil, err
	}
	release := charts.Release{Name: Release, Namespace: e.Namespace, Values: values, KubeVersion: facts.KubeVersion}
	out, err := release.Objects()
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "the engine cannot be installed with these values: %w", err).Do("correct --values or --set")
	}
	return out, nil
}

// values are all that is given, with rights where none are asked for.
func (e Engine) values() (charts.Values, error) {
	out := charts.Values{}
	for _, f := range e.Files {
		if err := out.Add(f.Text); err != nil {
			return nil, gitops.Problemf(gitops.Invalid, "cannot read the values of %s: %w", f.Name, err).Do("write a YAML mapping of values of the chart")
		}
	}
	for _, text := range e.Set {
		if !strings.Contains(text, "=") {
			return nil, gitops.Problemf(gitops.Invalid, "cannot set %q", text).Do("write NAME=VALUE, as in engine.workers=8")
		}
		if err := out.Set(text); err != nil {
			name, _, _ := strings.Cut(text, "=")
			return nil, gitops.Problemf(gitops.Invalid, "cannot set the value %s: %w", name, err).Do("write NAME=VALUE, as in engine.workers=8")
		}
	}
	if err := e.image(out); err != nil {
		return nil, err
	}
	return out, e.grant(out)
}

// image writes what is asked of the image over the values.
func (e Engine) image(values charts.Values) error {
	if e.Image == "" && e.Version == "" {
		return nil
	}
	image, err := section(values, "image")
	if err != nil {
		return err
	}
	if e.Image != "" {
		repository, tag, digest := splitImage(e.Image)
		if repository == "" {
			return gitops.Problemf(gitops.Invalid, "cannot use the image %q: it has no name", e.Image).Do("write it as in registry.example.com/causeway:1.2.3")
		}
		image["repository"], image["tag"], image["digest"] = repository, tag, digest
	}
	if e.Version != "" {
		image["tag"], image["digest"] = e.Version, ""
	}
	return nil
}

// splitImage takes an image apart. A colon before the last slash is that of a port.
func splitImage(image string) (repository, tag, digest string) {
	repository, digest, _ = strings.Cut(image, "@")
	if colon := strings.LastIndex(repository, ":"); colon > strings.LastIndex(repository, "/") {
		repository, tag = repository[:colon], repository[colon+1:]
	}
	return repository, tag, digest
}

// grant writes the rights into values that do not say any.
func (e Engine) grant(values charts.Values) error {
	destination, err := section(values, "destination")
	if err != nil {
		return err
	}
	for _, name := range []string{"clusterAdmin", "rules", "namespaces"} {
		if _, asked := destination[name]; asked {
			return nil
		}
	}
	if e.Rights == AllRights {
		destination["clusterAdmin"] = true
		return nil
	}
	destination["rules"] = []any{map[string]any{
		"apiGroups": []any{"argoproj.io", "causeway.io"}, "resources": []any{"*"},
		"verbs": []any{"get", "list", "watch", "create", "update", "patch", "delete"},
	}}
	return nil
}

// section is a mapping in the values, made where it lacks.
func section(values charts.Values, name string) (map[string]any, error) {
	switch found := values[name].(type) {
	case nil:
		made := map[string]any{}
		values[name] = made
		return made, nil
	case map[string]any:
		return found, nil
	}
	return nil, gitops.Problemf(gitops.Invalid, "cannot read the value %s: it is no mapping", name).Do("correct it in --values or --set")
}

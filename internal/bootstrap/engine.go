package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/strvals"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
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

// Given tells whether anything is asked of the engine.
func (e Engine) Given() bool {
	return len(e.Files) > 0 || len(e.Set) > 0 || e.Image != "" || e.Version != ""
}

// Objects are what the chart makes for a cluster, in the order in which they
// can be applied.
func (e Engine) Objects(ctx context.Context, facts gitops.Facts) ([]*unstructured.Unstructured, error) {
	values, err := e.values()
	if err != nil {
		return nil, err
	}
	text, err := yaml.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("cannot write down the values of the chart: %w", err)
	}
	tree, err := chartTree()
	if err != nil {
		return nil, err
	}
	snapshot := &gitops.Snapshot{Revision: "built-in", Tree: tree}
	src := &source.Source{
		Name: Release, Namespace: e.Namespace, Path: ".", Facts: record.WrapFacts(facts),
		Tree: record.Wrap(ctx, snapshot, record.Limits{Files: maxChartFiles, Bytes: maxChartBytes}),
		Spec: v1alpha1.ApplicationSource{Helm: &v1alpha1.ApplicationSourceHelm{Values: string(text)}},
	}
	manifests, err := helm.New(helm.Options{}).Render(ctx, src)
	if err != nil {
		return nil, wrongValues(err)
	}
	out := make([]*unstructured.Unstructured, 0, len(manifests))
	for _, m := range manifests {
		out = append(out, m.Object)
	}
	slices.SortStableFunc(out, func(a, b *unstructured.Unstructured) int { return rank(a) - rank(b) })
	return out, nil
}

// wrongValues tells what to do here about what the stage complains of.
func wrongValues(err error) error {
	if p := (*gitops.Problem)(nil); errors.As(err, &p) {
		return gitops.Problemf(gitops.Invalid, "the engine cannot be installed with these values: %s", p.What).Do("correct --values or --set")
	}
	return fmt.Errorf("cannot render the engine's objects: %w", err)
}

// rank puts what others refer to first, and the engine itself last.
func rank(o *unstructured.Unstructured) int {
	order := []string{"ServiceAccount", "ConfigMap", "Secret", "ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding"}
	switch i := slices.Index(order, o.GetKind()); {
	case i >= 0:
		return i
	case o.GetKind() == "Deployment":
		return len(order) + 1
	}
	return len(order)
}

// values are all that is given, with rights where none are asked for.
func (e Engine) values() (map[string]any, error) {
	out := map[string]any{}
	for _, f := range e.Files {
		one := map[string]any{}
		if err := yaml.UnmarshalStrict(f.Text, &one); err != nil {
			return nil, gitops.Problemf(gitops.Invalid, "cannot read the values of %s: %w", f.Name, err).Do("write a YAML mapping of values of the chart")
		}
		out = loader.MergeMaps(out, one)
	}
	for _, text := range e.Set {
		if !strings.Contains(text, "=") {
			return nil, gitops.Problemf(gitops.Invalid, "cannot set %q", text).Do("write NAME=VALUE, as in engine.workers=8")
		}
		if err := strvals.ParseInto(text, out); err != nil {
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
func (e Engine) image(values map[string]any) error {
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
func (e Engine) grant(values map[string]any) error {
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
func section(values map[string]any, name string) (map[string]any, error) {
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

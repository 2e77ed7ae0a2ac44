package charts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Release says what is rendered.
type Release struct {
	Name, Namespace string
	Values          Values
	// KubeVersion is the cluster's, as in 1.36.3. Without it nobody asks
	// whether the chart runs there.
	KubeVersion string
}

// Objects are what `helm install` would make, in the order in which they can
// be applied: what others refer to first, the engine itself last. The
// definitions are not among them.
func (r Release) Objects() ([]*unstructured.Unstructured, error) {
	texts, err := r.texts()
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if path.Base(name) == notes {
			continue
		}
		more, err := split(texts[name])
		if err != nil {
			return nil, fmt.Errorf("cannot read what %s renders to: %w", name, err)
		}
		out = append(out, more...)
	}
	slices.SortStableFunc(out, func(a, b *unstructured.Unstructured) int { return rank(a) - rank(b) })
	return out, nil
}

// notes is the template that speaks to people.
const notes = "NOTES.txt"

// texts are the outputs of the templates, by their names.
func (r Release) texts() (map[string]string, error) {
	if err := chartutil.ValidateReleaseName(r.Name); err != nil {
		return nil, fmt.Errorf("the name %q does not fit a release: %w", r.Name, err)
	}
	ch, err := load()
	if err != nil {
		return nil, err
	}
	capabilities, err := r.capabilities(ch)
	if err != nil {
		return nil, err
	}
	options := common.ReleaseOptions{Name: r.Name, Namespace: r.Namespace, IsInstall: true, Revision: 1}
	top, err := util.ToRenderValues(ch, r.Values, options, capabilities)
	if err != nil {
		return nil, fmt.Errorf("the values do not fit the chart: %w", err)
	}
	texts, err := engine.Engine{Strict: true}.Render(ch, top)
	if err != nil {
		return nil, fmt.Errorf("cannot render the chart: %w", err)
	}
	return texts, nil
}

// capabilities are those of the cluster, as far as they are known.
func (r Release) capabilities(ch *chart.Chart) (*common.Capabilities, error) {
	out := common.DefaultCapabilities.Copy()
	if r.KubeVersion == "" {
		return out, nil
	}
	version, err := common.ParseKubeVersion(r.KubeVersion)
	if err != nil {
		return nil, fmt.Errorf("cannot read the version %q of Kubernetes: %w", r.KubeVersion, err)
	}
	if asked := ch.Metadata.KubeVersion; asked != "" && !chartutil.IsCompatibleRange(asked, version.String()) {
		return nil, fmt.Errorf("the chart needs Kubernetes %s, and the cluster has %s", asked, r.KubeVersion)
	}
	out.KubeVersion = *version
	return out, nil
}

// rank is the place of an object among those that are applied.
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

func split(text string) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(text), 4096)
	for {
		o := &unstructured.Unstructured{}
		err := decoder.Decode(&o.Object)
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		case len(o.Object) > 0:
			out = append(out, o)
		}
	}
}

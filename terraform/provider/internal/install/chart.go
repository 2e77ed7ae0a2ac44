// Package install puts the engine into a cluster: the definitions of its kinds
// and the objects of its chart, rendered here by Helm's library, applied, and
// waited for.
package install

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"helm.sh/helm/v4/pkg/strvals"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/deploy/charts"
)

// release says what is rendered.
type release struct {
	name, namespace string
	values          []string          // documents of YAML, the last one wins
	set             map[string]string // single values, over the documents
}

// render makes the objects that `helm install` would, in the order in which
// they can be applied.
func (r release) render() ([]*unstructured.Unstructured, error) {
	ch, err := load()
	if err != nil {
		return nil, err
	}
	given, err := r.merged()
	if err != nil {
		return nil, err
	}
	options := common.ReleaseOptions{Name: r.name, Namespace: r.namespace, IsInstall: true, Revision: 1}
	top, err := util.ToRenderValues(ch, given, options, common.DefaultCapabilities)
	if err != nil {
		return nil, fmt.Errorf("the values do not fit the chart: %w", err)
	}
	files, err := engine.Engine{Strict: true}.Render(ch, top)
	if err != nil {
		return nil, fmt.Errorf("cannot render the chart: %w", err)
	}
	var out []*unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, "NOTES.txt") {
			continue
		}
		more, err := split(files[name])
		if err != nil {
			return nil, fmt.Errorf("cannot read what %s renders to: %w", name, err)
		}
		out = append(out, more...)
	}
	slices.SortStableFunc(out, func(a, b *unstructured.Unstructured) int { return rank(a) - rank(b) })
	return out, nil
}

// rank puts what others refer to first.
func rank(o *unstructured.Unstructured) int {
	if i := slices.Index([]string{"ServiceAccount", "ConfigMap", "Secret", "ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding"}, o.GetKind()); i >= 0 {
		return i
	}
	return 100
}

// paths are those that Helm's --set reads. It passes over others in silence.
var paths = regexp.MustCompile(`^([^.\[\]={},\\]|\\.)+(\[\d+\])*(\.([^.\[\]={},\\]|\\.)+(\[\d+\])*)*$`)

// merged are all values together.
func (r release) merged() (map[string]any, error) {
	out := map[string]any{}
	for i, text := range r.values {
		one := map[string]any{}
		if err := yaml.UnmarshalStrict([]byte(text), &one); err != nil {
			return nil, fmt.Errorf("values[%d] is no YAML of an object: %w", i, err)
		}
		out = loader.MergeMaps(out, one)
	}
	for _, path := range slices.Sorted(maps.Keys(r.set)) {
		if !paths.MatchString(path) {
			return nil, fmt.Errorf("set[%q] cannot be read: write the path of a value, as in engine.workers or extraArgs[0]", path)
		}
		if err := strvals.ParseInto(path+"="+r.set[path], out); err != nil {
			return nil, fmt.Errorf("set[%q] cannot be read: %w", path, err)
		}
	}
	return out, nil
}

// load reads the chart that the provider was built with.
func load() (*chart.Chart, error) {
	root, err := charts.Causeway()
	if err != nil {
		return nil, err
	}
	var files []*archive.BufferedFile
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		files = append(files, &archive.BufferedFile{Name: name, Data: text})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the built-in chart: %w", err)
	}
	return loader.LoadFiles(files)
}

func split(text string) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(text), 4096)
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

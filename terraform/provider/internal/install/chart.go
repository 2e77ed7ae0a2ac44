// Package install puts the engine into a cluster: the definitions of its kinds
// and the objects of its chart, applied and waited for.
package install

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/deploy/charts"
)

// release says what is rendered.
type release struct {
	name, namespace string
	documents       []string          // values in YAML, the last one wins
	set             map[string]string // single values, over the documents
}

// render makes the engine's objects. No cluster is asked: a plan may come
// before there is one.
func (r release) render() ([]*unstructured.Unstructured, error) {
	values, err := r.values()
	if err != nil {
		return nil, err
	}
	return charts.Release{Name: r.name, Namespace: r.namespace, Values: values}.Objects()
}

// paths are those that Helm's --set reads. It passes over others in silence.
var paths = regexp.MustCompile(`^([^.\[\]={},\\]|\\.)+(\[\d+\])*(\.([^.\[\]={},\\]|\\.)+(\[\d+\])*)*$`)

// values are all of them together.
func (r release) values() (charts.Values, error) {
	out := charts.Values{}
	for i, text := range r.documents {
		if err := out.Add([]byte(text)); err != nil {
			return nil, fmt.Errorf("values[%d] is no YAML of an object: %w", i, err)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(r.set)) {
		if !paths.MatchString(path) {
			return nil, fmt.Errorf("set[%q] cannot be read: write the path of a value, as in engine.workers or extraArgs[0]", path)
		}
		if err := out.Set(path + "=" + r.set[path]); err != nil {
			return nil, fmt.Errorf("set[%q] cannot be read: %w", path, err)
		}
	}
	return out, nil
}

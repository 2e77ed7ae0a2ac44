package charts

import (
	"maps"

	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/strvals"
	"sigs.k8s.io/yaml"
)

// Values are what is given to the chart, over its own. What is added last wins.
type Values map[string]any

// Add merges a YAML mapping into the values. A key that it names twice is an error.
func (v Values) Add(text []byte) error {
	more := map[string]any{}
	if err := yaml.UnmarshalStrict(text, &more); err != nil {
		return err
	}
	maps.Copy(v, loader.MergeMaps(v, more))
	return nil
}

// Set sets single values, in the words of `helm --set`: engine.workers=8.
func (v Values) Set(expression string) error { return strvals.ParseInto(expression, v) }

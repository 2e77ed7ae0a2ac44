package helm

import (
	"fmt"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	// maxCharts are those of a chart with all that it depends on.
	maxCharts = 1_000
	// maxLaid bounds the values of all of them, in bytes: those of a chart are laid
	// over once more for each chart that is around it.
	maxLaid = 256 << 20
	// maxParents are the tables inside one another that values are imported to or from:
	// Helm makes a map for each, and copies them by a recursion whose stack nothing bounds.
	maxParents = 100
)

// resolve finds out which dependencies of a chart count. Helm copies a chart for each
// name that it is given, with its values and with all charts below it, so that a few
// lines in charts inside one another would become any number: they are counted before.
func resolve(ch *chart.Chart, values common.Values) error {
	c := copies{weights: map[*chart.Chart]int64{}}
	if err := c.add(ch, 1); err != nil {
		return err
	}
	return chartutil.ProcessDependencies(ch, values)
}

// copies counts charts as often as they are used.
type copies struct {
	charts  int
	laid    int64
	weights map[*chart.Chart]int64
}

func (c *copies) add(ch *chart.Chart, level int64) error {
	if c.charts++; c.charts > maxCharts {
		return &bounded.TooMuch{Most: maxCharts, What: "charts, each as often as it is used", Together: true}
	}
	if c.laid += level * c.weight(ch); c.laid > maxLaid {
		return &bounded.TooMuch{Most: maxLaid, What: "bytes of values of charts, each as often as it is used", Together: true}
	}
	named := map[string]bool{}
	for _, d := range ch.Metadata.Dependencies {
		if d == nil {
			continue
		}
		named[d.Name] = true
		if err := imports(d); err != nil {
			return err
		}
		for _, below := range ch.Dependencies() {
			if below.Name() != d.Name {
				continue
			}
			c.laid += int64(len(d.ImportValues)) * c.weight(below)
			if err := c.add(below, level+1); err != nil {
				return err
			}
		}
	}
	for _, below := range ch.Dependencies() {
		if named[below.Name()] {
			continue
		}
		if err := c.add(below, level+1); err != nil {
			return err
		}
	}
	return nil
}

// imports refuses values that are imported to or from a table in too many others.
func imports(d *chart.Dependency) error {
	for _, each := range d.ImportValues {
		paths := []any{each}
		if both, is := each.(map[string]any); is {
			paths = []any{both["child"], both["parent"]}
		}
		for _, path := range paths {
			if strings.Count(fmt.Sprint(path), ".") > maxParents {
				return gitops.Problemf(gitops.Invalid, "import-values of %s name a table in more than %d others", gitops.First(d.Name, longestName), maxParents)
			}
		}
	}
	return nil
}

// longestName is as much of a dependency's name as is told, in bytes.
const longestName = 100

func (c *copies) weight(ch *chart.Chart) int64 {
	known, ok := c.weights[ch]
	if !ok {
		w := bounded.Weigh(ch.Values)
		known = w.Texts + w.Parts
		c.weights[ch] = known
	}
	return known
}

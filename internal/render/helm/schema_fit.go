package helm

import (
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/helm/schema"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// fit checks the values that templates would see against the schemas of the
// chart and of its dependencies. Helm's own check reads whatever file and
// address a schema names.
func fit(s *source.Source, ch loaded, top common.Values) error {
	values, err := top.Table("Values")
	if err != nil {
		return problem(s, "cannot read the values of chart %s: %w", ch.Name(), err).Do("write a YAML mapping")
	}
	verdict, err := schema.Judge(described(ch.Chart, values.AsMap(), nil))
	switch {
	case err != nil:
		return problem(s, "cannot render chart %s: %w", ch.Name(), err).Do("correct values.schema.json, or set helm.skipSchemaValidation")
	case verdict.Failure != "":
		return problem(s, "cannot render chart %s: values don't meet the specifications of the schema(s) in the following chart(s):\n%s", ch.Name(), verdict.Failure).
			Do("correct the values, or set helm.skipSchemaValidation")
	case len(verdict.Elsewhere) > 0:
		s.Warn(gitops.SchemaElsewhere, "the values of chart "+ch.Name()+" are checked without the schemas that values.schema.json has elsewhere, which are not read: "+
			addresses(verdict.Elsewhere), s.Tree.Where(s.Path, 0))
	}
	return nil
}

// addresses are the first few of a list, fit for messages.
func addresses(all []string) string {
	const most = 3
	var shown []string
	for _, address := range all[:min(len(all), most)] {
		shown = append(shown, shortened(redacted(address)))
	}
	if len(all) > most {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}

// described are the schemas of a chart and of its dependencies, each with the
// values that are for it.
func described(ch *chart.Chart, values any, parts []schema.Part) []schema.Part {
	parts = append(parts, schema.Part{Chart: ch.Name(), Schema: ch.Schema, Values: values})
	all, _ := values.(map[string]any)
	for _, sub := range ch.Dependencies() {
		if own := all[sub.Name()]; own != nil {
			parts = described(sub, own, parts)
		}
	}
	return parts
}

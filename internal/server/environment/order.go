package environment

import (
	"cmp"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// labels name an environment: the first that is set on the Application, else
// on its cluster.
var labels = []string{v1alpha1.LabelEnvironment, "environment", "env", "stage"}

// families are the names that people give to the steps of a promotion, in its
// order. Those of one family are the same step.
var families = [][]string{
	{"local", "sandbox"},
	{"dev", "development", "develop"},
	{"ci", "integration", "int"},
	{"test", "testing", "tst", "qa"},
	{"uat", "acceptance"},
	{"staging", "stage", "stg", "preprod", "pre-prod", "preproduction"},
	{"prod", "production", "prd", "live"},
}

// Order is the order of promotion.
type Order []string

// ParseOrder reads what the installation says; empty is the order of families.
func ParseOrder(text string) Order {
	var out Order
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// rank is where an environment stands. Those that are not in the order come
// after all that are; what has none comes last.
func (o Order) rank(name string) int {
	if name == "" {
		return len(o) + len(families) + 2
	}
	if at := slices.Index(o, name); at >= 0 {
		return at
	}
	of := family(name)
	if of >= 0 && len(o) > 0 {
		if at := slices.IndexFunc(o, func(other string) bool { return family(other) == of }); at >= 0 {
			return at
		}
	}
	if of >= 0 {
		return len(o) + of
	}
	return len(o) + len(families) + 1
}

func (o Order) compare(a, b string) int {
	return cmp.Or(cmp.Compare(o.rank(a), o.rank(b)), strings.Compare(a, b))
}

func family(name string) int {
	return slices.IndexFunc(families, func(names []string) bool { return slices.Contains(names, name) })
}

// Of names the environment of an Application; empty when nobody says.
func Of(r *view.Row, cluster map[string]string) string {
	for _, from := range []map[string]string{r.Labels, cluster} {
		for _, key := range labels {
			if name := strings.ToLower(strings.TrimSpace(from[key])); name != "" {
				return name
			}
		}
	}
	return ""
}

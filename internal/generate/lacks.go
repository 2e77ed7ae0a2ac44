package generate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// lacks remembers which parameters templates ask for, and which of them are
// missing where.
type lacks struct {
	asked map[string]bool
	// missing has the clusters, or else the Applications, that lack a key.
	missing map[string]map[string]bool
	// watching is on while an Application is rendered; placeholders that a
	// generator leaves may still be filled later.
	watching bool
	current  []string
}

func newLacks() *lacks {
	return &lacks{asked: map[string]bool{}, missing: map[string]map[string]bool{}}
}

func (l *lacks) ask(key string) {
	if key != "" && !l.asked[key] {
		l.asked[key] = true
	}
}

func (l *lacks) miss(key string) {
	if l.watching && key != "" {
		l.current = append(l.current, key)
	}
}

// begin watches for missing parameters until end.
func (l *lacks) begin() { l.watching, l.current = true, l.current[:0] }

func (l *lacks) end(where string) {
	l.watching = false
	for _, key := range l.current {
		if l.missing[key] == nil {
			l.missing[key] = map[string]bool{}
		}
		l.missing[key][where] = true
	}
}

// noValue is what Go templates print for a parameter that is missing.
const noValue = "<no value>"

// warnings has one for each key that is missing somewhere.
func (l *lacks) warnings(set string) []gitops.Warning {
	var out []gitops.Warning
	for _, key := range slices.Sorted(maps.Keys(l.missing)) {
		where := some(slices.Sorted(maps.Keys(l.missing[key])))
		message := fmt.Sprintf("ApplicationSet %s leaves {{%s}} unresolved for %s; add it to the cluster Secret or to the generator's values", set, key, where)
		if key == noValue {
			message = fmt.Sprintf("ApplicationSet %s renders %s for %s; add the missing parameter, or set goTemplateOptions to missingkey=error", set, noValue, where)
		}
		out = append(out, gitops.Warning{Reason: "UnresolvedParameter", Message: message})
	}
	return out
}

// some lists names, but no more than a person reads.
func some(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

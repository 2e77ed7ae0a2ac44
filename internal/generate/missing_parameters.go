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
	// any tells that any parameter may have been asked for, those that are not
	// remembered among them.
	any bool
	// chosen are those of them that selectors and merge keys ask for.
	chosen map[string]bool
	// missing has the subjects that lack a key: clusters, or else Applications.
	missing map[string]map[subject]bool
	// pairs is how many subjects all keys of missing have.
	pairs int
	// silent are keys that were asked for in a way that shows nothing when
	// they are missing; true once one parameter set has had the key.
	silent map[string]bool
	// watching is on while an Application is rendered; placeholders that a
	// generator leaves may still be filled later.
	watching bool
	current  []string
	// goMode tells how parameters are written.
	goMode bool
}

// subject is what lacks a parameter.
type subject struct {
	name    string
	cluster bool
}

func (s subject) String() string {
	if s.cluster {
		return "cluster " + s.name
	}
	return s.name
}

func newLacks() *lacks {
	return &lacks{asked: map[string]bool{}, chosen: map[string]bool{}, missing: map[string]map[subject]bool{}, silent: map[string]bool{}}
}

// What is remembered of what templates ask for: files of a repository may
// bring a template with each parameter set.
const (
	mostAsked = 2000
	longest   = 1024 // bytes of a key
)

// ask reports whether the key is one of those that are remembered.
func (l *lacks) ask(key string) bool {
	if l.asked[key] {
		return true
	}
	if key == "" {
		return false
	}
	if len(key) > longest || len(l.asked) >= mostAsked {
		l.any = true
		return false
	}
	l.asked[strings.Clone(key)] = true // alone, as the text around it may be long
	return true
}

// choose is ask for what decides whether there is a parameter set at all.
func (l *lacks) choose(key string) {
	if key != "" {
		l.asked[key], l.chosen[key] = true, true
	}
}

func (l *lacks) miss(key string) {
	if l.watching && key != "" {
		l.current = append(l.current, key)
	}
}

// begin watches for missing parameters until end.
func (l *lacks) begin() { l.watching, l.current = true, l.current[:0] }

func (l *lacks) end(where subject) {
	l.watching = false
	for _, key := range l.current {
		if l.missing[key][where] || l.pairs == mostLacks {
			continue
		}
		if l.missing[key] == nil {
			l.missing[key] = map[subject]bool{}
		}
		l.missing[key][where] = true
		l.pairs++
	}
}

// mostLacks bounds what is kept of who lacks which parameter: a template may leave
// each of its many placeholders in each of many Applications.
const mostLacks = 50_000

// noValue is what Go templates print for a parameter that is missing.
const noValue = "<no value>"

// warnings has one for each key that is missing somewhere.
func (l *lacks) warnings(set string) []gitops.Warning {
	var out []gitops.Warning
	for _, key := range slices.Sorted(maps.Keys(l.missing)) {
		subjects := slices.SortedFunc(maps.Keys(l.missing[key]), func(a, b subject) int { return strings.Compare(a.name, b.name) })
		w := gitops.Warning{Reason: "UnresolvedParameter", Key: key}
		texts := make([]string, 0, len(subjects))
		for _, s := range subjects {
			texts = append(texts, s.String())
			if s.cluster {
				w.Clusters = append(w.Clusters, s.name)
			} else {
				w.Applications = append(w.Applications, s.name)
			}
		}
		w.Message, w.Bare = l.text(set, key, " for "+some(texts)), l.text(set, key, "")
		if key == noValue {
			w.Key = ""
		}
		out = append(out, w)
	}
	if l.pairs == mostLacks {
		out = append(out, gitops.Warning{
			Reason:  "UnresolvedParameter",
			Message: fmt.Sprintf("ApplicationSet %s leaves at least %d parameters of its Applications unresolved, and no more of them are told", set, mostLacks),
		})
	}
	for _, key := range slices.Sorted(maps.Keys(l.silent)) {
		if l.silent[key] || l.missing[key] != nil {
			continue
		}
		out = append(out, gitops.Warning{
			Reason: "UnknownParameter", Key: key,
			Message: fmt.Sprintf("ApplicationSet %s asks for %s, which no cluster and no generator gives; correct the name, or give it a default", set, key),
		})
	}
	return out
}

// text says of a set that a key is missing, and where: empty, or with a space before.
func (l *lacks) text(set, key, where string) string {
	switch {
	case key == noValue:
		return fmt.Sprintf("ApplicationSet %s renders %s%s; add the missing parameter, or set goTemplateOptions to missingkey=error", set, noValue, where)
	case l.goMode:
		return fmt.Sprintf("ApplicationSet %s renders {{.%s}} as %s%s; add it to the cluster Secret or to the generator's values, or set goTemplateOptions to missingkey=error", set, key, noValue, where)
	}
	return fmt.Sprintf("ApplicationSet %s leaves {{%s}} unresolved%s; add it to the cluster Secret or to the generator's values", set, key, where)
}

// some lists names, but no more than a person reads.
func some(names []string) string {
	const most = 10
	return gitops.Listed(names, most)
}

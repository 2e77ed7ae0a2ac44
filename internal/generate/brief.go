package generate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// How much a brief tells: it becomes a part of an object.
const (
	briefKeys  = 5
	briefNames = 3
	briefBytes = 100 // of a key or name
)

// brief tells in a text of bounded size which parameters are missing where;
// empty when none is.
func (l *lacks) brief() string {
	keys := slices.Sorted(maps.Keys(l.missing))
	if len(keys) == 0 {
		return ""
	}
	texts := make([]string, 0, briefKeys)
	for _, key := range keys[:min(len(keys), briefKeys)] {
		texts = append(texts, l.placeholder(key)+" for "+l.where(key))
	}
	text := "the template leaves parameters unresolved: " + strings.Join(texts, ", ")
	if more := len(keys) - len(texts); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	text += "; add them to the cluster Secret or to the generator's values"
	if l.goMode {
		text += ", or set goTemplateOptions to missingkey=error"
	}
	return text
}

func (l *lacks) placeholder(key string) string {
	short := gitops.First(key, briefBytes)
	switch {
	case key == noValue:
		return noValue
	case l.goMode:
		return "{{." + short + "}}"
	}
	return "{{" + short + "}}"
}

// where counts the clusters that lack a parameter, and Applications that no
// cluster is behind, and names the first of them.
func (l *lacks) where(key string) string {
	names := map[bool][]string{}
	for s := range l.missing[key] {
		names[s.cluster] = append(names[s.cluster], s.name)
	}
	var texts []string
	for _, of := range []struct {
		cluster bool
		noun    string
	}{{true, "cluster"}, {false, "application"}} {
		all := names[of.cluster]
		if len(all) == 0 {
			continue
		}
		slices.Sort(all)
		for i := range all[:min(len(all), briefNames)] {
			all[i] = gitops.First(all[i], briefBytes)
		}
		texts = append(texts, fmt.Sprintf("%s (%s)", gitops.Count(len(all), of.noun), gitops.Listed(all, briefNames)))
	}
	text := strings.Join(texts, " and ")
	if l.pairs == mostLacks {
		text = "at least " + text
	}
	return text
}

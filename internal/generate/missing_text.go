package generate

import (
	"maps"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// How much a brief tells: it becomes a part of an object.
const (
	briefKeys  = 5
	briefBytes = 100 // of a key
)

// brief tells in a text of bounded size which parameters are missing; empty when
// none is. Who reads a set need not be let read the clusters that lack them, nor
// know how many there are: that is in the warnings.
func (l *lacks) brief() string {
	keys := slices.Sorted(maps.Keys(l.missing))
	if len(keys) == 0 {
		return ""
	}
	texts := make([]string, 0, briefKeys)
	for _, key := range keys[:min(len(keys), briefKeys)] {
		texts = append(texts, l.placeholder(key))
	}
	text := "the template leaves parameters unresolved: " + strings.Join(texts, ", ") + gitops.AndMore(len(keys)-len(texts))
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

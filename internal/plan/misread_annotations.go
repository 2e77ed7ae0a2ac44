package plan

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// misread warns of waves that are no numbers, and of hooks and delete policies
// that do not exist. They count as in Argo CD, which says nothing.
func (s *Set) misread(annotations map[string]string, of string, at gitops.Origin) {
	s.misreadWave(annotations, of, at)
	if list, ok := annotations[gitops.AnnotationHook]; ok {
		names := hookWords
		if ParseHook(annotations).Ignored {
			names.effect = "the object is not applied"
		}
		s.unknown(list, names, of, at)
	}
	s.unknown(annotations[gitops.AnnotationHookDelete], policyWords, of, at)
	s.unknown(annotations[gitops.AnnotationCompare], compareWords, of, at)
}

// longWave is the most bytes of a wave that a message repeats.
const longWave = 100

func (s *Set) misreadWave(annotations map[string]string, of string, at gitops.Origin) {
	text, ok := annotations[gitops.AnnotationWave]
	if !ok {
		return
	}
	if _, err := strconv.Atoi(text); err == nil {
		return
	}
	shown := strconv.Quote(text)
	if len(text) > longWave {
		shown = "of " + gitops.Count(len(text), "byte")
	}
	s.ineffective(of, at, func() string {
		return fmt.Sprintf("the sync wave %s is not a whole number: wave %d is taken", shown, WaveOf(annotations))
	})
}

var (
	hookWords = vocabulary{
		"hook", append(slices.Sorted(maps.Keys(argoTypes)), string(gitops.PreDelete), string(gitops.PostDelete)), "it has no effect",
	}
	policyWords  = vocabulary{"hook delete policy", slices.Sorted(maps.Keys(argoPolicies)), "it has no effect"}
	compareWords = vocabulary{
		"compare option",
		[]string{"IgnoreExtraneous", "IncludeMutationWebhook=true", "IncludeMutationWebhook=false", "ServerSideDiff=true", "ServerSideDiff=false"},
		"it has no effect",
	}
)

// vocabulary has the words that a list may have, and what others come to.
type vocabulary struct {
	what   string
	known  []string
	effect string
}

// unknown warns of words of a list that name nothing.
func (s *Set) unknown(list string, names vocabulary, of string, at gitops.Origin) {
	for word := range words(list) {
		if slices.Contains(names.known, word) {
			continue
		}
		s.ineffective(of, at, func() string {
			return fmt.Sprintf("there is no %s %q: %s%s", names.what, word, names.effect, gitops.DidYouMean(word, names.known))
		})
	}
}

package provider

import (
	"slices"
	"strings"
	"sync"

	"github.com/causeway-gitops/causeway/internal/redact"
)

// Known are the last credentials of a store, which a server may repeat in what it says.
// The zero value knows none. It is safe for concurrent use.
type Known struct {
	mu    sync.Mutex
	texts [][]string // by who gives them
}

const (
	// mostOfOne is how many texts are kept of who gives credentials: a key and a token
	// each time.
	mostOfOne = 8
	// LongestTold is how many characters of a server's own words are shown.
	LongestTold = 300
)

// Source returns what adds the texts of one that gives credentials. The last ones of each
// are kept: a chain of roles, or a role that is assumed again and again, has none of what
// came before it be forgotten.
func (k *Known) Source() (add func(texts ...string)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	one := len(k.texts)
	k.texts = append(k.texts, nil)
	return func(texts ...string) {
		k.mu.Lock()
		defer k.mu.Unlock()
		all := k.texts[one]
		for _, text := range texts {
			if text != "" && !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
		k.texts[one] = all[max(0, len(all)-mostOfOne):]
	}
}

// Masked is a text without them.
func (k *Known) Masked(text string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return redact.NewKnown(slices.Concat(k.texts...)).Text(text)
}

// Short is the beginning of a text, in one line, without credentials: half of one would
// not be known as such.
func (k *Known) Short(text string) string {
	text = strings.Join(strings.Fields(k.Masked(text)), " ")
	if cut := []rune(text); len(cut) > LongestTold {
		text = string(cut[:LongestTold]) + "…"
	}
	return text
}

package redact

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Known are texts that are secret wherever they stand. The zero value knows none.
type Known struct{ replacer *strings.Replacer }

// Values of Secrets shorter than these are words rather than secrets: to replace
// them would spoil what is shown, and so reveal what they are.
const (
	minSecret    = 16
	minSensitive = 8
)

// NewKnown knows texts, as those of gitops.Rendering.Hidden, which were decrypted,
// and the values of the Secrets among what was rendered.
func NewKnown(secrets []string, renderings ...[]gitops.Manifest) Known {
	texts := make(map[string]bool, len(secrets))
	for _, text := range secrets {
		texts[text] = true
	}
	for _, manifests := range renderings {
		for _, m := range manifests {
			if m.Object != nil && IsSecret(m.Object.Object) {
				collect(texts, m.Object.Object)
			}
		}
	}
	delete(texts, "")
	if len(texts) == 0 {
		return Known{}
	}
	return Known{replacerOf(texts)}
}

// replacerOf finds the longest of texts that begin alike.
func replacerOf(texts map[string]bool) *strings.Replacer {
	longest := make([]string, 0, len(texts))
	for text := range texts {
		longest = append(longest, text)
	}
	slices.SortFunc(longest, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	pairs := make([]string, 0, 2*len(longest))
	for _, text := range longest {
		pairs = append(pairs, text, Mask)
	}
	return strings.NewReplacer(pairs...)
}

// collect adds the values of a Secret, plain and in base64.
func collect(texts map[string]bool, secret map[string]any) {
	folded := map[string]any{"data": secret["data"], "stringData": secret["stringData"]}
	Fold(folded)
	data, _ := folded["data"].(map[string]any)
	for key, v := range data {
		text, _ := v.(string)
		plain := strings.TrimSpace(text)
		if len(plain) < minSecret && (len(plain) < minSensitive || !Sensitive(key)) {
			continue
		}
		texts[plain] = true
		for _, form := range []string{text, plain, plain + "\n"} {
			texts[base64.StdEncoding.EncodeToString([]byte(form))] = true
		}
	}
}

// Text is a text with the mask in place of each known one in it.
func (k Known) Text(text string) string {
	if k.replacer == nil {
		return text
	}
	return k.replacer.Replace(text)
}

// in reports whether a text has a known one in it.
func (k Known) in(text string) bool { return k.Text(text) != text }

// Within reports whether a value has a known text in it, be it as a key.
func (k Known) Within(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for key, below := range value {
			if k.in(key) || k.Within(below) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, k.Within)
	}
	return k.has(value)
}

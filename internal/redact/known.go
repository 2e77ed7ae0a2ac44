package redact

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Known are texts that are secret wherever they stand. The zero value knows none.
type Known struct {
	finder *finder
	// opaque shows nothing.
	opaque bool
}

// Bounds of what is looked for, in different texts and in their bytes: twice what a
// render may decrypt, and more of Secrets than clusters have. Beyond them nothing is
// shown: nobody can tell what is secret from the rest.
const (
	maxTexts = 1 << 19
	maxBytes = 64 << 20
)

// Values of Secrets shorter than these are words rather than secrets: to replace
// them would spoil what is shown, and so reveal what they are.
const (
	minSecret    = 16
	minSensitive = 8
)

// NewKnown knows texts, as those of gitops.Rendering.Hidden, which were decrypted,
// and the values of the Secrets among what was rendered, and of the stores that hold some. Of more than it can look for
// it is Opaque.
func NewKnown(secrets []string, renderings ...[]gitops.Manifest) Known {
	g := gathering{texts: make(map[string]bool, min(len(secrets), maxTexts))}
	for _, text := range secrets {
		g.add(text)
	}
	for _, manifests := range renderings {
		for _, m := range manifests {
			if g.full || m.Object == nil {
				continue
			}
			if IsSecret(m.Object.Object) {
				g.collect(m.Object.Object)
			}
			for _, text := range valuesHeld(m.Object.Object) {
				g.value("", text)
			}
		}
	}
	switch {
	case g.full:
		return Known{opaque: true}
	case len(g.texts) == 0:
		return Known{}
	}
	return Known{finder: newFinder(g.texts)}
}

// Opaque reports whether there is more to hide than can be looked for, so that
// nothing is shown.
func (k Known) Opaque() bool { return k.opaque }

// none reports whether there is nothing to hide.
func (k Known) none() bool { return k.finder == nil && !k.opaque }

// gathering collects texts up to their bounds.
type gathering struct {
	texts map[string]bool
	bytes int
	full  bool
}

// inJSON is how most encoders of JSON write what might be taken for HTML, as that of
// what kubectl last applied does.
var inJSON = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`)

func (g *gathering) add(text string) {
	g.addForm(text)
	if strings.ContainsAny(text, "<>&") {
		g.addForm(inJSON.Replace(text))
	}
}

func (g *gathering) addForm(text string) {
	if g.full || text == "" || g.texts[text] {
		return
	}
	g.bytes += len(text)
	if g.full = len(g.texts) == maxTexts || g.bytes > maxBytes; !g.full {
		g.texts[text] = true
	}
}

// collect adds the values of a Secret, plain, quoted and in base64, and what somebody wrote
// plainly where base64 belongs: an API server that refuses it is quoted.
func (g *gathering) collect(secret map[string]any) {
	folded := map[string]any{"data": secret["data"], "stringData": secret["stringData"]}
	Fold(folded)
	data, _ := folded["data"].(map[string]any)
	for key, v := range data {
		text, _ := v.(string)
		g.value(key, strings.TrimPrefix(text, noBase64))
	}
}

// value adds one of a key, if it is long enough for that, in its forms.
func (g *gathering) value(key, text string) {
	plain := strings.TrimSpace(text)
	if len(plain) < minSecret && (len(plain) < minSensitive || !Sensitive(key)) {
		return
	}
	g.add(plain)
	g.addLines(plain)
	if quoted := strconv.Quote(plain); utf8.ValidString(plain) && len(quoted) > len(plain)+2 {
		g.add(quoted[1 : len(quoted)-1]) // bytes that are no text nobody quotes
	}
	for _, form := range []string{text, plain, plain + "\n"} {
		if !g.full {
			g.add(base64.StdEncoding.EncodeToString([]byte(form)))
		}
	}
}

// minLine is the length from which a line of a value is looked for by itself.
const minLine = 32

// addLines adds lines of a value of several that are nothing but what somebody encoded, as
// those of a key: what quotes one quotes no more than that. Other lines are words, and those
// of certificates are public.
func (g *gathering) addLines(value string) {
	if !strings.Contains(value, "\n") {
		return
	}
	public := false
	for line := range strings.SplitSeq(value, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "-----"):
			public = strings.HasPrefix(line, "-----BEGIN CERTIFICATE") || strings.HasSuffix(line, " PUBLIC KEY-----")
		case !public && len(line) >= minLine && encoded(line):
			g.add(line)
		}
	}
}

// encoded reports whether a text may be base64, and no word: it has letters of both sizes,
// and digits.
func encoded(text string) bool {
	var lower, upper, digit bool
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z':
			lower = true
		case 'A' <= c && c <= 'Z':
			upper = true
		case '0' <= c && c <= '9':
			digit = true
		case strings.IndexByte("+/=_-", c) < 0:
			return false
		}
	}
	return lower && upper && digit
}

// Text is a text with the mask in place of each known one in it.
func (k Known) Text(text string) string {
	switch {
	case text == "" || k.none():
		return text
	case k.opaque:
		return Mask
	}
	return k.finder.masked(text)
}

// in reports whether a text has a known one in it.
func (k Known) in(text string) bool { return k.Text(text) != text }

// Within reports whether a value has a known text in it, be it as a key.
func (k Known) Within(value any) bool {
	if k.opaque {
		return covered(value) != nil
	}
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

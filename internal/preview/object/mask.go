package object

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// mask copies a value without its secrets, and reports whether it had any.
func (d *differ) mask(p place, v any) (any, bool) {
	switch v := v.(type) {
	case nil:
		return nil, false
	case map[string]any:
		return d.maskMapping(p, v)
	case []any:
		return d.maskList(p, v)
	case string:
		if p.secret || p.plural {
			return Mask, true
		}
		text := v
		if !d.exempt {
			text = maskText(v)
		}
		text = d.scrub.text(text)
		return text, text != v
	}
	if _, flag := v.(bool); p.secret || (p.plural && !flag) {
		return Mask, true
	}
	return v, false
}

func (d *differ) maskMapping(p place, m map[string]any) (any, bool) {
	out, masked := make(map[string]any, len(m)), false
	for key, v := range m {
		child, hidden := d.mask(d.child(p, key, m, nil), v)
		out[key], masked = child, masked || hidden
	}
	return out, masked
}

func (d *differ) maskList(p place, list []any) (any, bool) {
	out, masked := make([]any, len(list)), false
	for i, v := range list {
		at := p.item("")
		at.secret = p.secret || d.flagged(list, i)
		child, hidden := d.mask(at, v)
		out[i], masked = child, masked || hidden
	}
	return out, masked
}

// scrubber finds values of the Secrets at hand where they have no business.
type scrubber struct{ replacer *strings.Replacer }

func (s scrubber) text(text string) string {
	if s.replacer == nil {
		return text
	}
	return s.replacer.Replace(text)
}

// Values shorter than these are words rather than secrets: replacing them
// would spoil what is shown, and tell by that what they are.
const (
	minSecret    = 16
	minSensitive = 8
)

func newScrubber(hidden []string, sides ...[]gitops.Manifest) scrubber {
	values := map[string]bool{}
	for _, v := range hidden {
		if v != "" {
			values[v] = true
		}
	}
	for _, all := range sides {
		for _, m := range all {
			if isSecret(m.Object.Object) {
				collect(values, m.Object.Object)
			}
		}
	}
	if len(values) == 0 {
		return scrubber{}
	}
	found := make([]string, 0, len(values))
	for v := range values {
		found = append(found, v)
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	pairs := make([]string, 0, 2*len(found))
	for _, v := range found {
		pairs = append(pairs, v, Mask)
	}
	return scrubber{strings.NewReplacer(pairs...)}
}

// collect adds the values of a Secret, plain and in base64.
func collect(values map[string]bool, secret map[string]any) {
	folded := map[string]any{"data": secret["data"], "stringData": secret["stringData"]}
	foldSecret(folded)
	data, _ := folded["data"].(map[string]any)
	for key, v := range data {
		text, _ := v.(string)
		plain := strings.TrimSpace(text)
		if len(plain) < minSecret && (len(plain) < minSensitive || !Sensitive(key)) {
			continue
		}
		values[plain] = true
		for _, form := range []string{text, plain, plain + "\n"} {
			values[base64.StdEncoding.EncodeToString([]byte(form))] = true
		}
	}
}

package generate

import (
	"io"
	"strings"

	"github.com/valyala/fasttemplate"
)

// fastTexts replaces {{key}} by the text of that key. A key that is unknown, or
// whose value is no text, stays as it is written, spaces and all:
// repositories rely on it.
type fastTexts struct {
	parsed kept[*fasttemplate.Template]
	limit  int
	total  *budget
	lacks  *lacks
	// mark makes fences; empty for none.
	mark string
}

func newFastTexts(limits Limits, total *budget, l *lacks) *fastTexts {
	return &fastTexts{limit: limits.Text, total: total, lacks: l}
}

func (f *fastTexts) fenced(mark string) renderer {
	out := newFastTexts(Limits{Text: f.limit}, f.total, f.lacks)
	out.mark = mark
	return out
}

func (f *fastTexts) render(text string, p Params) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	parsed, ok := f.parsed.texts[text]
	if !ok {
		var err error
		if parsed, err = parseFast(text); err != nil {
			return "", err
		}
		f.parsed.keep(text, parsed, perText+2*len(text)+perTag*strings.Count(text, "{{"))
	}
	if parsed == nil {
		return text, nil
	}
	out := limitedBuffer{limit: f.limit}
	_, err := parsed.ExecuteFunc(&out, func(w io.Writer, tag string) (int, error) {
		key := strings.TrimSpace(tag)
		f.lacks.ask(key)
		if value, ok := p[key].(string); ok && key != "" {
			return f.put(w, value)
		}
		f.lacks.miss(key)
		return f.put(w, "{{"+tag+"}}")
	})
	if err != nil {
		return "", errorf("cannot render %s: %w", excerpt(text), err)
	}
	return out.String(), f.total.spend(out.Len())
}

func (f *fastTexts) put(w io.Writer, value string) (int, error) {
	if f.mark != "" {
		value = f.mark + string(asText) + value + f.mark
	}
	return io.WriteString(w, value)
}

// perTag is what a placeholder takes of memory, in bytes: the text before it, and its key.
const perTag = 64

// parseFast returns nil for a text that is no template: one without a whole
// {{…}} on any single line.
func parseFast(text string) (*fasttemplate.Template, error) {
	if !hasPlaceholder(text) {
		return nil, nil
	}
	parsed, err := fasttemplate.NewTemplate(text, "{{", "}}")
	if err != nil {
		return nil, errorf("cannot parse %s: a {{ is not closed", excerpt(text))
	}
	return parsed, nil
}

func hasPlaceholder(text string) bool {
	for line := range strings.Lines(text) {
		if _, after, ok := strings.Cut(line, "{{"); ok && strings.Contains(after, "}}") {
			return true
		}
	}
	return false
}

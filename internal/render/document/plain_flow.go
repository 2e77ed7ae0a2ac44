package document

import "strings"

// flow reads a mapping or list in braces or brackets that ends where the text does.
func (p *plain) flow(text string) (any, bool) {
	value, rest, ok := p.inFlow(text)
	return value, ok && rest == ""
}

// inFlow reads what a text in flow style begins with, and gives what comes after it.
func (p *plain) inFlow(text string) (value any, rest string, ok bool) {
	if text == "" {
		return nil, "", false
	}
	switch text[0] {
	case '{':
		return p.flowMapping(text[1:])
	case '[':
		return p.flowList(text[1:])
	case '"', '\'':
		end := strings.IndexByte(text[1:], text[0]) + len(`""`)
		if end < len(`""`) {
			return nil, "", false
		}
		value, ok = quoted(text[:end])
		return value, text[end:], ok
	}
	end := strings.IndexAny(text, ",]}")
	if end < 0 || strings.ContainsAny(text[:end], `:#?&*!|>[{'"%@=`+"`") {
		return nil, "", false
	}
	value, ok = scalar(strings.TrimRight(text[:end], " "))
	return value, text[end:], ok
}

func (p *plain) flowMapping(text string) (any, string, bool) {
	out := map[string]any{}
	rest, ok := p.flowParts(text, '}', func(text string) (string, bool) {
		p.text = text
		key, ok := p.key()
		if _, twice := out[key]; !ok || twice || p.text[0] != ' ' {
			return "", false
		}
		value, rest, ok := p.inFlow(strings.TrimLeft(p.text, " "))
		out[key] = value
		return rest, ok
	})
	return out, rest, ok
}

func (p *plain) flowList(text string) (any, string, bool) {
	out := []any{}
	rest, ok := p.flowParts(text, ']', func(text string) (string, bool) {
		value, rest, ok := p.inFlow(text)
		out = append(out, value)
		return rest, ok
	})
	return out, rest, ok
}

// flowParts reads what is between commas, up to the sign that ends it. One part at least
// stands before each comma, and after it.
func (p *plain) flowParts(text string, end byte, part func(string) (rest string, ok bool)) (string, bool) {
	if p.depth++; p.depth > maxPlainDepth {
		return "", false
	}
	defer func() { p.depth-- }()
	if text = strings.TrimLeft(text, " "); text != "" && text[0] == end {
		return text[1:], true
	}
	for {
		rest, ok := part(text)
		p.parts++
		if rest = strings.TrimLeft(rest, " "); !ok || rest == "" || !p.counts() || p.parts > maxFlowParts {
			return "", false
		}
		if rest[0] == end {
			return rest[1:], true
		}
		if rest[0] != ',' {
			return "", false
		}
		text = strings.TrimLeft(rest[1:], " ")
	}
}

package document

import "bytes"

// Part is the text of one document.
type Part struct {
	Text []byte
	// Line is the first line of Text in the whole, from 1; blank lines and
	// comments at its start are left out.
	Line int
}

var bom = []byte{0xEF, 0xBB, 0xBF}

// Split cuts a text at the lines that are YAML document separators.
func Split(text []byte) []Part { return split(text, separates) }

// splitLoose also cuts where text follows the dashes without a space: a
// template that trims its white space away leaves such lines.
func splitLoose(text []byte) []Part { return split(text, separatesLoosely) }

func split(text []byte, separates func(rest []byte) bool) []Part {
	text = bytes.TrimPrefix(text, bom)
	var parts []Part
	start, line, first := 0, 1, 1
	cut := func(end int) {
		if p, ok := trim(text[start:end], first); ok {
			parts = append(parts, p)
		}
	}
	for at := 0; at < len(text); line++ {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if rest, ok := bytes.CutPrefix(text[at:end], []byte("---")); ok && separates(rest) {
			cut(at)
			start, first = at+len("---"), line
		}
		at = end
	}
	cut(len(text))
	return parts
}

func separates(rest []byte) bool {
	return len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n'
}

func separatesLoosely(rest []byte) bool {
	// A line of more dashes is a certificate's or a heading's, no separator.
	return separates(rest) || rest[0] != '-'
}

// trim leaves out leading blank lines and comments; ok is false when nothing is left.
func trim(text []byte, line int) (Part, bool) {
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			end = len(text) - 1
		}
		content := bytes.TrimSpace(text[:end+1])
		if len(content) > 0 && content[0] != '#' {
			return Part{Text: text, Line: line}, true
		}
		text = text[end+1:]
		line++
	}
	return Part{}, false
}

package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

const (
	// leastRepeated is how long a value is, in bytes, to be looked for in what a server
	// says: shorter ones are in words.
	leastRepeated = 4
	// repeatedHead is how much of a value is known as such where the rest was cut off.
	repeatedHead = 16
)

// Repeated is what a server said that was told values, with the mask in place of what it
// repeats of them: as they are, in one line, quoted, in JSON, also JSON within JSON, and in
// base64; values that are JSON objects also by their fields, and keys by their lines. Of a
// long value, its beginning is enough, since servers cut what they repeat.
func Repeated(text string, values [][]byte) string {
	r := repeated{text: text}
	for _, value := range values {
		r.value(value)
	}
	return r.masked()
}

// repeated are the places of values in a text.
type repeated struct {
	text   string
	places [][2]int
}

func (r *repeated) value(value []byte) {
	r.one(value)
	if trimmed := bytes.TrimSpace(value); len(trimmed) > 0 && trimmed[0] == '{' {
		var object map[string]any
		if json.Unmarshal(trimmed, &object) == nil {
			r.fields(object)
		}
	}
}

// fields looks for the texts in an object.
func (r *repeated) fields(of any) {
	switch of := of.(type) {
	case string:
		r.one([]byte(of))
	case []any:
		for _, one := range of {
			r.fields(one)
		}
	case map[string]any:
		for _, one := range of {
			r.fields(one)
		}
	}
}

// one looks for a value in its forms. No more of it is looked for than the text may hold.
func (r *repeated) one(value []byte) {
	plain := bytes.TrimSpace(value)
	if len(plain) < leastRepeated {
		return
	}
	lines := gathering{texts: map[string]bool{}}
	lines.addLines(string(plain))
	for line := range lines.texts {
		r.find(line)
	}
	const room, shrinks, whole = 1 << 10, 4, 3 // of base64, three bytes are four letters
	most := (room + shrinks*len(r.text)) * whole
	value, plain = value[:min(len(value), most)], plain[:min(len(plain), most)]
	for _, form := range []string{string(plain), strings.Join(strings.Fields(string(plain)), " ")} {
		r.find(form)
		r.find(unquoted(strconv.Quote(form)))
		for _, escaped := range []string{inText(form), inJSON.Replace(inText(form))} {
			r.find(escaped)
			r.find(inText(escaped))
		}
	}
	for _, form := range [][]byte{value, plain, slices.Concat(plain, []byte("\n"))} {
		r.find(base64.StdEncoding.EncodeToString(form))
	}
}

// inText is a text as JSON has it, without the quotes.
func inText(text string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return text
	}
	return unquoted(strings.TrimSpace(out.String()))
}

func unquoted(text string) string { return text[1 : len(text)-1] }

// find notes where a form is, or begins.
func (r *repeated) find(form string) {
	head := form[:min(len(form), repeatedHead)]
	for from := 0; head != ""; {
		at := strings.Index(r.text[from:], head)
		if at < 0 {
			return
		}
		from += at
		length := len(head)
		for length < len(form) && from+length < len(r.text) && form[length] == r.text[from+length] {
			length++
		}
		r.places = append(r.places, [2]int{from, from + length})
		from += length
	}
}

func (r *repeated) masked() string {
	if len(r.places) == 0 {
		return r.text
	}
	slices.SortFunc(r.places, func(a, b [2]int) int { return a[0] - b[0] })
	var out strings.Builder
	done := 0
	for i := 0; i < len(r.places); {
		begin, end := r.places[i][0], r.places[i][1]
		for i++; i < len(r.places) && r.places[i][0] < end; i++ {
			end = max(end, r.places[i][1])
		}
		out.WriteString(r.text[done:begin])
		out.WriteString(Mask)
		done = end
	}
	out.WriteString(r.text[done:])
	return out.String()
}

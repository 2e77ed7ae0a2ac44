package redact

import (
	"regexp"
	"strings"
)

// assigned is a key and what stands between it and its value, also inside of JSON
// that is itself a text of JSON.
var assigned = regexp.MustCompile(`([A-Za-z0-9_.-]+)(\\*["']?[ \t]*(?:=>|:=|[:=])[ \t]*)`)

var (
	// indicator begins a block of YAML, which is masked by then.
	indicator = regexp.MustCompile(`^(?:[&!]\S*[ \t]+)*[|>][-+0-9]*\s*(#.*)?$`)
	// attached are a tag and an anchor of YAML before a value.
	attached  = regexp.MustCompile(`^(?:[&!]\S*[ \t]+)+`)
	beginning = regexp.MustCompile(`^[\s"'#;-]*$`)
)

// maskAssignments masks what is assigned to sensitive keys inside a text, also where
// that is itself the value of another key: a connection string, options of a program.
// What it does is in proportion to the length of the text, whatever that is.
func maskAssignments(text string) string {
	var out strings.Builder
	var l line
	done, passed, word := 0, 0, 0
	for _, at := range assigned.FindAllStringSubmatchIndex(text, -1) {
		a := assignment{text: text, key: text[at[2]:at[3]], sign: text[at[4]:at[5]], value: at[1]}
		l.reach(text, at[0], at[1])
		switch {
		case at[0] < passed, at[0] < word && a.sign == ":" && !a.quotes():
			continue // done with, or a part of an image, an address or an identifier
		case !Sensitive(a.key):
			if at[0] >= word {
				word = a.wordEnd()
			}
			continue
		}
		a.line = l
		end := a.end()
		if passed = max(a.value, end); end <= a.value {
			continue
		}
		if n, ok := harmless(text[a.value:end]); ok {
			passed = a.value + n
			continue
		}
		out.WriteString(text[done:a.value])
		out.WriteString(Mask)
		done = end
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// line is where a line begins and ends, for places that come one after the other: a
// long one is looked through once.
type line struct {
	begin, looked int
	// end is where the line of a value ends, and full the same without blanks.
	end, full int
	// first is for a key that is the first word of its line.
	first bool
	// single and double are how many quotes stand before a value in its line.
	single, double int
}

// maxIndent is how far from the beginning of its line a key may stand and be its first word.
const maxIndent = 256

// reach goes on to a key and its value.
func (l *line) reach(text string, key, value int) {
	passed := text[l.looked:value]
	if i := strings.LastIndexByte(passed, '\n'); i >= 0 {
		l.begin, l.single, l.double = l.looked+i+1, 0, 0
		passed = passed[i+1:]
	}
	for i := range len(passed) {
		at := l.looked + len(text[l.looked:value]) - len(passed) + i
		if at > 0 && text[at-1] == '\\' {
			continue
		}
		switch passed[i] {
		case '\'':
			l.single++
		case '"':
			l.double++
		}
	}
	l.looked = value
	if value >= l.end {
		l.end = len(text)
		if i := strings.IndexByte(text[value:], '\n'); i >= 0 {
			l.end = value + i
		}
		l.full = value + len(strings.TrimRight(text[value:l.end], " \t\r"))
	}
	l.first = key-l.begin < maxIndent && key >= l.begin && beginning.MatchString(text[l.begin:key])
}

// assignment is a key in a text, the sign after it, and where its value begins.
type assignment struct {
	text, key, sign string
	value           int
	line            line
}

// quotes reports whether a quote follows, which may end another one.
func (a assignment) quotes() bool {
	rest := a.text[a.value:]
	return rest != "" && strings.ContainsRune("\"'\\", rune(rest[0]))
}

// closes reports whether the quote that follows ends one in which the key stands, as in
// a question for a password: it is left with nothing behind it.
func (a assignment) closes() bool {
	rest := a.text[a.value:a.line.end]
	if rest == "" || rest[0] == '"' && a.line.double%2 == 0 || rest[0] == '\'' && a.line.single%2 == 0 || rest[0] != '"' && rest[0] != '\'' {
		return false
	}
	return len(rest) == 1 || strings.IndexByte(" \t\r,;)}]>|&", rest[1]) >= 0
}

// wordEnd is where the value of another key ends, in which only certain signs assign.
func (a assignment) wordEnd() int {
	rest := a.text[a.value:]
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		if i := strings.IndexAny(rest[1:], rest[:1]+"\n"); i >= 0 && rest[1+i] != '\n' {
			return a.value + 1 + i
		}
	}
	if i := strings.IndexAny(rest, " \t\r\n,;}]&"); i >= 0 {
		return a.value + i
	}
	return len(a.text)
}

// end is where the value of a sensitive key ends: with its quotes, its line or its word.
func (a assignment) end() int {
	rest := a.text[a.value:max(a.value, a.line.full)]
	switch {
	case rest == "", strings.ContainsRune(",;}]", rune(rest[0])), a.closes():
		return a.value
	case rest[0] == '&' && a.sign == "=":
		return a.value // the next parameter of an address
	case a.maps() && rest[0] == '{' && !strings.HasPrefix(rest, "{{"):
		return a.value // its keys are judged by themselves
	case a.maps() && a.line.first && indicator.MatchString(rest):
		return a.value
	}
	start := a.value
	if a.maps() && (rest[0] == '&' || rest[0] == '!') {
		start += len(attached.FindString(rest[:min(len(rest), maxIndent)]))
	}
	if n := a.quoted(start); n > 0 {
		return start + n
	}
	if a.line.first && a.takesLine() {
		return a.value + len(rest)
	}
	return start + wordLength(a.text[start:a.value+len(rest)])
}

// quoted is how long a value in quotes is: lines end it, but for the first word of one.
func (a assignment) quoted(start int) int {
	if a.line.first {
		return quoted(a.text[start:])
	}
	return quoted(a.text[start:a.line.end])
}

// maps reports whether the sign is that of YAML and JSON.
func (a assignment) maps() bool {
	sign := strings.TrimLeft(a.sign, "\\\"' \t")
	return strings.HasPrefix(sign, ":") && !strings.HasPrefix(sign, ":=")
}

// takesLine reports whether a value ends with its line, as in YAML and properties. In
// JSON, in a shell, and after a flag, it ends with its word.
func (a assignment) takesLine() bool {
	blank := strings.ContainsAny(a.sign, " \t")
	if strings.ContainsAny(a.sign, "\"'") {
		return false
	}
	if strings.HasPrefix(strings.TrimLeft(a.sign, " \t"), ":") {
		return blank
	}
	return blank || a.key[0] != '-' && strings.ContainsAny(a.key, ".-")
}

// maxReference is how long a reference in braces may be to belong to a word as a whole.
const maxReference = 256

func wordLength(text string) int {
	for i := 0; i < len(text); i++ {
		if strings.HasPrefix(text[i:], "${") {
			if end := strings.IndexByte(text[i:min(len(text), i+maxReference)], '}'); end >= 0 {
				i += end
				continue
			}
		}
		if i > 0 && strings.IndexByte(" \t\r,;}]&", text[i]) >= 0 {
			return i
		}
	}
	return len(text)
}

// quoted is the length of a text in quotes with them, 0 for another text. One that does
// not end is cut, and all that is left of it is a secret. Inside of texts of JSON
// quotes have backslashes: of those in front of a quote, the number says whose it is.
func quoted(text string) int {
	depth := len(text) - len(strings.TrimLeft(text, `\`))
	if depth == len(text) || (text[depth] != '"' && text[depth] != '\'') {
		return 0
	}
	quote, slashes := text[depth], 0
	if triple := strings.Repeat(string(quote), 3); depth == 0 && strings.HasPrefix(text, triple) {
		if end := strings.Index(text[3:], triple); end >= 0 {
			return end + 6
		}
	}
	for i := depth + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			slashes++
			continue
		case quote:
			if slashes%(2*depth+2) != depth {
				break
			}
			if quote == '"' || depth > 0 || i+1 == len(text) || text[i+1] != quote {
				return i + 1
			}
			i++ // two stand for one, as in YAML
		}
		slashes = 0
	}
	return len(text)
}

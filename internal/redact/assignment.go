package redact

import (
	"regexp"
	"strings"
)

// assigned is a key and what stands between it and its value, also inside of JSON
// that is itself a text of JSON.
var assigned = regexp.MustCompile(`([A-Za-z0-9_.-]+)(\\*["']?[ \t]*(?:=>|:=|[:=])[ \t]*)`)

// What names a secret, or is none.
var (
	plainWord = regexp.MustCompile(`^(true|false|null|~|yes|no|[0-9]{1,6}|%\w+%|\$\{(env:)?[A-Za-z0-9_.]*\}?|\$\([^)]*\)?|\{\{.*)?$`)
	comment   = regexp.MustCompile(`\s+#.*$`)
	// indicator begins a block of YAML, which is masked by then.
	indicator = regexp.MustCompile(`^(?:[&!]\S*[ \t]+)*[|>][-+0-9]*\s*(#.*)?$`)
	attached  = regexp.MustCompile(`^(?:[&!]\S*[ \t]+)+`)
	beginning = regexp.MustCompile(`^[\s"'#;-]*$`)
)

// maskAssignments masks what is assigned to sensitive keys inside a text, also where
// that is itself the value of another key: a connection string, options of a program.
func maskAssignments(text string) string {
	var out strings.Builder
	var l line
	done, passed, word := 0, 0, 0
	for _, at := range assigned.FindAllStringSubmatchIndex(text, -1) {
		a := assignment{text: text, key: text[at[2]:at[3]], sign: text[at[4]:at[5]], value: at[1]}
		switch {
		case at[0] < passed, at[0] < word && a.sign == ":" && !a.opens():
			continue // done with, or a part of an image, an address or an identifier
		case !Sensitive(a.key):
			if at[0] >= word {
				word = a.wordEnd()
			}
			continue
		}
		a.first, a.line = l.at(text, at[0], at[1])
		end := a.end()
		passed = max(end, at[1])
		if end <= a.value || harmless(text[a.value:end]) {
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
type line struct{ begin, looked, end int }

// maxIndent is how far from the beginning of its line a key may stand and be its first word.
const maxIndent = 256

// at is whether a key is the first word of its line, and where the line of its value ends.
func (l *line) at(text string, key, value int) (first bool, end int) {
	if i := strings.LastIndexByte(text[l.looked:key], '\n'); i >= 0 {
		l.begin = l.looked + i + 1
	}
	l.looked = key
	if value >= l.end {
		l.end = len(text)
		if i := strings.IndexByte(text[value:], '\n'); i >= 0 {
			l.end = value + i
		}
	}
	return key-l.begin < maxIndent && beginning.MatchString(text[l.begin:key]), l.end
}

// assignment is a key in a text, the sign after it, and where its value begins.
type assignment struct {
	text, key, sign string
	value           int
	// first is a key with which a line begins; line is where that of the value ends.
	first bool
	line  int
}

// opens reports whether the value is in quotes.
func (a assignment) opens() bool {
	rest := a.text[a.value:]
	return rest != "" && strings.ContainsRune("\"'\\", rune(rest[0]))
}

// wordEnd is where the value of another key ends, in which only certain signs assign.
func (a assignment) wordEnd() int {
	rest := a.text[a.value:]
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		if i := strings.IndexAny(rest[1:], rest[:1]+"\n"); i >= 0 {
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
	rest := strings.TrimRight(a.text[a.value:a.line], " \t\r")
	if rest == "" || strings.ContainsRune(",;}]", rune(rest[0])) || indicator.MatchString(rest) {
		return a.value
	}
	if rest[0] == '&' && a.sign == "=" {
		return a.value // the next parameter of an address
	}
	start := a.value + len(attached.FindString(rest))
	if n := quoted(a.text[start:]); n > 0 {
		return start + n
	}
	if a.first && a.takesLine() {
		return a.value + len(rest)
	}
	return start + wordLength(a.text[start:a.value+len(rest)])
}

// takesLine reports whether a value ends with its line, as in YAML and properties. In
// a shell, and after a flag, it ends with its word.
func (a assignment) takesLine() bool {
	if strings.HasPrefix(strings.TrimLeft(a.sign, "\\\"' \t"), ":") {
		return strings.ContainsAny(a.sign, " \t")
	}
	return strings.ContainsAny(a.sign, " \t") || a.key[0] != '-' && strings.ContainsAny(a.key, ".-")
}

func wordLength(text string) int {
	last := strings.LastIndexByte(text, '}')
	for i := 0; i < len(text); i++ {
		switch {
		case i < last && strings.HasPrefix(text[i:], "${"):
			i += strings.IndexByte(text[i:], '}')
		case i > 0 && strings.IndexByte(" \t\r,;}]&", text[i]) >= 0:
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

// harmless values name a secret, or are none.
func harmless(value string) bool {
	value = comment.ReplaceAllString(value, "")
	value = strings.Trim(strings.TrimSpace(value), `\"'`)
	return plainWord.MatchString(value) && (!strings.HasPrefix(value, "{{") || !strings.Contains(value, "default"))
}

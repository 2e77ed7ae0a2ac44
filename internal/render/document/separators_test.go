package document

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSeparators cuts a text where YAML does, and the output of templates where
// white space was trimmed away, too.
func TestSeparators(t *testing.T) {
	type part struct {
		Text string
		Line int
	}
	for name, tc := range map[string]struct {
		reason, text  string
		strict, loose []part // loose is nil where both are the same
	}{
		"Nothing":  {"an empty text", "", nil, nil},
		"Blank":    {"nor is there anything in white space, comments and separators", " \n# c\n---\n  # d\n\n---", nil, nil},
		"One":      {"without a line end", "a", []part{{"a", 1}}, nil},
		"Space":    {"what follows a separator and a space is content", "--- a\n---\tb\n", []part{{" a\n", 1}, {"\tb\n", 2}}, nil},
		"Comment":  {"or a comment", "--- # c\na\n", []part{{"a\n", 2}}, nil},
		"End":      {"a separator may end the text", "a\n---", []part{{"a\n", 1}}, nil},
		"Return":   {"lines may end as on Windows", "a\r\n---\r\nb", []part{{"a\r\n", 1}, {"b", 3}}, nil},
		"Indented": {"what is indented separates nothing", "a: |\n ---\n b\n", []part{{"a: |\n ---\n b\n", 1}}, nil},
		"Dashes":   {"nor does a line of more dashes", "a: |\n-----BEGIN\n----\n", []part{{"a: |\n-----BEGIN\n----\n", 1}}, nil},
		"Item":     {"nor an item of a list", "- a\n-- b\n", []part{{"- a\n-- b\n", 1}}, nil},
		"Run":      {"only templates leave text behind the dashes", "a\n---b\n", []part{{"a\n---b\n", 1}}, []part{{"a\n", 1}, {"b\n", 2}}},
		"RunFirst": {"also at the start", "---a", []part{{"---a", 1}}, []part{{"a", 1}}},
		"Mark":     {"a byte order mark is none of the text", "\xef\xbb\xbf---\na", []part{{"a", 2}}, nil},
		"MarkLost": {"but within it", "a\n\xef\xbb\xbf---\nb", []part{{"a\n\xef\xbb\xbf---\nb", 1}}, nil},
		"Lead":     {"the line is that of the content", "\n\n# c\n a\n\n---\n\n\n# d\nb", []part{{" a\n\n", 4}, {"b", 10}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			loose := tc.loose
			if loose == nil {
				loose = tc.strict
			}
			for how, want := range map[string][]part{"strict": tc.strict, "loose": loose} {
				split := map[string]func([]byte) []Part{"strict": Split, "loose": splitLoose}[how]
				var got []part
				for _, p := range split([]byte(tc.text)) {
					got = append(got, part{string(p.Text), p.Line})
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("%s (%s):\n%s", tc.reason, how, d)
				}
			}
		})
	}
}

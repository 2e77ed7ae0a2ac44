package audit

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// texts are all texts of a value of JSON.
func texts(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			out = append(out, texts(item)...)
		}
	case map[string]any:
		for _, item := range v {
			out = append(out, texts(item)...)
		}
	}
	return out
}

// TestNobodyFillsTheAuditWithOneText: whichever of the texts that people send is long, what
// is kept of it is bounded, on one line, and no half of a letter.
func TestNobodyFillsTheAuditWithOneText(t *testing.T) {
	long := " " + strings.Repeat("é\n\x1b", 4000)
	e := &Entry{
		Time: at, Who: Who{long, long, long, long}, From: Origin{long, long, long}, Verb: long, Resource: long, Project: long, Namespace: long, Name: long, Cluster: long,
		Changes: []Change{{long, long, long}}, Reason: long, Message: long, Operation: long, Trace: long,
	}
	_, text, err := Link(e, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	all := texts(fields)
	if len(all) < 20 {
		t.Errorf("only %d texts are tried", len(all))
	}
	for _, text := range all {
		if len(text) > mostMessage || !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) || strings.ContainsFunc(text, unicode.IsControl) || strings.HasPrefix(text, " ") {
			t.Errorf("%d bytes are kept: %.40q", len(text), text)
		}
	}
}

// TestTextsAreCutBetweenLetters, and only where they are too long.
func TestTextsAreCutBetweenLetters(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text, want string }{
		"Fits":    {"it may be as long as that", strings.Repeat("a", 12), strings.Repeat("a", 12)},
		"Longer":  {"what is left out shows", strings.Repeat("a", 13), strings.Repeat("a", 9) + "…"},
		"Letters": {"a letter of several bytes is there or not", "a" + strings.Repeat("é", 6), "a" + strings.Repeat("é", 4) + "…"},
		"Wide":    {"however many it has", "aaaaaaa😀😀", "aaaaaaa…"},
		"Broken":  {"what is no text is marked as such before it is measured", "a\xff\xff\xffb", "a\uFFFDb"},
		"Blanks":  {"blanks at its ends do not count", "\t  aaaaaaaaaaaa \n", strings.Repeat("a", 12)},
		"Nothing": {"and nothing is nothing", " \u2028\x00 ", ""},
	} {
		if got := cut(tc.text, 12); got != tc.want {
			t.Errorf("%s: %s: got %q, want %q", name, tc.reason, got, tc.want)
		}
	}
}

// TestCondensedEntries have the digest of what they would have had, which tells it apart
// from anything else, and count what they leave out.
func TestCondensedEntries(t *testing.T) {
	of := func(more int64, changes ...Change) Entry {
		t.Helper()
		e := entry("a")
		e.Changes, e.More = changes, more
		out, err := e.Condensed()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	one, two := Change{Path: "/a", New: "1"}, Change{Path: "/b", Old: "1"}
	base := of(0, one, two)
	if len(base.Changes) != 0 || base.More != 2 || base.Digest == "" || base.Name != "a" {
		t.Errorf("it is %+v", base)
	}
	for name, changes := range map[string][]Change{"Order": {two, one}, "Less": {one}, "Other": {one, {Path: "/b", New: "1"}}, "None": nil} {
		if got := of(0, changes...); got.Digest == base.Digest || got.More != int64(len(changes)) {
			t.Errorf("%s: it is told as %+v", name, got)
		}
	}
	many := make([]Change, mostChanges+7)
	if got := of(3, many...); got.More != mostChanges+7+3 {
		t.Errorf("of %d changes, and 3 that were left out before, it counts %d", len(many), got.More)
	}
	// It is the digest of what the entry would have had, so whoever has that can tell.
	long := Change{Path: "/c", New: strings.Repeat("x", 2*mostValue)}
	whole := (&Entry{Changes: []Change{long}}).Bounded()
	written, err := json.Marshal(whole.Changes)
	if err != nil || of(0, long).Digest != Hash(written) {
		t.Errorf("the digest is not that of %s: %v", written, err)
	}
}

// TestDetailsAreWhatIsKept of changes, so that nobody is charged with what is cut off.
func TestDetailsAreWhatIsKept(t *testing.T) {
	huge := Change{Path: strings.Repeat("p", 5000), Old: strings.Repeat("o", 5000), New: strings.Repeat("n", 5000)}
	for want, changes := range map[int][]Change{
		0:                            nil,
		5:                            {{Path: "/a", New: "123"}},
		mostName + 2*mostValue:       {huge},
		mostChanges:                  make([]Change, 0, mostChanges),
		(mostName + 2*mostValue) * 2: {huge, huge},
	} {
		if want == mostChanges {
			for range 2 * mostChanges {
				changes = append(changes, Change{Path: "/"})
			}
		}
		if got := (&Entry{Changes: changes}).Details(); got != want {
			t.Errorf("%d changes take %d bytes, want %d", len(changes), got, want)
		}
	}
}

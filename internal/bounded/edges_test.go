package bounded

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// TestAlternativesAreCounted: as many as a pattern has with its braces written out, and at least so many where
// libraries do not agree.
func TestAlternativesAreCounted(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, pattern string
		want            int
	}{
		"None":     {"a pattern without braces is one", "apps/*/values.yaml", 1},
		"Empty":    {"and so is none", "", 1},
		"Group":    {"each comma makes one more", "{a,b,c}", 3},
		"Alone":    {"a group of one is one", "{a}", 1},
		"Nothing":  {"an alternative may be nothing", "{,}", 2},
		"Two":      {"two groups multiply", "{a,b}{c,d,e}", 6},
		"Within":   {"so do groups in one another, at most", "{a,{b,c}}", 4},
		"Outside":  {"a comma outside is a letter", "a,b,{c,d}", 2},
		"Unopened": {"what closes nothing closes nothing", "}}{a,b}", 2},
		"Unclosed": {"what is not closed is no group", "{a,b", 1},
		"Bracket":  {"in brackets a brace is a letter, for some", "[{]{a,b}", 4},
		"Escaped":  {"and behind a backslash", `\{a,b,c}`, 3},
		"Most":     {"up to the bound", "{" + strings.Repeat("a,", mostAlternatives-1) + "a}", mostAlternatives},
		"Beyond":   {"and one more", "{" + strings.Repeat("a,", mostAlternatives) + "a}", mostAlternatives + 1},
	} {
		got := alternatives(tc.pattern)
		if got != tc.want || (Pattern(tc.pattern) == nil) != (tc.want <= mostAlternatives) {
			t.Errorf("%s: %s: %d of %.40q, want %d; %v", name, tc.reason, got, tc.pattern, tc.want, Pattern(tc.pattern))
		}
	}
	for text, fine := range map[string]bool{strings.Repeat("é", mostPattern/2): true, strings.Repeat("é", mostPattern/2) + "a": false} {
		if err := Pattern(text); (err == nil) != fine || err != nil && len(err.Error()) > 300 {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
}

// TestDepthsAreNeverLess: what may be deeper than a bound is told so, and what certainly is not passes.
func TestDepthsAreNeverLess(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text string
		depth        int // the least bound that it passes
	}{
		"Nothing":   {"no text is not deep", "", 0},
		"Brackets":  {"brackets in one another", "[[[1]]]", 3},
		"Beside":    {"and not those beside them", "[1],{2},[3]", 1},
		"Both":      {"of both kinds", `{"a": [{"b": 1}]}`, 3},
		"Closed":    {"what closes nothing makes nothing less deep", "]]]]{", 1},
		"Lines":     {"a line is as deep as it may begin", "a:\n  - - b", 6},
		"Blanks":    {"any blank counts", "\t\t:x", 3},
		"Added":     {"brackets that are open count with the next line", "[[\n  1", 4},
		"Windows":   {"so it is in any writing of lines", "[[\r  1", 4},
		"Separator": {"also in those of Unicode", "[[\u2028  1", 4},
		"Text":      {"brackets of a text count as well", `"[[["`, 3},
	} {
		for _, most := range []int{tc.depth - 1, tc.depth, tc.depth + 1} {
			if most >= 0 && MayBeDeeper([]byte(tc.text), most) != (most < tc.depth) {
				t.Errorf("%s: %s: %q may be deeper than %d: %t", name, tc.reason, tc.text, most, most >= tc.depth)
			}
		}
	}
}

// TestBodiesInParts: a bound is one of all reads together, and what is over stays over.
func TestBodiesInParts(t *testing.T) {
	over := errors.New("it goes on")
	for _, part := range []int{1, 2, 3, 7, 100} {
		body := Body(io.NopCloser(strings.NewReader(strings.Repeat("x", 10))), 7, over)
		var got bytes.Buffer
		var err error
		for err == nil {
			p := make([]byte, part)
			n, read := body.Read(p)
			got.Write(p[:n])
			err = read
		}
		if n, again := body.Read(make([]byte, 1)); got.Len() != 7 || !errors.Is(err, over) || n != 0 || !errors.Is(again, over) {
			t.Errorf("by %d bytes: %d are read, %v, then %d, %v", part, got.Len(), err, n, again)
		}
	}
	empty := Body(io.NopCloser(strings.NewReader("")), 0, over)
	if n, err := empty.Read(make([]byte, 5)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("an empty answer of none that are permitted: %d, %v", n, err)
	}
}

// TestBudgetsAreShared: what one took is gone for the next, and a budget that is used up stays so.
func TestBudgetsAreShared(t *testing.T) {
	var none *Budget
	if err := none.Take(math.MaxInt); err != nil {
		t.Errorf("no budget refuses: %v", err)
	}
	b := NewBytes(10)
	for i, tc := range []struct {
		reason string
		take   int
		fine   bool
	}{
		{"some of it", 4, true}, {"nothing", 0, true}, {"all that is left", 6, true}, {"nothing of nothing", 0, true}, {"one more", 1, false}, {"again", 1, false},
	} {
		if err := b.Take(tc.take); (err == nil) != tc.fine {
			t.Errorf("%d, %s: %v", i, tc.reason, err)
		}
	}
	if err := b.Again().Take(10); err != nil {
		t.Errorf("one that begins again has nothing: %v", err)
	}
}

package engine

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNumbersOfLists: a step that leads nowhere gives none, and the end of all numbers ends a list.
func TestNumbersOfLists(t *testing.T) {
	const last, first = 1<<63 - 1, -1 << 63
	for name, tc := range map[string]struct {
		reason            string
		start, stop, step int
		want              []int
	}{
		"Up":      {"the end is not in it", 0, 3, 1, []int{0, 1, 2}},
		"Over":    {"nor what is beyond it", 0, 5, 3, []int{0, 3}},
		"Down":    {"downwards as well", 3, 0, -2, []int{3, 1}},
		"Nowhere": {"without a step", 0, 3, 0, []int{}},
		"Away":    {"away from the end", 0, 3, -1, []int{}},
		"There":   {"the end is the start", 3, 3, 1, []int{}},
		"Last":    {"behind the last number comes none", last - 1, last, 5, []int{last - 1}},
		"First":   {"nor one before the first", first + 3, first, -2, []int{first + 3, first + 1}},
		"All":     {"a step as long as all of them", first, last, last, []int{first, -1, last - 1}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := begun(t, Limits{}).between(tc.start, tc.stop, tc.step)
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%s: %v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

// TestTextsThatWouldGrow are refused before they are made: a text at the bound is given, and the next larger one is not.
func TestTextsThatWouldGrow(t *testing.T) {
	s := begun(t, Limits{Text: 1000})
	long := strings.Repeat("a", 500)
	for name, tc := range map[string]struct {
		reason         string
		within, beyond func() (string, error)
		length         int
	}{
		"Repeat":  {"as often as it is said", func() (string, error) { return s.repeat(2, long) }, func() (string, error) { return s.repeat(3, long) }, 1000},
		"Indent":  {"each line is moved", func() (string, error) { return s.indent(499, "a\n") }, func() (string, error) { return s.indent(500, "a\n") }, 1000},
		"Replace": {"each place becomes longer", func() (string, error) { return s.replace("b", "cc", long+"b") }, func() (string, error) { return s.replace("a", "ccc", long) }, 502},
		"Empty":   {"nothing is between all letters", func() (string, error) { return s.replace("", "-", "abc") }, func() (string, error) { return s.replace("", "--", long) }, 7},
		"Join":    {"what stands between items counts", func() (string, error) { return s.join(long, []any{"", "", ""}) }, func() (string, error) { return s.join(long, []any{"", "", "", ""}) }, 1000},
		"JoinOf":  {"lists of other types have items, too", func() (string, error) { return s.join("-", []string{"a", "b"}) }, func() (string, error) { return s.join(long, []string{"", "", "", ""}) }, 3},
	} {
		t.Run(name, func(t *testing.T) {
			if text, err := tc.within(); err != nil || len(text) != tc.length {
				t.Errorf("%s: %d bytes, %v", tc.reason, len(text), err)
			}
			if text, err := tc.beyond(); err == nil || text != "" || !strings.Contains(err.Error(), "would become larger than") {
				t.Errorf("%s: beyond the bound %d bytes, %v", tc.reason, len(text), err)
			}
		})
	}
}

// TestValuesThatAreRequired: only nothing and an empty text are missing, as for Helm; the chart says what to set.
func TestValuesThatAreRequired(t *testing.T) {
	required, _ := newState(nil).verdicts()["required"].(func(string, any) (any, error))
	for _, v := range []any{0, false, 0.0, []any{}, map[string]any{}, " ", []any(nil)} {
		if _, err := required("set it", v); err != nil {
			t.Errorf("%#v is missing: %v", v, err)
		}
	}
	for _, v := range []any{nil, ""} {
		if _, err := required("set it", v); err == nil || err.Error() != "set it" {
			t.Errorf("%#v is there: %v", v, err)
		}
	}
}

// TestTextsThatCannotBeRead say so in their value, beside what was read of them, as templates look for it there.
func TestTextsThatCannotBeRead(t *testing.T) {
	s := begun(t, Limits{})
	for name, tc := range map[string]struct {
		reason, function, text string
		keys                   int
		broken                 bool
	}{
		"YAML":   {"a map", "fromYaml", "a: 1\nb: 2", 2, false},
		"Null":   {"nothing is no error", "fromYaml", "null", 0, false},
		"List":   {"a list is no map", "fromYaml", "- a", 1, true},
		"Twice":  {"a text of two documents has the first", "fromJson", `{"a": 1} {"b": 2}`, 1, true},
		"Broken": {"a map that does not end", "fromJson", `{"a": 1`, 1, true},
		"TOML":   {"a table", "fromToml", "[a]\nb = 1", 1, false},
		"NoTOML": {"a key without a value", "fromToml", "a =", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			read, ok := s.decoders()[tc.function].(func(string) (map[string]any, error))
			if !ok {
				t.Fatal("it is another function")
			}
			got, err := read(tc.text)
			if _, broken := got["Error"]; err != nil || broken != tc.broken || len(got) != tc.keys {
				t.Errorf("%s: %v, %v", tc.reason, got, err)
			}
		})
	}
}

// TestPartsOfListsHaveNoRoom: what is appended to a part writes over nothing.
func TestPartsOfListsHaveNoRoom(t *testing.T) {
	whole := []byte("abc")
	part, ok := clipped(whole[:1]).([]byte)
	if _ = append(part, 'X'); !ok || string(whole) != "abc" || string(part) != "a" {
		t.Errorf("it is %q of %q", part, whole)
	}
	if clipped(nil) != nil || clipped("abc") != "abc" {
		t.Error("what is no list is changed")
	}
}

// TestTextsOfTOMLEnd at the bound, however many tables lie in one another.
func TestTextsOfTOMLEnd(t *testing.T) {
	s := begun(t, Limits{Text: 100})
	if text, err := s.marshalTOML(map[string]any{"a": strings.Repeat("x", 93)}); err != nil || len(text) != 100 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if text, err := s.marshalTOML(map[string]any{"a": strings.Repeat("x", 94)}); err == nil || len(text) > 100 {
		t.Errorf("one byte more: %d bytes, %v", len(text), err)
	}
}

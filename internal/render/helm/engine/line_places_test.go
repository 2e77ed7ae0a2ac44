package engine

import (
	"slices"
	"testing"
)

// TestLinesOfOutput: a line of output comes from the line of the template that wrote its beginning, also where
// what text/template writes for nothing was taken out before it.
func TestLinesOfOutput(t *testing.T) {
	const none = noValue
	for name, tc := range map[string]struct {
		reason  string
		text    string
		records []record
		want    string
		lines   []int // of the lines 1, 2, 3 and so on
	}{
		"Nothing":   {"nobody wrote it", "a\nb", nil, "a\nb", []int{0, 0}},
		"Empty":     {"there is nothing", "", []record{{0, 5, true}}, "", []int{5}},
		"Text":      {"lines of a text are lines of the template", "a\nb\nc", []record{{0, 5, true}}, "a\nb\nc", []int{5, 6, 7}},
		"Action":    {"those of an action are all of its line", "a\nb\nc", []record{{0, 5, false}}, "a\nb\nc", []int{5, 5, 5}},
		"Both":      {"one after the other", "a\nb\nc", []record{{0, 1, true}, {2, 9, false}}, "a\nb\nc", []int{1, 9, 9}},
		"Within":    {"who begins a line wrote it", "a\nbc\nd", []record{{0, 1, true}, {3, 9, false}, {4, 2, true}}, "a\nbc\nd", []int{1, 2, 3}},
		"Before":    {"what is before the first is of nobody", "a\nb", []record{{2, 3, true}}, "a\nb", []int{0, 3}},
		"Taken out": {"what is taken out moves what follows", none + "\na\n" + none + "b", []record{{0, 1, false}, {len(none), 1, true}, {len(none) + 3, 3, false}}, "\na\nb", []int{1, 2, 3}},
		"In one":    {"a record inside of what is taken out is where it was", "x" + none + "y\nz", []record{{0, 1, true}, {3, 4, true}}, "xy\nz", []int{1, 5}},
		"Twice":     {"also twice in a row", none + none + "\n" + none + "z", []record{{0, 1, false}, {2*len(none) + 1, 7, false}}, "\nz", []int{1, 7}},
		"All":       {"and all of it", none, []record{{0, 3, false}}, "", []int{3}},
		"Beyond":    {"behind the end is the last line", "a\n", []record{{0, 1, true}}, "a\n", []int{1, 2, 2, 2}},
		"Letters":   {"places are of bytes", "é\nö", []record{{0, 1, true}, {3, 8, false}}, "é\nö", []int{1, 8}},
	} {
		t.Run(name, func(t *testing.T) {
			o := Output{Text: tc.text, records: slices.Clone(tc.records)}
			o.dropNoValue()
			asked := make([]int, len(tc.lines))
			for i := range asked {
				asked[i] = i + 1
			}
			if got := o.Lines(asked); o.Text != tc.want || !slices.Equal(got, tc.lines) {
				t.Errorf("%s: %q with lines %v, want %v", tc.reason, o.Text, got, tc.lines)
			}
		})
	}
	if got := (&Output{Text: "a\nb\nc", records: []record{{0, 1, true}}}).Lines([]int{2, 3}); !slices.Equal(got, []int{2, 3}) {
		t.Errorf("some of the lines are %v", got)
	}
}

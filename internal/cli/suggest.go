package cli

import (
	"cmp"
	"fmt"
	"slices"
)

// didYouMean names the known name that is nearest to a wrong one, as the end
// of a sentence; nothing when none is near.
func didYouMean(wrong string, known []string) string {
	if near, ok := nearest(wrong, known); ok {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

func nearest(wrong string, known []string) (string, bool) {
	if len(known) == 0 {
		return "", false
	}
	best := slices.MinFunc(known, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance(wrong, a), distance(wrong, b)), cmp.Compare(a, b))
	})
	// A third of the letters may be wrong; more is another word.
	return best, distance(wrong, best) <= max(2, len(wrong)/3)
}

// distance counts the letters to insert, delete or replace between two names.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		corner := row[0]
		row[0] = i + 1
		for j := range y {
			step := corner
			if x[i] != y[j] {
				step++
			}
			corner = row[j+1]
			row[j+1] = min(step, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}

package gitops

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"
)

// DidYouMean names the known name that is nearest to a wrong one, as the end
// of a sentence; nothing when none is near.
func DidYouMean(wrong string, known []string) string {
	if near, ok := Nearest(wrong, known); ok {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// Nearest finds the known name that is nearest to a wrong one; ok is false
// when more than a third of its letters would have to change. Of very many
// names it looks at the first ones.
func Nearest(wrong string, known []string) (name string, ok bool) {
	known = known[:min(len(known), mostCompared)]
	if len(known) == 0 {
		return "", false
	}
	best := slices.MinFunc(known, func(a, b string) int {
		return cmp.Or(cmp.Compare(Distance(wrong, a), Distance(wrong, b)), cmp.Compare(a, b))
	})
	return best, Distance(wrong, best) <= max(2, len(wrong)/3)
}

// mostCompared bounds the names that one is compared with: those of whoever
// wrote a hundred thousand would take a second.
const mostCompared = 2000

// longestCompared bounds the work of comparing two names, in letters.
const longestCompared = 128

// Distance counts the letters to insert, delete or replace between two names;
// only the first 128 of each count.
func Distance(a, b string) int {
	const most = longestCompared * utf8.UTFMax
	x, y := []rune(a[:min(len(a), most)]), []rune(b[:min(len(b), most)])
	x, y = x[:min(len(x), longestCompared)], y[:min(len(y), longestCompared)]
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

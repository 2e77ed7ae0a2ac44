package table

import "github.com/charmbracelet/x/ansi"

// The least columns that cells are squeezed to, first while there is some room
// and then without: text of which a sentence's beginning can be read, or a few
// words; an address with its ends; a part of a name that goes on below.
const (
	fairProse, leastProse = 20, 16
	fairValue, leastValue = 16, 8
	leastKey              = 10
)

// fitted are the widths of the columns that keep rows within a width. Text at
// the end gives way first, then the longest values, and names last of all.
func (t Table) fitted(width int) []int {
	widths := t.widths()
	if width == 0 {
		return widths
	}
	for i := range widths { // no column is wider than the page
		widths[i] = min(widths[i], width)
	}
	last := len(widths) - 1
	prose := max(last, t.Keys)
	for _, squeeze := range []struct{ from, to, least int }{
		{prose, last + 1, fairProse},
		{t.Keys, last, fairValue},
		{prose, last + 1, leastProse},
		{t.Keys, last, leastValue},
		{0, min(t.Keys, last+1), leastKey},
	} {
		t.shrink(widths, squeeze.from, squeeze.to, squeeze.least, width)
	}
	return widths
}

// widths are those that all cells have room in.
func (t Table) widths() []int {
	widths := make([]int, len(t.Header))
	for _, row := range append([][]string{t.Header}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	return widths
}

// shrink takes from the widest of some columns, until the row fits or each has
// only what it needs at least.
func (t Table) shrink(widths []int, from, to, least, width int) {
	for excess := total(widths) - width; excess > 0; excess-- {
		widest := -1
		for i := from; i < to; i++ {
			if widths[i] > max(least, ansi.StringWidth(t.Header[i])) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

func total(widths []int) int {
	sum := gap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

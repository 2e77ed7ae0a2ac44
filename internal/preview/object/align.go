package object

import (
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/treediff"
)

// maxAlign bounds the table of an alignment, in cells; longer lists are
// compared by position.
const maxAlign = 1 << 20

// align matches lists without keys so that an inserted item is one
// insertion: what both have in the same order stays, and what is left
// between is changed, item by item, as far as it goes.
func (d *differ) align(p place, a, b []any) (out pairs) {
	old, head := texts(p.shape.item(), a), texts(p.shape.item(), b)
	i, j := 0, 0
	for _, same := range append(common(old, head), [2]int{len(a), len(b)}) {
		out = append(out, d.gap(p, gap{a, i, same[0]}, gap{b, j, same[1]})...)
		i, j = same[0]+1, same[1]+1
	}
	return out
}

func texts(s shape, list []any) []string {
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = canon(s, item)
	}
	return out
}

// gap is the part of a list that the other list does not have.
type gap struct {
	list     []any
	from, to int
}

func (d *differ) gap(p place, a, b gap) (out pairs) {
	for ; a.from < a.to && b.from < b.to; a.from, b.from = a.from+1, b.from+1 {
		at := p.item(index(b.from))
		at.Place = d.mask.Item(at.Place, redact.Item{List: a.list, At: a.from}, redact.Item{List: b.list, At: b.from})
		out = append(out, treediff.Pair[place]{At: at, A: a.list[a.from], B: b.list[b.from]})
	}
	for i := a.from; i < a.to; i++ {
		at := p.item(index(i))
		at.Place = d.mask.Item(at.Place, redact.Item{List: a.list, At: i})
		out = append(out, treediff.Pair[place]{At: at, A: a.list[i]})
	}
	for i := b.from; i < b.to; i++ {
		at := p.item(index(i))
		at.Place = d.mask.Item(at.Place, redact.Item{List: b.list, At: i})
		out = append(out, treediff.Pair[place]{At: at, B: b.list[i]})
	}
	return out
}

// common returns the pairs of indices of a longest common subsequence.
func common(a, b []string) [][2]int {
	var out [][2]int
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		out = append(out, [2]int{start, start})
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	for _, pair := range longest(a[start:endA], b[start:endB]) {
		out = append(out, [2]int{start + pair[0], start + pair[1]})
	}
	for i := range len(a) - endA {
		out = append(out, [2]int{endA + i, endB + i})
	}
	return out
}

func longest(a, b []string) [][2]int {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	if len(a)*len(b) > maxAlign {
		return byPosition(a, b)
	}
	// length[i][j] is that of the longest one of a[i:] and b[j:].
	length := make([][]int32, len(a)+1)
	for i := range length {
		length[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
				continue
			}
			length[i][j] = max(length[i+1][j], length[i][j+1])
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

func byPosition(a, b []string) [][2]int {
	var out [][2]int
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			out = append(out, [2]int{i, i})
		}
	}
	return out
}

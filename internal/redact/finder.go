package redact

import (
	"math/bits"
	"slices"
	"strings"
)

// finder finds texts in others. It takes some tens of bytes for each of its texts
// besides what they have: a tree of their letters takes thousands.
type finder struct {
	// texts are sorted. Of each, within is the place of the longest other one that it
	// begins with; -1 for none.
	texts  []string
	within []int32
	// begins has a bit for the hash of each beginning, of as many bytes as all texts have.
	begins []uint64
	size   int
	shift  int
}

// maxBeginning is the length of the beginnings that are looked up: what is as long
// is seldom the beginning of something else.
const maxBeginning = 8

func newFinder(set map[string]bool) *finder {
	f := &finder{texts: make([]string, 0, len(set)), within: make([]int32, len(set)), size: maxBeginning}
	for text := range set {
		f.texts = append(f.texts, text)
		f.size = min(f.size, len(text))
	}
	slices.Sort(f.texts)
	f.shift = 64 - max(10, bits.Len(uint(len(set)))+4)
	f.begins = make([]uint64, 1<<(64-f.shift-6))
	for i, text := range f.texts {
		f.within[i] = f.beginning(i)
		bit := f.hash(text)
		f.begins[bit>>6] |= 1 << (bit & 63)
	}
	return f
}

// What may be compared for a text, in bytes: so much for each of its own, and some
// besides. Usual texts take a few. What takes more is made to, and masked as a whole.
const (
	workOfByte = 64
	workOfText = 4096
)

// masked is a text with the mask in place of each one that is looked for, from the
// left, the longest first.
func (f *finder) masked(text string) string {
	var out strings.Builder
	left := workOfText + workOfByte*len(text)
	done := 0
	for i := 0; i < len(text); {
		if !f.begun(text[i:]) {
			i++
			continue
		}
		length, work := f.longest(text[i:])
		if left -= work; left < 0 {
			return Mask
		}
		if length == 0 {
			i++
			continue
		}
		out.WriteString(text[done:i])
		out.WriteString(Mask)
		i += length
		done = i
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// beginning is the place of the longest text that another begins with, where that
// of all texts before it is known: such a one stands between the two, or the text
// just before begins with it, too.
func (f *finder) beginning(i int) int32 {
	at := int32(i - 1) //nolint:gosec // there are less than maxTexts
	for at >= 0 && !strings.HasPrefix(f.texts[i], f.texts[at]) {
		at = f.within[at]
	}
	return at
}

// hash is that of the beginning of a text that is long enough.
func (f *finder) hash(text string) uint64 {
	var word uint64
	for i := range f.size {
		word = word<<8 | uint64(text[i])
	}
	return word * 0x9E3779B97F4A7C15 >> f.shift
}

// begun reports whether a text may begin with one that is looked for.
func (f *finder) begun(text string) bool {
	if len(text) < f.size {
		return false
	}
	bit := f.hash(text)
	return f.begins[bit>>6]&(1<<(bit&63)) != 0
}

// longest is the length of the longest text that another begins with, 0 for none;
// work is how many bytes were compared.
func (f *finder) longest(text string) (length, work int) {
	low, high := 0, len(f.texts)  // the last text that is not greater is before high
	sharedLow, sharedHigh := 0, 0 // what those at the ends begin with alike
	for low < high {
		middle := int(uint(low+high) >> 1)
		from := min(sharedLow, sharedHigh)
		alike := from + shared(f.texts[middle][from:], text[from:])
		work += alike - from + 1
		if alike == len(f.texts[middle]) || alike < len(text) && f.texts[middle][alike] < text[alike] {
			low, sharedLow = middle+1, alike
		} else {
			high, sharedHigh = middle, alike
		}
	}
	for at := int32(low - 1); at >= 0; at = f.within[at] {
		work++
		if len(f.texts[at]) <= sharedLow {
			return len(f.texts[at]), work
		}
	}
	return 0, work
}

// shared is how many bytes two texts begin with alike.
func shared(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

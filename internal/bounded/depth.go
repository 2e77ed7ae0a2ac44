package bounded

// MostDepth is how many lists and mappings may lie in one another. Where each has a
// line of YAML, that of the deepest has as many blanks twice: a few bytes a level
// become their square when they are written.
const MostDepth = 500

// What the signs of a text are for its depth; all others are nothing.
const (
	endsLine = iota + 1
	leads
	opens
	closes
)

var forDepth = [256]uint8{
	'\n': endsLine, '\r': endsLine, 0x85: endsLine, 0xa8: endsLine, 0xa9: endsLine, // other line ends of YAML have these last
	' ': leads, '\t': leads, '-': leads, '?': leads, ':': leads,
	'[': opens, '{': opens, ']': closes, '}': closes,
}

// MayBeDeeper reports whether what a text of YAML or JSON becomes may have more lists
// and mappings in one another than so many: brackets inside of texts count as well, and
// so does what a line begins with.
func MayBeDeeper(text []byte, most int) bool {
	open := 0
	for i := 0; i < len(text); i++ {
		column := 0
		for i < len(text) && forDepth[text[i]] == leads {
			column, i = column+1, i+1
		}
		if open+column > most {
			return true
		}
		for ; i < len(text); i++ {
			sign := forDepth[text[i]]
			if sign == endsLine {
				break
			}
			switch sign {
			case opens:
				if open++; open+column > most {
					return true
				}
			case closes:
				open = max(0, open-1)
			}
		}
	}
	return false
}

package bounded

// MostDepth is how many lists and mappings may lie in one another. Where each has a
// line of YAML, that of the deepest has as many blanks twice: a few bytes a level
// become their square when they are written.
const MostDepth = 500

// MayBeDeeper reports whether what a text of YAML or JSON becomes may have more lists
// and mappings in one another than so many: brackets inside of texts count as well, and
// so does what a line begins with.
func MayBeDeeper(text []byte, most int) bool {
	open, column, leads := 0, 0, true
	for _, c := range text {
		switch c {
		case '\n', '\r', 0x85, 0xa8, 0xa9: // other line ends of YAML have these last
			column, leads = 0, true
			continue
		case ' ', '\t', '-', '?', ':':
		case '[', '{':
			open, leads = open+1, false
		case ']', '}':
			open, leads = max(0, open-1), false
		default:
			leads = false
		}
		if leads {
			column++
		}
		if open+column > most {
			return true
		}
	}
	return false
}

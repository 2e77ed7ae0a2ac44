package bounded

import "fmt"

const (
	mostPattern      = 4096 // bytes
	mostAlternatives = 1000
)

// Pattern refuses a glob whose alternatives are too many when they are written
// out, as "{a,b}{c,d}" is four: each is held against a name by itself, which
// cannot be stopped.
func Pattern(text string) error {
	if len(text) > mostPattern {
		return &Costly{fmt.Sprintf("the pattern %.40q… has more than %d bytes", text, mostPattern), "shorten it"}
	}
	var open []int // alternatives of each group
	all := 1
	for i := range len(text) {
		switch last := len(open) - 1; text[i] {
		case '{':
			open = append(open, 1)
		case ',':
			if last >= 0 {
				open[last]++
			}
		case '}':
			if last >= 0 {
				all *= open[last]
				open = open[:last]
			}
		}
		if all > mostAlternatives || len(open) > mostAlternatives {
			return &Costly{fmt.Sprintf("the pattern %.40q… has more than %d alternatives with its braces written out", text, mostAlternatives), "use fewer braces, or several patterns"}
		}
	}
	return nil
}

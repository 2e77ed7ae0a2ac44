package gitops

import (
	"strconv"
	"strings"
)

// Count is a number of things for people: "1 object", "2 objects".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// More says how many things are not named: "and 3 more".
func More(n int) string { return "and " + strconv.Itoa(n) + " more" }

// AndMore ends a text that names the first of some things: " and 3 more"; empty
// where there are no more.
func AndMore(n int) string {
	if n <= 0 {
		return ""
	}
	return " " + More(n)
}

// Listed joins the first of some names, and says how many more there are.
func Listed(names []string, most int) string {
	return strings.Join(names[:min(len(names), most)], ", ") + AndMore(len(names)-most)
}

// Few are the first of some texts, and a last one that says how many more there
// are.
func Few(texts []string, most int) []string {
	return FewOf(texts, most, func(text string) string { return text })
}

// FewOf are the texts of the first of some things, and a last one that says how
// many more there are: nil where there is nothing.
func FewOf[T any](all []T, most int, text func(T) string) []string {
	var out []string
	for _, one := range all[:min(len(all), most)] {
		out = append(out, text(one))
	}
	if more := len(all) - most; more > 0 {
		out = append(out, More(more))
	}
	return out
}

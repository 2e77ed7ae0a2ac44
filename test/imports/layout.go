package imports

import (
	"regexp"
	"strings"
)

// folder is one of a line of a layout; those after the first may leave out what
// they are in.
var folder = regexp.MustCompile(`^([\w.-]+)/(?:<\w+>/)?\s+`)

// Layout reads which folders of one the block below the heading Layout of a page
// names. Its lines begin with folders, and then say what those are for:
//
//	internal/plan/ apply/    the stages
func Layout(page, of string) map[string]bool {
	named := map[string]bool{}
	_, page, _ = strings.Cut(page, "\n## Layout\n")
	_, page, _ = strings.Cut(page, "```\n")
	page, _, _ = strings.Cut(page, "```\n")
	for line := range strings.Lines(page) {
		rest, ok := strings.CutPrefix(line, of+"/")
		if !ok {
			continue
		}
		for m := folder.FindStringSubmatch(rest); m != nil; m = folder.FindStringSubmatch(rest) {
			named[m[1]] = true
			rest = rest[len(m[0]):]
		}
	}
	return named
}

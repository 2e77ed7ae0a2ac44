package difference

import "github.com/causeway-gitops/causeway/internal/glob"

// pattern matches groups, kinds and clusters, as rules of Argo CD write them.
type pattern struct {
	text string
	glob *glob.Pattern
}

// newPattern compiles a pattern; one that cannot be read matches its own text alone.
func newPattern(text string) pattern {
	compiled, err := glob.Compile(text)
	if err != nil {
		return pattern{text: text}
	}
	return pattern{text: text, glob: compiled}
}

func (p pattern) match(s string) bool {
	return p.text == s || p.glob != nil && p.glob.Match(s)
}

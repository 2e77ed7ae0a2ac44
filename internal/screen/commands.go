package screen

import "unicode"

// commands keeps the lines of a text from being commands to the program that
// runs a job and reads its output. Those are a line that begins with two colons
// (GitHub, Gitea, Forgejo), and two number signs with a word or none and a
// bracket, wherever they stand (Azure Pipelines, TeamCity, GitHub's former).
// They set variables and search paths of the steps that follow.
//
// Source: docs.github.com "Workflow commands for GitHub Actions", learn.microsoft.com
// "Logging commands", jetbrains.com "Service messages".
type commands struct {
	// within is whether the line has more than blanks, colons how many of them it begins with.
	within bool
	colons int
	// signs are the number signs right before, and the letters after them.
	signs, letters int
}

// mostLetters is how long the name of a runner is at most.
const mostLetters = 32

// next is what a character becomes: a mark where it would complete the sign of a command.
func (c *commands) next(r rune) rune {
	if c.begins(r) || c.calls(r) {
		return mark
	}
	return r
}

// begins reports whether a character is the second colon of two at the
// beginning of a line. Blanks before them do not count, as runners trim them.
func (c *commands) begins(r rune) bool {
	switch {
	case r == '\n':
		c.within, c.colons = false, 0
	case c.within:
	case r == ':':
		c.colons++
		c.within = c.colons == 2
		return c.within
	case c.colons > 0 || !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r):
		c.within = true
	}
	return false
}

// calls reports whether a character is the bracket after two number signs and a word.
func (c *commands) calls(r rune) bool {
	switch {
	case r == '#':
		if c.letters > 0 {
			c.signs = 0
		}
		c.signs, c.letters = min(c.signs+1, 2), 0
	case c.signs == 2 && r == '[':
		c.signs, c.letters = 0, 0
		return true
	case c.signs == 2 && c.letters < mostLetters && (unicode.IsLetter(r) || unicode.Is(unicode.Cf, r)):
		c.letters++
	default:
		c.signs, c.letters = 0, 0
	}
	return false
}

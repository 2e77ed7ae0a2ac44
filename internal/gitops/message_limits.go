package gitops

import "unicode/utf8"

// mostCondition bounds what a condition says, in bytes: the definitions of
// kinds take 32,768 characters.
const mostCondition = 16 << 10

// Condition is a text as the message of a condition may have it.
func Condition(text string) string { return First(text, mostCondition) }

// First is the beginning of a text, of so many bytes at most and at a whole
// character, with … where there was more: of what others wrote, no message
// repeats all.
func First(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := max(most, 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

package generate

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// slugLength leaves room in a DNS label for what names are joined with.
const slugLength = 50

// longestBranch is more than a file system takes of a branch, in bytes.
const longestBranch = 4096

// inSlug are characters that have a spelling of their own in a slug.
var inSlug = strings.NewReplacer(
	"&", "and", "@", "at", `"`, "", "'", "", "’", "", "_", "-",
	"ß", "ss", "æ", "ae", "Æ", "AE", "œ", "oe", "Œ", "OE", "ø", "o", "Ø", "O", "đ", "d", "Đ", "D",
	"ł", "l", "Ł", "L", "þ", "th", "Þ", "Th", "ð", "d", "Ð", "D", "ı", "i",
)

// branchSlug makes a part of a DNS label of a branch's name: lower case, words
// joined by single dashes, at most 50 characters and cut between words where
// that is possible. Letters with marks lose them; letters of other scripts
// than Latin become dashes.
func branchSlug(branch string) string {
	branch = branch[:min(len(branch), longestBranch)] // of some scripts a sign becomes many
	plain := strings.Map(withoutMark, norm.NFKD.String(inSlug.Replace(strings.TrimSpace(branch))))
	slug := manyDashes.ReplaceAllString(notInSlug.ReplaceAllString(strings.ToLower(plain), "-"), "-")
	return cutSlug(strings.Trim(slug, "-_"), slugLength, true)
}

func withoutMark(r rune) rune {
	if unicode.Is(unicode.Mn, r) {
		return -1
	}
	return r
}

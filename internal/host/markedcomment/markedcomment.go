// Package markedcomment is about comments that are found again by a marker: an HTML
// comment that readers of the page do not see.
//
// It talks to no host.
package markedcomment

import (
	"strings"
	"unicode/utf8"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Marker is the marker of the comment with a name. Comments that are there
// already are found by this form: it stays.
func Marker(name string) string { return "<!-- causeway:preview:" + name + " -->" }

// Body is the text of a comment with its marker. A host's limit counts
// characters; 0 is none.
func Body(marker, markdown string, limit int) (string, error) {
	if !strings.HasPrefix(marker, "<!--") || !strings.HasSuffix(marker, "-->") || strings.ContainsAny(marker, "\r\n") {
		return "", gitops.Problemf(gitops.Invalid, "cannot comment with the marker %q: it is no HTML comment on one line", marker).Do(`write the marker like "<!-- causeway:preview -->"`)
	}
	body := markdown
	if !In(markdown, marker) {
		body = marker + "\n" + markdown
	}
	if n := utf8.RuneCountInString(body); limit > 0 && n > limit {
		return "", gitops.Problemf(gitops.Invalid, "cannot comment: the text has %d characters, and the host takes %d", n, limit).Do("write a shorter text")
	}
	return body, nil
}

// In reports whether a comment begins with the marker. What stands below may be
// of anybody: a reply that quotes the comment, or the diff in another comment.
func In(body, marker string) bool {
	return strings.HasPrefix(strings.TrimLeft(body, " \t"), marker)
}

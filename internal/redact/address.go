package redact

import (
	"regexp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// address is one inside a text: a URL, or what has a password before its host.
var address = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://\S*|[^\s/'"]+:\S*@\S*`)

// Addresses is a text, as git's, with its addresses as gitops.PublicAddress shows them: git
// leaves passwords out of most of its messages, but not of all.
func Addresses(text string) string { return address.ReplaceAllStringFunc(text, gitops.PublicAddress) }

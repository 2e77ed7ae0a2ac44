package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// digestBytes is how much of the hash names a list: enough that no two lists
// have one name, and short enough to be copied.
const digestBytes = 16

// Digest names a list of deletions. It does not depend on their order.
func Digest(names []string) string {
	sorted := slices.Sorted(slices.Values(names))
	h := sha256.New()
	for _, name := range slices.Compact(sorted) {
		h.Write([]byte(name))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:digestBytes])
}

// Approval lets one list of deletions go for a time.
type Approval struct {
	Digest string
	Until  time.Time
	// By is who approves, as they say themselves; may be empty.
	By string
}

// String is the value of the annotation: "<digest>;until=<time in RFC 3339>",
// and ";by=<name>" where somebody says so.
func (a Approval) String() string {
	text := a.Digest + ";until=" + a.Until.UTC().Format(time.RFC3339)
	if by := nameOnly(a.By); by != "" {
		text += ";by=" + by
	}
	return text
}

// mostOfName bounds what is kept of the name of a person, in bytes.
const mostOfName = 200

// nameOnly is a name without what would end it, or is no text.
func nameOnly(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == ';' || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.TrimSpace(name))
	return strings.TrimSpace(strings.ToValidUTF8(name[:min(len(name), mostOfName)], ""))
}

// ApprovedBy is what follows "approved" for people: by whom, as an annotation
// says. Whoever may write it may name anybody, so that no name is a proof.
func ApprovedBy(annotation string) string {
	a, err := ParseApproval(annotation)
	if err != nil || a.By == "" {
		return " by somebody who is not named"
	}
	return " by " + gitops.Unverified(a.By)
}

// ParseApproval reads an annotation.
func ParseApproval(text string) (Approval, error) {
	digest, rest, _ := strings.Cut(text, ";")
	rest, by, _ := strings.Cut(rest, ";")
	until, ok := strings.CutPrefix(strings.TrimSpace(rest), "until=")
	a := Approval{Digest: strings.TrimSpace(digest), By: nameOnly(strings.TrimPrefix(strings.TrimSpace(by), "by="))}
	at, err := time.Parse(time.RFC3339, strings.TrimSpace(until))
	if !ok || err != nil || len(a.Digest) != 2*digestBytes || by != "" && !strings.HasPrefix(strings.TrimSpace(by), "by=") {
		return Approval{}, gitops.Problemf(gitops.Invalid, "cannot read the approval in the annotation %s", gitops.AnnotationDeletionApproval).
			Do("write DIGEST;until=TIME, with a time such as 2026-01-31T18:00:00Z")
	}
	a.Until = at
	return a, nil
}

// Approves reports whether an annotation lets the list of a digest go now. When
// it does not, it tells why; there is no reason to tell without an annotation.
func Approves(annotation, digest string, now time.Time) (ok bool, why string) {
	if annotation == "" {
		return false, ""
	}
	a, err := ParseApproval(annotation)
	switch {
	case err != nil:
		return false, err.Error()
	case a.Digest != digest:
		return false, "the approval that was given is for another list, " + a.Digest + ": look at what has changed, and approve again"
	case !now.Before(a.Until):
		return false, "the approval that was given has expired at " + a.Until.UTC().Format(time.RFC3339)
	}
	return true, ""
}

package gitops

import "strings"

// Unverified is who asked for an operation, as people are told, where anybody
// may have written the name; one that is known is told as it is.
func Unverified(name string) string {
	if name == "" {
		return ""
	}
	return name + unverified
}

const unverified = " (unverified)"

// Verified tells of who asked for an operation whether it is known who that is.
func Verified(initiator string) bool {
	return initiator != "" && !strings.HasSuffix(initiator, unverified)
}

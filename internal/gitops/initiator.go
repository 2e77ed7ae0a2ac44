package gitops

import "strings"

// Initiator is who asked for an operation, as people are told. A name that
// anybody may have written is said to be unverified.
func Initiator(name string, known bool) string {
	if name == "" || known {
		return name
	}
	return name + unverified
}

const unverified = " (unverified)"

// Verified tells of an Initiator whether it is known who that is.
func Verified(initiator string) bool {
	return initiator != "" && !strings.HasSuffix(initiator, unverified)
}

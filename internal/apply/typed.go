package apply

import "strings"

// isTyped tells that server-side apply cannot read the object: a field that
// the schema does not have, or two elements of a list with the same key.
func isTyped(err error) bool {
	return strings.Contains(err.Error(), "failed to create typed patch object")
}

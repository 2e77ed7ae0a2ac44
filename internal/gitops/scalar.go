package gitops

// IsScalar reports whether a value of a decoded document is neither a mapping nor
// a list.
func IsScalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

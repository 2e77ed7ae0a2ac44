package difference

// trimmed drops from live the fields of maps that desired does not have, also
// in the elements of lists. Elements beyond the end of desired's list stay:
// they are a difference.
func trimmed(desired, live map[string]any) map[string]any {
	out := make(map[string]any, len(desired))
	for key, want := range desired {
		if have, ok := live[key]; ok {
			out[key] = trimmedValue(want, have)
		}
	}
	return out
}

func trimmedValue(desired, live any) any {
	switch want := desired.(type) {
	case map[string]any:
		if have, ok := live.(map[string]any); ok {
			return trimmed(want, have)
		}
	case []any:
		if have, ok := live.([]any); ok {
			return trimmedList(want, have)
		}
	}
	return live
}

func trimmedList(desired, live []any) []any {
	out := make([]any, len(live))
	for i, have := range live {
		out[i] = have
		if i < len(desired) {
			out[i] = trimmedValue(desired[i], have)
		}
	}
	return out
}

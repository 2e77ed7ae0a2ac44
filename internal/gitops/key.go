package gitops

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
)

// CheckKey tells why a key can be no part of an API server's address: its name
// or namespace would lead elsewhere, as "../../other/secrets/x" would. An empty
// name is not its business. The error is a Problem without an origin.
func CheckKey(k Key) error {
	for _, part := range []struct{ field, value string }{{"name", k.Name}, {"namespace", k.Namespace}} {
		if wrong := content.IsPathSegmentName(part.value); len(wrong) > 0 {
			return Problemf(Invalid, "the %s %q of a %s cannot be used: it %s", part.field, cut(part.value), k.Kind, strings.Join(wrong, ", and ")).
				Do("correct metadata." + part.field)
		}
	}
	return nil
}

// mostOfValue bounds a value of a user's that a message repeats, in bytes.
const mostOfValue = 80

func cut(value string) string {
	if len(value) > mostOfValue {
		return value[:mostOfValue] + "…"
	}
	return value
}

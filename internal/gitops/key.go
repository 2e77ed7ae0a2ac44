package gitops

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Bounds of names in bytes. Those of nearly all kinds have 253 at most, and
// those of roles as many as one likes; those of namespaces and kinds are labels.
const (
	mostOfName      = 512
	mostOfNamespace = content.DNS1123LabelMaxLength
)

// CheckKey tells why a key can be no part of an API server's address: its name
// or namespace would lead elsewhere, as "../../other/secrets/x" would, or is
// longer than any that there is. An empty name is not its business. The error
// is a Problem without an origin.
func CheckKey(k Key) error {
	for _, part := range []struct {
		field, value string
		most         int
	}{{"name", k.Name, mostOfName}, {"namespace", k.Namespace, mostOfNamespace}} {
		if len(part.value) > part.most {
			return Problemf(Invalid, "the %s %q of a %s cannot be used: it has %d bytes, more than %d", part.field, First(part.value, mostOfValue), First(k.Kind, mostOfValue), len(part.value), part.most).
				Do("correct metadata." + part.field)
		}
		if wrong := content.IsPathSegmentName(part.value); len(wrong) > 0 {
			return Problemf(Invalid, "the %s %q of a %s cannot be used: it %s", part.field, First(part.value, mostOfValue), First(k.Kind, mostOfValue), strings.Join(wrong, ", and ")).
				Do("correct metadata." + part.field)
		}
	}
	return nil
}

// letters are those of kinds: of definitions they are labels, and API servers
// of others write names of Go.
var letters = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// CheckKind tells why no API server serves a kind: its group, version or name is
// none. An empty version is not its business. The error is a Problem without an
// origin.
func CheckKind(k schema.GroupVersionKind) error {
	switch {
	case k.Group != "" && len(content.IsDNS1123Subdomain(k.Group)) > 0:
		return Problemf(Invalid, "%q is no group of an API", First(k.Group, mostOfValue)).Do("correct apiVersion")
	case k.Version != "" && len(content.IsDNS1123Label(k.Version)) > 0:
		return Problemf(Invalid, "%q is no version of an API", First(k.Version, mostOfValue)).Do("correct apiVersion")
	case len(k.Kind) > content.DNS1123LabelMaxLength || !letters.MatchString(k.Kind):
		return Problemf(Invalid, "%q is no kind of an object", First(k.Kind, mostOfValue)).Do("correct kind")
	}
	return nil
}

// mostOfValue bounds a value of a user's that a message repeats, in bytes.
const mostOfValue = 80

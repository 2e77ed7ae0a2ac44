package redact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// secrecy is how much of a value is secret.
type secrecy int

const (
	none    secrecy = iota
	scalars         // what a list or mapping holds directly
	all             // everything below
)

// exempt objects name the fields of secrets as a matter of course, and hold
// no values under them: schemas, and those of External Secrets; where these hold
// some, holder tells.
func exempt(object map[string]any) bool {
	version, _ := object["apiVersion"].(string)
	group, _, _ := strings.Cut(version, "/")
	return group == "apiextensions.k8s.io" || group == groupSecrets || strings.HasSuffix(group, "."+groupSecrets)
}

// secrecyOf is how much of m[key] is secret.
func (m Masker) secrecyOf(p Place, in map[string]any, key string) secrecy {
	v, there := in[key]
	switch {
	case !there:
		return none
	case p.secret, p.annotations && slices.Contains(m.annotations, key), key == gitops.AnnotationLastApplied, IsSecret(in) && (key == "data" || key == "stringData"):
		return all
	case !p.tags && m.holder.holds(in, key):
		return all
	case m.exempt:
		return none
	case gitops.IsScalar(v):
		return scalarSecrecy(p, in, key, v)
	}
	if _, list := v.([]any); (list || strings.HasSuffix(key, "s")) && Sensitive(strings.TrimSuffix(key, "s")) {
		return scalars
	}
	return none
}

// references are fields that name something inside what may be secret.
var references = map[string]bool{"name": true, "namespace": true, "key": true, "kind": true, "type": true, "mountPath": true, "id": true, "enabled": true, "optional": true}

func scalarSecrecy(p Place, m map[string]any, key string, v any) secrecy {
	if _, flag := v.(bool); flag {
		return none
	}
	if Sensitive(key) || (p.plural && !references[key]) {
		return all
	}
	if key != "value" {
		return none
	}
	for _, field := range []string{"name", "key"} {
		if name, ok := m[field].(string); ok && Sensitive(name) {
			return all
		}
	}
	return none
}

var sensitiveEnd = regexp.MustCompile(`(password|passwd|pwd|passphrase|token|secret|privatekey|apikey|secretkey|accesskey|encryptionkey|signingkey|sharedkey|credential|credentials|dockerconfigjson|dockercfg|htpasswd|connectionstring|tlskey)$`)

// notSensitive names a Secret, and is shown. What ends in oauthSecret or in
// clickhouseSecret does not.
var notSensitive = regexp.MustCompile(`(existing|pull|checksum|tls|(^|[^o])(use|auth))[-_./ ]*secret$`)

// variable is the name of an environment variable, which holds a value and names no
// Secret: AUTH_SECRET.
var variable = regexp.MustCompile(`^[A-Z0-9_]*(AUTH|USE|TLS)_?SECRET$`)

var separators = strings.NewReplacer("-", "", "_", "", ".", "", "/", "", " ", "")

// Sensitive reports whether a value under this key, or at the end of this path,
// is likely a secret, so that it is not to be shown.
func Sensitive(key string) bool {
	lower := strings.ToLower(strings.TrimLeft(key, "-"))
	word := separators.Replace(lower)
	return sensitiveEnd.MatchString(word) && (variable.MatchString(key) || !notSensitive.MatchString(lower))
}

// flagged reports whether an item of a list of arguments is the value of the
// argument before it: --password hunter2.
func (m Masker) flagged(list []any, i int) bool {
	if m.exempt || i == 0 {
		return false
	}
	text, ok := list[i-1].(string)
	return ok && strings.HasPrefix(text, "-") && !strings.Contains(text, "=") && Sensitive(text)
}

package access

import (
	"encoding/json"
	"net/url"
	"strings"
)

// way is what decides who answers in the name of a server.
type way struct {
	Project, Proxy, NoProxy, Certificate string
	HasProxy, Insecure, PlainHTTP        bool
}

// Way names by whose word, and on what way, a server is reached: what came on one
// way is not to be believed, or seen, by who takes another. It is empty for what
// operators have read without words on the way, whatever signs in there, and is
// not changed by what signs in for a project. No secret is in it.
func (c Credential) Way() string {
	w := way{c.Project, withoutPassword(string(c.Proxy)), c.NoProxy, c.TLSCert, c.Proxy != "", c.Insecure, c.PlainHTTP}
	if w == (way{}) {
		return ""
	}
	text, err := json.Marshal(w)
	if err != nil {
		return "unknown" // cannot happen: only strings and booleans
	}
	return string(text)
}

// withoutPassword is the address of a proxy. Of one that is none nothing is kept
// that may be a password.
func withoutPassword(proxy string) string {
	u, err := url.Parse(proxy)
	if err != nil || u.Host == "" {
		return proxy[strings.LastIndexByte(proxy, '@')+1:]
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	return u.String()
}

package object

import (
	"net/url"
	"strings"
)

// SignsIn reports whether an address says who asks, which may be a token.
func SignsIn(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return strings.Contains(address, "@")
	}
	return u.User != nil
}

// HasPassword reports whether an address has a password, or may have one as far as
// it can be read. A user alone is part of the addresses of some hosts.
func HasPassword(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return strings.Contains(address, "://") && strings.Contains(address, "@")
	}
	_, has := u.User.Password()
	return has
}

// Anonymous is an address without who asks; empty where that cannot be told
// from the rest.
func Anonymous(address string) string {
	if !SignsIn(address) {
		return address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	u.User = nil
	return u.String()
}

package address

import (
	"net/netip"
	"strings"
)

// IsLoopback reports whether a host, with or without a port, is this machine.
func IsLoopback(host string) bool {
	name, _ := SplitPort(host)
	ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return strings.EqualFold(name, "localhost") || err == nil && ip.IsLoopback()
}

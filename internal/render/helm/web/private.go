package web

import (
	"context"
	"fmt"
	"net/netip"
	"syscall"
)

// closed are networks besides the private ones that are nobody's on the
// internet: carriers', tests', translated and multicast ones.
var closed = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2002::/16"),
}

// onlyPublic is asked with the address that a name was resolved to, right
// before the connection is made: a name cannot change its mind in between.
func onlyPublic(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return &refused{fmt.Errorf("%s is no address", address)}
	}
	if !public(at.Addr()) {
		return &refused{fmt.Errorf("the host has the private address %s", at.Addr().Unmap())}
	}
	return nil
}

func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	for _, p := range closed {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

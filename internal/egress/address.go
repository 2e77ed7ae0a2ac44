package egress

import (
	"net/netip"
	"slices"
)

// closed are networks besides the private ones that are nobody's on the
// internet: carriers', tests', translated, tunnelled and multicast ones, and
// those that clouds keep for themselves within their customers' networks.
var closed = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("34.118.224.0/20"), // services of GKE's clusters
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("168.63.129.16/32"), // Azure's own server in each network
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("fec0::/10"),
}

// Public reports whether an address is one of the internet.
func Public(a netip.Addr) bool {
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

// credentials are networks besides the link's own on which clouds tell a machine who it is.
var credentials = []netip.Prefix{
	netip.MustParsePrefix("100.100.100.200/32"), // Alibaba Cloud
	netip.MustParsePrefix("168.63.129.16/32"),   // Azure
	netip.MustParsePrefix("fd00:ec2::/32"),      // AWS
}

// translated are networks whose addresses lead to one of IPv4 in their last four bytes.
var translated = []netip.Prefix{netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b::/96")}

// Local reports whether an address is one of the machine itself or of its link,
// where clouds give away the machine's credentials.
func Local(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() { // also loopback, link-local, multicast and none at all
		return true
	}
	holds := func(p netip.Prefix) bool { return p.Contains(a) }
	if slices.ContainsFunc(translated, holds) {
		b := a.As16()
		return Local(netip.AddrFrom4([4]byte(b[12:])))
	}
	return slices.ContainsFunc(credentials, holds) || a.Is4() && a.As4()[0] == 0
}

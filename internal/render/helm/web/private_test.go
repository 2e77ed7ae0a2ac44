package web

import (
	"net/netip"
	"testing"
)

func TestPublic(t *testing.T) {
	cases := map[string]bool{
		"93.184.216.34": true, "2606:2800:220:1::1": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.20.0.1": false, "192.168.1.1": false, "169.254.169.254": false, "0.0.0.0": false,
		"100.64.1.1": false, "224.0.0.1": false, "255.255.255.255": false, "::1": false, "::": false, "fe80::1": false, "fd00:ec2::254": false,
		"::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "64:ff9b::a9fe:a9fe": false, "2002:7f00:1::": false,
	}
	for address, want := range cases {
		if got := public(netip.MustParseAddr(address)); got != want {
			t.Errorf("public(%s) is %v", address, got)
		}
	}
}

package egress

import (
	"net/netip"
	"testing"
)

func TestPublic(t *testing.T) {
	cases := map[string]bool{
		"93.184.216.34": true, "2606:2800:220:1::1": true, "34.118.223.255": true, "168.63.129.17": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.20.0.1": false, "192.168.1.1": false, "169.254.169.254": false, "0.0.0.0": false,
		"100.64.1.1": false, "100.100.100.200": false, "224.0.0.1": false, "255.255.255.255": false, "168.63.129.16": false, "34.118.224.1": false,
		"::1": false, "::": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "fd00:ec2::254": false,
		"::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false, "::127.0.0.1": false, "64:ff9b::a9fe:a9fe": false, "2001:0:1::1": false, "2002:7f00:1::": false,
	}
	for address, want := range cases {
		if got := Public(netip.MustParseAddr(address)); got != want {
			t.Errorf("Public(%s) is %v", address, got)
		}
	}
}

func TestLocal(t *testing.T) {
	cases := map[string]bool{
		"127.0.0.1": true, "127.9.9.9": true, "0.0.0.0": true, "0.0.0.1": true, "169.254.169.254": true, "224.0.0.1": true, "255.255.255.255": true,
		"100.100.100.200": true, "168.63.129.16": true, "::1": true, "::": true, "fe80::1%eth0": true, "ff02::1": true, "fd00:ec2::254": true,
		"::ffff:127.0.0.1": true, "::ffff:169.254.169.254": true, "::127.0.0.1": true, "64:ff9b::a9fe:a9fe": true,
		"93.184.216.34": false, "10.1.2.3": false, "172.20.0.1": false, "192.168.1.1": false, "100.64.1.1": false, "64:ff9b::5db8:d822": false,
		"2606:2800:220:1::1": false, "fd00:1::1": false, "::ffff:10.1.2.3": false,
	}
	for address, want := range cases {
		if got := Local(netip.MustParseAddr(address)); got != want {
			t.Errorf("Local(%s) is %v", address, got)
		}
	}
}

package address

import "testing"

func TestIsLoopback(t *testing.T) {
	tests := map[string]struct {
		reason, host string
		want         bool
	}{
		"Name":    {"its own name", "localhost:5000", true},
		"Capital": {"case does not matter", "LocalHost", true},
		"IPv4":    {"all of the network", "127.1.2.3", true},
		"IPv6":    {"in brackets, with a port", "[::1]:5000", true},
		"Other":   {"another machine", "10.0.0.1:5000", false},
		"Like":    {"a name that begins so", "localhost.example.com", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := IsLoopback(tc.host); got != tc.want {
				t.Errorf("%s: %v", tc.reason, got)
			}
		})
	}
}

package client

import (
	"strings"
	"testing"
)

// An address is what paths can be put behind. What browsers show behind it would swallow them,
// and each request would be one for the first page.
func TestAddressesOfServers(t *testing.T) {
	for given, want := range map[string]string{
		"https://causeway.example.com":         "https://causeway.example.com",
		"causeway.example.com:8443":            "https://causeway.example.com:8443",
		"HTTPS://causeway.example.com//":       "https://causeway.example.com",
		"https://example.com/causeway/":        "https://example.com/causeway",
		"http://[::1]:7080":                    "http://[::1]:7080",
		"https://causeway.example.com/#":       "https://causeway.example.com",
		"https://causeway.example.com/#/apps":  "",
		"https://causeway.example.com/?":       "",
		"https://causeway.example.com?a=b":     "",
		"https://:8080":                        "",
		"https:///causeway":                    "",
		"ws://causeway.example.com":            "",
		" https://causeway.example.com":        "",
		"https://causeway.example.com\nX: y":   "",
		"https://causeway.example.com:port/":   "",
		"https://causeway.example.com/%zz/api": "",
	} {
		base, err := Base(given)
		if (err == nil) != (want != "") || err == nil && base.String() != want {
			t.Errorf("%q is %v, %v; want %q", given, base, err, want)
		}
		if err != nil && !strings.HasSuffix(err.Error(), "write it as https://causeway.example.com") {
			t.Errorf("%q: nobody is told what to write: %v", given, err)
		}
	}
}

// Addresses come from variables, and errors go to logs: a password in one is not repeated.
func TestPasswordsOfAddressesAreNotRepeated(t *testing.T) {
	for _, given := range []string{"https://ann:hunter2@causeway.example.com", "https://ann:hunter2@causeway.example.com:port", "ann:hunter2@causeway.example.com", "https://ann:hunter2%zz@x"} {
		if _, err := Base(given); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
}

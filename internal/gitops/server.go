package gitops

import (
	"net"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// HubServer is the address by which manifests name the hub: the cluster that
// the engine's own objects live in.
const HubServer = "https://kubernetes.default.svc"

// HubName is the name of the hub when no cluster Secret gives it another.
const HubName = "in-cluster"

// usualPorts are those that an address need not say. Registries are written
// without a scheme, and spoken to by https.
var usualPorts = map[string]string{"https": "443", "http": "80", "ssh": "22", "git": "9418", "oci": "443", "": "443"}

// UsualPort is the port that a scheme has anyway; empty where it has none.
func UsualPort(scheme string) string { return usualPorts[scheme] }

// ServerKey is the one form of a server's address. Whatever compares servers
// compares this: an address that can be spelled in two ways would otherwise be
// two clusters to one rule, and one to another. What a connection does not use
// is left out: a user, a query, and slashes and spaces at the ends. Dots in a path
// lead back, however often they are escaped. Text that is no address stays as it is,
// but for these.
func ServerKey(server string) string {
	server = strings.TrimRightFunc(strings.TrimSpace(server), func(r rune) bool { return r == '/' || unicode.IsSpace(r) })
	u, err := url.Parse(server)
	if err != nil || HostKey(u.Hostname()) == "" {
		return server
	}
	key := url.URL{Scheme: u.Scheme, Host: hostKey(u), Path: strings.TrimSuffix(path.Clean("/"+followed(u.Path)), "/")}
	return key.String()
}

// followed is a path in the reading in which its dots lead back: a proxy before
// the server may decode it once more.
func followed(path string) string {
	all, _ := Readings(path)
	for _, reading := range slices.Backward(all) {
		if Climbs(reading) {
			return reading
		}
	}
	return path
}

// SameServer reports whether two addresses are those of one server.
func SameServer(a, b string) bool { return a == b || ServerKey(a) == ServerKey(b) }

// IsHub reports whether an address is that of the hub.
func IsHub(server string) bool { return SameServer(server, HubServer) }

// ReachesHub reports whether an address is one by which programs in the hub find
// its API server, as far as names tell.
func ReachesHub(server string) bool {
	u, err := url.Parse(ServerKey(server))
	if err != nil {
		return false
	}
	host := u.Hostname()
	return slices.Contains([]string{"kubernetes", "kubernetes.default", "kubernetes.default.svc"}, host) || strings.HasPrefix(host, "kubernetes.default.svc.")
}

// hostKey is the host with the port that is asked for, as far as it is not
// that of the scheme.
func hostKey(u *url.URL) string {
	host := HostKey(u.Hostname())
	port := portKey(u.Port())
	if port != "" && port != UsualPort(u.Scheme) {
		return net.JoinHostPort(host, port)
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// HostKey is the one form of a host, which has neither a port nor brackets: an
// IP address can be spelled in many ways.
func HostKey(host string) string {
	host = strings.TrimRight(strings.ToLower(host), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	return host
}

// portKey is a port without zeros before it.
func portKey(port string) string {
	if n, err := strconv.ParseUint(port, 10, 16); err == nil {
		return strconv.FormatUint(n, 10)
	}
	return port
}

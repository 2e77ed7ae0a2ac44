package egress

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"os"

	"golang.org/x/net/http/httpproxy"
)

// Proxied is the proxy that the environment names for an address; nil where it
// names none. ALL_PROXY counts where no other one does: Git knows it.
func Proxied(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	c := httpproxy.FromEnvironment()
	all := cmp.Or(os.Getenv("ALL_PROXY"), os.Getenv("all_proxy"))
	c.HTTPProxy, c.HTTPSProxy = cmp.Or(c.HTTPProxy, all), cmp.Or(c.HTTPSProxy, all)
	return c.ProxyFunc()(u)
}

// ProxiedRequest is Proxied for a request.
func ProxiedRequest(req *http.Request) (*url.URL, error) { return Proxied(req.URL.String()) }

// isProxy reports whether an address with a port is that of a proxy of http's, which
// the environment names.
func isProxy(address string) bool {
	c := httpproxy.FromEnvironment()
	for _, at := range []string{c.HTTPProxy, c.HTTPSProxy} {
		u, err := url.Parse(at)
		if err != nil || u.Host == "" { // as it is understood there: a host and a port alone
			u, err = url.Parse("http://" + at)
		}
		if err == nil && at != "" && address == net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), proxyPorts[u.Scheme])) {
			return true
		}
	}
	return false
}

var proxyPorts = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}

package egress

import (
	"cmp"
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

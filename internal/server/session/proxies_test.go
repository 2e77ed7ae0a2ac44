package session

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/causeway-gitops/causeway/internal/auth/origin"
)

func TestProxiesTellWhereRequestsCameFrom(t *testing.T) {
	proxies, err := ParseProxies([]string{"10.0.0.0/8", "2001:db8::/32", "192.0.2.1"})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason, peer string
		headers      [][2]string
		want         string
	}{
		"direct":       {"who comes by no proxy is who they are", "203.0.113.9:4711", nil, "203.0.113.9:4711"},
		"made up":      {"whatever they say", "203.0.113.9:4711", [][2]string{{"X-Forwarded-For", "198.51.100.7"}}, "203.0.113.9:4711"},
		"one proxy":    {"a proxy tells", "10.0.0.1:80", [][2]string{{"X-Forwarded-For", "198.51.100.7"}}, "198.51.100.7:0"},
		"added to":     {"and not who was there before", "10.0.0.1:80", [][2]string{{"X-Forwarded-For", "1.1.1.1, 198.51.100.7"}}, "198.51.100.7:0"},
		"two proxies":  {"of proxies, the first tells", "10.0.0.1:80", [][2]string{{"X-Forwarded-For", "198.51.100.7, 10.0.0.2"}}, "198.51.100.7:0"},
		"two headers":  {"also in two headers", "10.0.0.1:80", [][2]string{{"X-Forwarded-For", "198.51.100.7"}, {"X-Forwarded-For", "10.0.0.2"}}, "198.51.100.7:0"},
		"broken":       {"what is no address ends the way", "10.0.0.1:80", [][2]string{{"X-Forwarded-For", "198.51.100.7, <x>, 10.0.0.2"}}, "10.0.0.2:0"},
		"inside":       {"a request of a proxy's own network", "10.0.0.1:80", [][2]string{{"X-Forwarded-For", "10.0.0.5, 10.0.0.2"}}, "10.0.0.5:0"},
		"nothing":      {"a proxy that tells nothing is the sender", "10.0.0.1:80", nil, "10.0.0.1:80"},
		"standard":     {"RFC 7239", "10.0.0.1:80", [][2]string{{"Forwarded", `for=1.1.1.1, for="[2001:db9::7]:4711";proto=https`}}, "[2001:db9::7]:0"},
		"both agree":   {"in both headers", "10.0.0.1:80", [][2]string{{"Forwarded", "for=198.51.100.7"}, {"X-Forwarded-For", "198.51.100.7"}}, "198.51.100.7:0"},
		"both differ":  {"one of which was passed on", "10.0.0.1:80", [][2]string{{"Forwarded", "for=1.1.1.1"}, {"X-Forwarded-For", "198.51.100.7"}}, "10.0.0.1:80"},
		"hidden":       {"a sender that is not named", "10.0.0.1:80", [][2]string{{"Forwarded", "for=_hidden"}}, "10.0.0.1:80"},
		"with a port":  {"some add ports", "10.0.0.1:80", [][2]string{{"X-Forwarded-For", "198.51.100.7:4711"}}, "198.51.100.7:0"},
		"mapped":       {"an address of version 4 in one of 6", "[::ffff:10.0.0.1]:80", [][2]string{{"X-Forwarded-For", "::ffff:198.51.100.7"}}, "198.51.100.7:0"},
		"single":       {"one address is a network", "192.0.2.1:80", [][2]string{{"X-Forwarded-For", "198.51.100.7"}}, "198.51.100.7:0"},
		"its neighbor": {"of itself alone", "192.0.2.2:80", [][2]string{{"X-Forwarded-For", "198.51.100.7"}}, "192.0.2.2:80"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			h := proxies.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.RemoteAddr }))
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			r.RemoteAddr = tc.peer
			for _, one := range tc.headers {
				r.Header.Add(one[0], one[1])
			}
			h.ServeHTTP(httptest.NewRecorder(), r)
			if got != tc.want {
				t.Errorf("%s: %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

func TestOnlyProxiesTellOfTLS(t *testing.T) {
	proxies, err := ParseProxies([]string{"10.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	for peer, want := range map[string]bool{"10.0.0.1:80": true, "203.0.113.9:4711": false} {
		got := !want
		h := proxies.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = secure(r) }))
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr = peer
		r.Header.Set("X-Forwarded-Proto", "https")
		h.ServeHTTP(httptest.NewRecorder(), r)
		if got != want {
			t.Errorf("from %s, TLS is %t", peer, got)
		}
	}
}

func TestNetworksOfProxiesAreRead(t *testing.T) {
	for _, text := range []string{"", "proxy", "10.0.0.0/33", "10.0.0.0-10.0.0.9"} {
		if p, err := ParseProxies([]string{text}); err == nil {
			t.Errorf("%q is read as %v", text, p)
		}
	}
}

func FuzzProxies(f *testing.F) {
	f.Add("10.0.0.1:80", "1.1.1.1, 10.0.0.2", `for="[::1]"`)
	f.Fuzz(func(t *testing.T, peer, by, standard string) {
		proxies := must(ParseProxies([]string{"10.0.0.0/8"}))
		h := proxies.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if _, ok := origin.Addr(peer); !ok && r.RemoteAddr != peer {
				t.Errorf("%q became %q", peer, r.RemoteAddr)
			}
		}))
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr = peer
		r.Header["X-Forwarded-For"], r.Header["Forwarded"] = []string{by}, []string{standard}
		h.ServeHTTP(httptest.NewRecorder(), r)
	})
}

func must(p Proxies, err error) Proxies {
	if err != nil {
		panic(err)
	}
	return p
}

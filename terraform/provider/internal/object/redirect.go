package object

import (
	"fmt"
	"net/http"

	"k8s.io/client-go/rest"
)

// stay has all clients that are made of a config refuse redirects: what goes to
// the cluster, with the credentials for it, would go wherever they lead.
func stay(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return unled{next} })
	return config
}

type unled struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (s unled) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := s.next.RoundTrip(r)
	if err != nil {
		return answer, err
	}
	switch answer.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		_ = answer.Body.Close()
		return nil, fmt.Errorf("the cluster redirects %s %s, and that is not followed: write the address at which its API server itself answers", r.Method, r.URL.Path)
	}
	return answer, nil
}

// WrappedRoundTripper lets idle connections be closed.
func (s unled) WrappedRoundTripper() http.RoundTripper { return s.next }

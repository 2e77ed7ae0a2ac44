package app

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// signIn lets so many clients sign in, and no further one.
type signIn struct{ left int }

var errSignIn = errors.New("nobody signs in any more")

// WrapTransport implements rest.AuthProvider.
func (*signIn) WrapTransport(t http.RoundTripper) http.RoundTripper { return t }

// Login implements rest.AuthProvider.
func (*signIn) Login() error { return nil }

func (s *signIn) provider(string, map[string]string, rest.AuthProviderConfigPersister) (rest.AuthProvider, error) {
	if s.left--; s.left < 0 {
		return nil, errSignIn
	}
	return s, nil
}

// openIn are the files of a folder that this process has open, as far as the system tells.
func openIn(folder string) (out []string) {
	const all = "/proc/self/fd"
	list, _ := os.ReadDir(all)
	for _, fd := range list {
		if name, err := os.Readlink(filepath.Join(all, fd.Name())); err == nil && strings.HasPrefix(name, folder) {
			out = append(out, name)
		}
	}
	return out
}

// TestFailedStartLeavesNothing has New fail at each client that it makes: the next one
// finds the folder free.
func TestFailedStartLeavesNothing(t *testing.T) {
	var s signIn
	provider := fmt.Sprintf("failed-start-%p", &s) // a process takes each name once
	if err := rest.RegisterAuthProviderPlugin(provider, s.provider); err != nil {
		t.Fatal(err)
	}
	made := prepare(t, hubConfig, nil)
	hub := rest.CopyConfig(hubConfig)
	hub.AuthProvider = &clientcmdapi.AuthProviderConfig{Name: provider}
	cfg := Config{Hub: hub, Namespace: made.namespace, CacheDir: t.TempDir(), Interval: time.Hour}
	for most := 0; ; most++ { // it is some ten
		s.left = most
		e, err := New(cfg)
		if err == nil {
			e.close(t.Context())
		} else if !errors.Is(err, errSignIn) {
			t.Fatalf("after %d clients: %v", most, err)
		}
		if left := openIn(cfg.CacheDir); len(left) > 0 {
			t.Fatalf("after %d clients, with %v, it has open %v", most, err, left)
		}
		if err == nil {
			return
		}
	}
}

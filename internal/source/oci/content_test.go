package oci

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/slots"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

func credentialOf(password access.Secret) access.Credential {
	return access.Credential{Password: password}
}

// TestArtifactsThatAreRefused says what an artifact is, of what is none.
func TestArtifactsThatAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		lay    func(s *shelf, chart ocispec.Descriptor)
		want   string
	}{
		"Chart": {"a chart with its signature beside it", func(s *shelf, chart ocispec.Descriptor) {
			s.push("1.0.0", s.layer("application/prov", []byte("x")), chart)
		}, ""},
		"Image": {"an image has layers that lie over one another", func(s *shelf, _ ocispec.Descriptor) {
			s.push("1.0.0", s.layer("a", []byte("x")), s.layer("a", []byte("y")))
		}, "has 2 layers"},
		"Nothing": {"an artifact without files", func(s *shelf, _ ocispec.Descriptor) { s.push("1.0.0") }, "has 0 layers"},
		"Large":   {"more than there is room for", func(s *shelf, chart ocispec.Descriptor) { chart.Size = 5 << 20; s.push("1.0.0", chart) }, "has 5 MiB, more than the limit of 1 MiB"},
		"Sum": {"a digest that is not checked", func(s *shelf, chart ocispec.Descriptor) {
			chart.Digest = digest.SHA512.FromString("x")
			s.push("1.0.0", chart)
		}, "not SHA-256"},
		"NoSum": {"or none at all", func(s *shelf, chart ocispec.Descriptor) { chart.Digest = "sha256:../../x"; s.push("1.0.0", chart) }, "not SHA-256"},
		"NoJSON": {"a manifest that is none", func(s *shelf, _ ocispec.Descriptor) {
			s.held["1.0.0"] = []byte("{")
			s.held[digest.FromString("{").String()] = []byte("{")
			s.tags = []string{"1.0.0"}
		}, "cannot read the manifest"},
		"Another": {"content that is not what the manifest says", func(s *shelf, chart ocispec.Descriptor) {
			s.push("1.0.0", chart)
			s.held[chart.Digest.String()] = []byte(strings.Repeat("x", int(chart.Size)))
		}, "cannot get the content"},
		"CutOff": {"or less of it", func(s *shelf, chart ocispec.Descriptor) { chart.Size++; s.push("1.0.0", chart) }, "cannot get the content"},
		"Gone": {"or none", func(s *shelf, chart ocispec.Descriptor) {
			s.push("1.0.0", chart)
			delete(s.held, chart.Digest.String())
		}, "not found"},
		"NoneOfIt": {"a chart is a folder of that name", func(s *shelf, _ ocispec.Descriptor) { s.push("1.0.0", s.layer(chartLayer, []byte("no archive"))) }, "archive"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			tc.lay(s, s.layer(chartLayer, packed(t, "web/Chart.yaml", "name: web")))
			_, err := s.look(t).Chart(t.Context(), "web", "1.0.0", slots.Of("red"))
			if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
	r := &Repo{name: "h/web"}
	for reason, desc := range map[string]ocispec.Descriptor{
		"is an index of several images": {MediaType: ocispec.MediaTypeImageIndex},
		"is an index":                   {MediaType: "application/vnd.docker.distribution.manifest.list.v2+json"},
		"has more than 4 MiB":           {MediaType: ocispec.MediaTypeImageManifest, Size: manifestLimit + 1},
	} {
		if _, err := r.layer(t.Context(), desc, slots.Of("red")); !gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

// TestContentIsFetchedOnce: it is known by its digest, on the disk and in memory.
func TestContentIsFetchedOnce(t *testing.T) {
	s := newShelf(t)
	chart := s.layer(chartLayer, packed(t, "web/a.yaml", "1"))
	s.push("1.0.0", chart)
	s.push("1.0.1", s.layer("application/prov", []byte("x")), chart)
	r := s.open(t)
	v, err := r.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	blob := "blobs/" + chart.Digest.String()
	for _, revision := range []string{"1.0.0", "1.0.0", "1.0.1"} {
		snap, err := v.Chart(t.Context(), "web", revision, slots.Of("red"))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := snap.Tree.ReadFile("a.yaml"); err != nil || string(text) != "1" {
			t.Errorf("%s: %q, %v", revision, text, err)
		}
	}
	if s.asked[blob] != 1 {
		t.Errorf("the content was fetched %d times", s.asked[blob])
	}
	file := filepath.Join(r.Dir, chart.Digest.Encoded()+".tar")
	if err := os.WriteFile(file, []byte("somebody wrote into it"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := s.open(t)
	again.Dir = r.Dir
	if v, err = again.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Chart(t.Context(), "web", "1.0.0", slots.Of("red")); err != nil || s.asked[blob] != 2 {
		t.Errorf("what is not whole is fetched again: %d times, %v", s.asked[blob], err)
	}
}

// TestWhoIsAsked: a person is asked once a registry wants to know, and for that
// registry alone.
func TestWhoIsAsked(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		cred   access.Credential
		login  bool
		host   string
		want   auth.Credential
		asked  bool
	}{
		"Secret":  {"a Secret counts before a person", access.Credential{Username: "me", Password: "x"}, true, "h:5000", auth.Credential{Username: "me", Password: "x"}, false},
		"Token":   {"so does a token", access.Credential{BearerToken: "t"}, true, "h:5000", auth.Credential{AccessToken: "t"}, false},
		"Person":  {"a person has a login", access.Credential{}, true, "h:5000", auth.Credential{Username: "ann"}, true},
		"Another": {"which is not for where tokens are got", access.Credential{}, true, "tokens.example.org", auth.EmptyCredential, false},
		"Nobody":  {"nobody is asked", access.Credential{}, false, "h:5000", auth.EmptyCredential, false},
		"Others":  {"a Secret is for its registry", access.Credential{Username: "me", Password: "x"}, false, "other:5000", auth.EmptyCredential, false},
	} {
		t.Run(name, func(t *testing.T) {
			asked := false
			s := Settings{Timeout: time.Minute}
			if tc.login {
				s.Login = func(context.Context, string) auth.Credential {
					asked = true
					return auth.Credential{Username: "ann"}
				}
			}
			r, err := New("h:5000/a", access.Credential{}, s)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.credential(r.remote.Reference, tc.cred)(t.Context(), tc.host)
			if err != nil || got != tc.want || asked != tc.asked {
				t.Errorf("%s: got %v, %v; asked: %t", tc.reason, got, err, asked)
			}
		})
	}
}

// TestPlainRegistries: a registry of this machine speaks plainly by convention,
// unless somebody says how it speaks TLS.
func TestPlainRegistries(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, host string
		cred         access.Credential
		plain        bool
	}{
		"Public":   {"nobody reads on the way", "ghcr.io", access.Credential{}, false},
		"Asked":    {"unless an operator wants it so", "registry.corp", access.Credential{PlainHTTP: true}, true},
		"Local":    {"this machine", "127.0.0.1:5000", access.Credential{}, true},
		"Name":     {"by its name", "localhost:5000", access.Credential{}, true},
		"Insecure": {"or any", "localhost:5000", access.Credential{Insecure: true}, false},
		"Like":     {"a name that begins like this machine's", "localhost.evil.org", access.Credential{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := New(tc.host+"/a", tc.cred, Settings{})
			if err != nil || r.remote.PlainHTTP != tc.plain {
				t.Errorf("%s: %v, %v", tc.reason, r, err)
			}
		})
	}
}

// TestProbesOfRegistries ask little, and keep nothing.
func TestProbesOfRegistries(t *testing.T) {
	s := newShelf(t)
	s.tags, s.page = []string{"1.0.0", "1.1.0", "1.2.0"}, 2
	if n, err := s.open(t).Probe(t.Context()); err != nil || n != 2 || s.asked["tags/list"] != 1 {
		t.Errorf("the first page is enough: %d, %v, %d requests", n, err, s.asked["tags/list"])
	}
	s.answers["tags/list"] = http.StatusUnauthorized
	var refusal *access.Refusal
	if _, err := s.open(t).Probe(t.Context()); !gitops.IsProblem(err, gitops.Refused) || !errors.As(err, &refusal) {
		t.Errorf("it is not told that nobody is let in: %v", err)
	}
	host := strings.TrimPrefix(s.URL, "http://")
	s.answers = map[string]int{"/v2/": http.StatusForbidden}
	if err := Ping(t.Context(), host, access.Credential{Username: "me", Password: "hunter2"}, Settings{Timeout: time.Minute}); !gitops.IsProblem(err, gitops.Refused) || !strings.Contains(err.Error(), "cannot sign in of "+host) && !strings.Contains(err.Error(), host) || strings.Contains(err.Error(), "probe") {
		t.Errorf("a registry refuses: %v", err)
	}
	s.answers = map[string]int{"/v2/": http.StatusOK}
	if err := Ping(t.Context(), host, access.Credential{}, Settings{Timeout: time.Minute}); err != nil {
		t.Errorf("a registry that takes it: %v", err)
	}
	if err := Ping(t.Context(), "no registry", access.Credential{}, Settings{}); !gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), "no name of a registry") {
		t.Errorf("what is no registry: %v", err)
	}
}

// TestWhatIsSaidOfRegistries has no secret in it, and leaves alone who gave up.
func TestWhatIsSaidOfRegistries(t *testing.T) {
	r := &Repo{name: "h/web", cred: credentialOf("hunter2hunter2")}
	if err := r.explain("x", context.Canceled); !errors.Is(err, context.Canceled) || gitops.IsProblem(err, gitops.Unreachable) {
		t.Errorf("somebody gave up: %v", err)
	}
	err := r.explain("cannot x", errors.New("dial: hunter2hunter2"))
	if !gitops.IsProblem(err, gitops.Unreachable) || !strings.HasPrefix(err.Error(), "cannot x of h/web: ") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
	err = r.explain("x", auth.ErrBasicCredentialNotFound)
	var refusal *access.Refusal
	if !gitops.IsProblem(err, gitops.Refused) || !errors.As(err, &refusal) || !strings.Contains(err.Error(), "asks for credentials") {
		t.Errorf("nobody signed in: %v", err)
	}
}

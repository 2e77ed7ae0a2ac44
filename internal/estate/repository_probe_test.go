package estate_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/time/rate"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/estate"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/source/sshtest"
	"github.com/causeway-gitops/causeway/internal/store/audit"
	"github.com/causeway-gitops/causeway/test/await"
)

// book keeps what the audit is told.
type book struct {
	mu  sync.Mutex
	all []audit.Entry
}

// Append implements trail.Keeper.
func (b *book) Append(_ context.Context, e *audit.Entry) (*audit.Entry, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, *e)
	kept := *e
	return &kept, nil
}

// Note implements trail.Keeper.
func (b *book) Note(*audit.Entry) {}

// host is where repositories are, with what the installation trusts.
type host struct {
	*estate.Repositories

	root, dir string
	told      *book
}

// newHost makes a repository with one commit, and what asks it.
func newHost(t *testing.T) *host {
	t.Helper()
	root := t.TempDir()
	h := &host{root: root, dir: filepath.Join(root, "apps"), told: &book{}}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=trunk", h.dir},
		{"-C", h.dir, "-c", "user.name=ann", "-c", "user.email=ann@example.com", "commit", "--quiet", "--allow-empty", "-m", "first"},
	} {
		if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	opener, err := source.New(source.Options{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opener.Close(); err != nil {
			t.Error(err)
		}
	})
	h.Repositories = &estate.Repositories{
		Writer: &estate.Writer{Namespace: "argocd", Trail: trail.New(h.told, slog.New(slog.DiscardHandler))},
		Opener: opener, Credentials: &source.Credentials{}, Tries: session.NewTries(rate.Inf, 1), Now: time.Now,
	}
	return h
}

// serve is the repositories behind HTTP, for those whom a guard lets in.
func (h *host) serve(t *testing.T, may func(*http.Request) bool) *httptest.Server {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	behind := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"), Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + h.root, "GIT_HTTP_EXPORT_ALL=1"},
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !may(r) {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		behind.ServeHTTP(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(s.Close)
	return s
}

// asked is one way to ask, and what it is answered: a part of the message.
type asked struct {
	reason string
	want   func(*api.RepositoryWish)
	ok     bool
	says   string
}

// answers asks in each way, and hears no secret.
func (h *host) answers(t *testing.T, first api.RepositoryWish, cases map[string]asked, secrets ...string) {
	t.Helper()
	ann := &auth.User{Name: "ann", Via: auth.Local}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			want := api.RepositoryProbe{RepositoryWish: first}
			c.want(&want.RepositoryWish)
			var got *api.Probed
			for deadline := time.Now().Add(await.Limit); ; {
				var err error
				if got, err = h.Probe(t.Context(), ann, nil, want); err != nil {
					t.Fatal(err)
				}
				if got.OK == c.ok && strings.Contains(got.Message, c.says) || time.Now().After(deadline) {
					break
				}
			}
			if got.OK != c.ok || !strings.Contains(got.Message, c.says) {
				t.Errorf("%s: got %+v, want %t with %q", c.reason, got, c.ok, c.says)
			}
			for _, secret := range secrets {
				if strings.Contains(got.Message, secret) {
					t.Errorf("%s: the answer tells a secret: %s", c.reason, got.Message)
				}
			}
		})
	}
	h.told.mu.Lock()
	defer h.told.mu.Unlock()
	if len(h.told.all) < len(cases) {
		t.Errorf("the audit has %d entries of %d questions", len(h.told.all), len(cases))
	}
	for _, secret := range secrets {
		if text := fmt.Sprintf("%+v", h.told.all); strings.Contains(text, secret) {
			t.Errorf("the audit tells a secret: %s", text)
		}
	}
}

// inside is a line of a text in PEM form that nothing else has.
func inside(text string) string { return strings.Split(text, "\n")[1] }

func TestProbeBySSHKey(t *testing.T) {
	h := newHost(t)
	private, public := sshtest.Key(t)
	other, _ := sshtest.Key(t)
	server := sshtest.Start(t, public)
	h.Credentials.Trust(source.Trust{KnownHosts: server.KnownHosts})
	stranger := sshtest.Start(t, public) // whose key nobody has written down
	with := func(key string) func(*api.RepositoryWish) {
		return func(w *api.RepositoryWish) { w.Secrets.SSHKey = &key }
	}
	first := api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: "ssh://git@" + server.Addr + h.dir, Type: "git"}}
	h.answers(t, first, map[string]asked{
		"Right":    {"the key that it knows", with(private), true, "trunk"},
		"Other":    {"a key that it does not know", with(other), false, "sshPrivateKey"},
		"Stranger": {"a host that is not known", func(w *api.RepositoryWish) { with(private)(w); w.URL = "ssh://git@" + stranger.Addr + h.dir }, false, "argocd-ssh-known-hosts-cm"},
		"Insecure": {"such a host, unchecked", func(w *api.RepositoryWish) {
			with(private)(w)
			w.URL, w.Insecure = "ssh://git@"+stranger.Addr+h.dir, true
		}, true, "trunk"},
	}, inside(private), inside(other))
}

// appHost makes tokens for installations of an App, as GitHub does.
type appHost struct {
	key *rsa.PrivateKey
	url string
}

const (
	appID        = 12
	installation = 34
	appToken     = "ghs_of-the-installation"
)

func newAppHost(t *testing.T) *appHost {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	a := &appHost{key: key}
	mux := http.NewServeMux()
	mux.HandleFunc(fmt.Sprintf("POST /app/installations/%d/access_tokens", installation), func(w http.ResponseWriter, r *http.Request) {
		_, err := jwt.Parse(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), func(*jwt.Token) (any, error) { return &key.PublicKey, nil },
			jwt.WithValidMethods([]string{"RS256"}), jwt.WithIssuer(strconv.Itoa(appID)), jwt.WithExpirationRequired())
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprintf(w, `{"token":%q,"expires_at":%q}`, appToken, time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	a.url = s.URL
	return a
}

func (a *appHost) private() string { return privateOf(a.key) }

func privateOf(key *rsa.PrivateKey) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

func TestProbeByGitHubApp(t *testing.T) {
	h, app := newHost(t), newAppHost(t)
	server := h.serve(t, func(r *http.Request) bool { _, password, _ := r.BasicAuth(); return password == appToken })
	server.Start()
	key := app.private()
	another, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	stranger := privateOf(another)
	first := api.RepositoryWish{
		RepositoryFields: api.RepositoryFields{URL: server.URL + "/apps/.git", Type: "git", AppID: appID, AppInstall: installation, AppBaseURL: app.url},
		Secrets:          api.RepositorySecrets{AppKey: &key},
	}
	h.answers(t, first, map[string]asked{
		"Right":         {"the App's key", func(*api.RepositoryWish) {}, true, "trunk"},
		"OtherKey":      {"a key of another App", func(w *api.RepositoryWish) { w.Secrets.AppKey = &stranger }, false, "githubAppPrivateKey"},
		"OtherApp":      {"another App's number", func(w *api.RepositoryWish) { w.AppID++ }, false, "githubAppID"},
		"NotInstalled":  {"an installation that there is not", func(w *api.RepositoryWish) { w.AppInstall++ }, false, "githubAppInstallationID"},
		"NoGitHubThere": {"an API that does not answer", func(w *api.RepositoryWish) { w.AppBaseURL = "http://127.0.0.1:1" }, false, "127.0.0.1:1"},
		"WithoutTheApp": {"nothing at all", func(w *api.RepositoryWish) { w.AppID, w.AppInstall, w.AppBaseURL, w.Secrets.AppKey = 0, 0, "", nil }, false, "add a repository Secret with credentials"},
	}, inside(key), inside(stranger), appToken)
}

// certified is a client's certificate, which is its own authority, and its key.
func certified(t *testing.T, serial int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: fmt.Sprint("client ", serial)}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}))
}

func TestProbeByClientCertificate(t *testing.T) {
	h := newHost(t)
	cert, key := certified(t, 1)
	strangeCert, strangeKey := certified(t, 2)
	server := h.serve(t, func(*http.Request) bool { return true })
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(cert))
	server.TLS = &tls.Config{ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	h.Credentials.Trust(source.Trust{CAs: map[string]string{"127.0.0.1": ca}})
	first := api.RepositoryWish{
		RepositoryFields: api.RepositoryFields{URL: server.URL + "/apps/.git", Type: "git"},
		Secrets:          api.RepositorySecrets{TLSCert: &cert, TLSKey: &key},
	}
	elsewhere := strings.Replace(first.URL, "127.0.0.1", "localhost", 1) // whose certificate nobody has written down
	h.answers(t, first, map[string]asked{
		"Right":     {"the certificate that it knows", func(*api.RepositoryWish) {}, true, "trunk"},
		"Stranger":  {"one that it does not know", func(w *api.RepositoryWish) { w.Secrets.TLSCert, w.Secrets.TLSKey = &strangeCert, &strangeKey }, false, "tlsClientCertData"},
		"None":      {"none", func(w *api.RepositoryWish) { w.Secrets = api.RepositorySecrets{} }, false, "tlsClientCertData"},
		"Untrusted": {"a server that is not known", func(w *api.RepositoryWish) { w.URL = elsewhere }, false, "argocd-tls-certs-cm"},
		"Insecure":  {"such a server, unchecked", func(w *api.RepositoryWish) { w.URL, w.Insecure = elsewhere, true }, true, "trunk"},
	}, inside(key), inside(strangeKey))
}

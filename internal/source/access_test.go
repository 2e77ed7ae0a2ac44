package source

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestGitOverHTTP(t *testing.T) {
	dir := newRepository(t)
	server := newGitServer(t, filepath.Dir(dir))
	server.allow = func(r *http.Request) bool {
		_, password, _ := r.BasicAuth()
		return password == "hunter2" || r.Header.Get("Authorization") == "Bearer tok3n"
	}
	url := server.URL + "/repo"
	cases := map[string]struct {
		reason string
		url    string
		cred   Credential
		kind   gitops.ProblemKind
		ok     bool
	}{
		"none":      {"no credentials", url, Credential{}, gitops.Refused, false},
		"wrong":     {"wrong credentials", url, Credential{Username: "me", Password: "wr0ng"}, gitops.Refused, false},
		"basic":     {"a password", url, Credential{Username: "me", Password: "hunter2"}, 0, true},
		"token":     {"a token as password without a user", url, Credential{Password: "hunter2"}, 0, true},
		"forced":    {"a password before it is asked for", url, Credential{Username: "me", Password: "hunter2", ForceBasic: true}, 0, true},
		"bearer":    {"a bearer token", url, Credential{BearerToken: "tok3n"}, 0, true},
		"in URL":    {"a password in the address", strings.Replace(url, "://", "://me:hunter2@", 1), Credential{}, 0, true},
		"wrong URL": {"a wrong one in the address", strings.Replace(url, "://", "://me:wr0ng@", 1), Credential{}, gitops.Refused, false},
		"absent":    {"a repository that is not there", server.URL + "/none", Credential{Password: "hunter2"}, gitops.NotFound, false},
		"cloud":     {"a way to sign in that is not known", url, Credential{Unsupported: "Azure workload identity"}, gitops.Refused, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRegistry(t, Options{Credentials: known(c.cred)})
			got, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: c.url})
			if c.ok {
				if err != nil {
					t.Fatalf("%s: %v", c.reason, err)
				}
				content(t, got, "a.yaml")
				return
			}
			p := problem(t, err)
			if p.Kind != c.kind || p.Fix == "" {
				t.Errorf("%s: kind %d: %v", c.reason, p.Kind, err)
			}
			for _, s := range []string{"wr0ng", "hunter2"} {
				if strings.Contains(fmt.Sprintf("%v %+v %v", err, p, p.Err), s) {
					t.Errorf("%s: the error shows a secret: %v", c.reason, err)
				}
			}
		})
	}
}

func TestGitDoesNotCarryPasswordsToAnotherHost(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.Header.Get("Authorization"))
		mu.Unlock()
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.String(), http.StatusMovedPermanently)
	}))
	defer first.Close()
	for _, cred := range []Credential{{Username: "me", Password: "hunter2"}, {BearerToken: "tok3n"}, {Password: "hunter2", ForceBasic: true}} {
		_, err := newRegistry(t, Options{Credentials: known(cred)}).Snapshot(t.Context(), gitops.SourceRef{RepoURL: first.URL + "/repo"})
		if err == nil {
			t.Error("there is no repository")
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for _, s := range seen {
		if s != "" {
			t.Errorf("the other host was sent %q", s)
		}
	}
}

func TestSlowServer(t *testing.T) {
	server := newGitServer(t, filepath.Dir(newRepository(t)))
	server.hanging.Store(true)
	r := newRegistry(t, Options{Limits: Limits{Operation: 300 * time.Millisecond}})
	_, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: server.URL + "/repo"})
	if p := problem(t, err); p.Kind != gitops.Unreachable || !strings.Contains(err.Error(), "no answer within 300ms") {
		t.Errorf("got %v", err)
	}
}

func TestCredentialsChanged(t *testing.T) {
	dir := newRepository(t)
	server := newGitServer(t, filepath.Dir(dir))
	server.allow = func(r *http.Request) bool {
		_, password, _ := r.BasicAuth()
		return password == "hunter2"
	}
	store := &Credentials{}
	r := newRegistry(t, Options{Credentials: store, Interval: time.Hour})
	start(t, r)
	ref := gitops.SourceRef{RepoURL: server.URL + "/repo"}
	if _, err := r.Snapshot(t.Context(), ref); err == nil {
		t.Fatal("no credentials yet")
	}
	store.Replace([]Repository{{URL: server.URL, Template: true, Credential: Credential{Password: "hunter2"}}})
	r.CredentialsChanged()
	if c := change(t, r); c.RepoURLs[0] != ref.RepoURL {
		t.Errorf("got %+v", c)
	}
	snap(t, r, ref)
}

// sshServer runs git-upload-pack for whoever has the key.
type sshServer struct {
	addr, hostKey string
}

func newSSHServer(t testing.TB, client ssh.PublicKey) sshServer {
	t.Helper()
	if _, err := exec.LookPath("ssh"); err != nil {
		t.Skip("the ssh client is not installed")
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, k ssh.PublicKey) (*ssh.Permissions, error) {
		if string(k.Marshal()) != string(client.Marshal()) {
			return nil, errors.New("unknown key")
		}
		return nil, nil
	}}
	config.AddHostKey(signer)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { serveSSH(c, config) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	return sshServer{l.Addr().String(), string(ssh.MarshalAuthorizedKey(signer.PublicKey()))}
}

func serveSSH(c net.Conn, config *ssh.ServerConfig) {
	defer c.Close()
	_, channels, requests, err := ssh.NewServerConn(c, config)
	if err != nil {
		return
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { ssh.DiscardRequests(requests) })
	for ch := range channels {
		channel, in, err := ch.Accept()
		if err != nil {
			return
		}
		wg.Go(func() { serveSession(channel, in) })
	}
}

func serveSession(channel ssh.Channel, in <-chan *ssh.Request) {
	defer channel.Close()
	protocol := ""
	for req := range in {
		switch req.Type {
		case "env":
			var kv struct{ Name, Value string }
			if ssh.Unmarshal(req.Payload, &kv) == nil && kv.Name == "GIT_PROTOCOL" {
				protocol = kv.Value
			}
			_ = req.Reply(true, nil)
		case "exec":
			var line struct{ Command string }
			if ssh.Unmarshal(req.Payload, &line) != nil || !strings.HasPrefix(line.Command, "git-upload-pack '") {
				_ = req.Reply(false, nil)
				return
			}
			_ = req.Reply(true, nil)
			cmd := exec.Command("git", "-c", "safe.directory=*", "upload-pack", strings.Trim(strings.TrimPrefix(line.Command, "git-upload-pack "), "'"))
			cmd.Env = append(os.Environ(), "GIT_PROTOCOL="+protocol)
			cmd.Stdout, cmd.Stderr = channel, channel.Stderr()
			// Not as cmd.Stdin: Run would wait for the client to end first.
			stdin, err := cmd.StdinPipe()
			if err != nil || cmd.Start() != nil {
				return
			}
			go func() { // ends with the channel
				_, _ = io.Copy(stdin, channel)
				_ = stdin.Close()
			}()
			status := struct{ Code uint32 }{}
			if cmd.Wait() != nil {
				status.Code = 1
			}
			_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(status))
			return
		default:
			_ = req.Reply(false, nil)
		}
	}
}

func newKey(t testing.TB) (string, ssh.PublicKey) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block)), key
}

func TestGitOverSSH(t *testing.T) {
	dir := newRepository(t)
	private, public := newKey(t)
	other, _ := newKey(t)
	server := newSSHServer(t, public)
	host, port, err := net.SplitHostPort(server.addr)
	if err != nil {
		t.Fatal(err)
	}
	hosts := fmt.Sprintf("[%s]:%s %s", host, port, server.hostKey)
	cases := map[string]struct {
		reason string
		cred   Credential
		ok     bool
		want   string
	}{
		"key":      {"the right key and a known host", Credential{SSHKey: Secret(private), KnownHosts: hosts}, true, ""},
		"insecure": {"an unknown host that is not checked", Credential{SSHKey: Secret(private), Insecure: true}, true, ""},
		"unknown":  {"an unknown host", Credential{SSHKey: Secret(private), KnownHosts: "example.org " + server.hostKey}, false, "argocd-ssh-known-hosts-cm"},
		"other":    {"another key", Credential{SSHKey: Secret(other), KnownHosts: hosts}, false, "sshPrivateKey"},
		"garbage":  {"no key at all", Credential{SSHKey: "nonsense", KnownHosts: hosts}, false, "sshPrivateKey"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRegistry(t, Options{Credentials: known(c.cred)})
			got, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: "ssh://git@" + server.addr + dir, Revision: "main"})
			if c.ok {
				if err != nil {
					t.Fatalf("%s: %v", c.reason, err)
				}
				content(t, got, "a.yaml")
				return
			}
			if p := problem(t, err); p.Kind != gitops.Refused || !strings.Contains(p.Fix, c.want) {
				t.Errorf("%s: kind %d: %v", c.reason, p.Kind, err)
			}
		})
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "session-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("files of a session are left: %v, %v", left, err)
	}
}

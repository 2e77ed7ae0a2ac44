package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

const planted = "hunter22-of-prod"

// secrets has one Secret that templates may see, and one that they may not.
type secrets struct{}

func (secrets) Get(_ context.Context, name client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	secret, _ := into.(*corev1.Secret)
	switch name.Name {
	case "hook":
		secret.Labels = map[string]string{label: labelled}
	case "plain":
	default:
		return apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, name.Name)
	}
	secret.Data = map[string][]byte{"user": []byte("ada"), "token": []byte(planted)}
	return nil
}

func (secrets) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

// opened is a store that asks an address.
func opened(t *testing.T, address, more string) (provider.Reader, error) {
	t.Helper()
	config := fmt.Sprintf(`{"url":"%s/{{ .remoteRef.key | urlquery }}?t={{ .auth.token }}","secrets":[{"name":"auth","secretRef":{"name":"hook"}}]%s}`, address, more)
	around := store.NewShelf(store.Cluster{Objects: secrets{}, Render: compute.NewPool().Texts}, nil).Around("ns")
	return Open(t.Context(), json.RawMessage(config), around)
}

func must(t *testing.T, address, more string) provider.Reader {
	t.Helper()
	p, err := opened(t, address, more)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRequests has what a server is asked.
func TestRequests(t *testing.T) {
	said := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		said = fmt.Sprintf("%s %s %s %s", r.Method, r.URL.RequestURI(), r.Header.Get("Authorization"), body)
		_, _ = w.Write([]byte(`{"data":{"password":"s3cret","n":5.0}}`))
	}))
	defer server.Close()
	for name, tc := range map[string]struct {
		reason, more string
		ref          provider.Ref
		said, want   string
	}{
		"get":    {"an address", "", provider.Ref{Key: "db/x"}, "GET /db%2Fx?t=" + planted + "  ", `{"data":{"password":"s3cret","n":5.0}}`},
		"path":   {"a part of an answer", `,"result":{"jsonPath":"$.data.password"}`, provider.Ref{Key: "db"}, "GET /db?t=" + planted + "  ", "s3cret"},
		"number": {"a number", `,"result":{"jsonPath":"$.data.n"}`, provider.Ref{Key: "db"}, "GET /db?t=" + planted + "  ", "5"},
		"named":  {"a part by the property", `,"result":{"jsonPath":"$.data.{{ .remoteRef.property }}"}`, provider.Ref{Key: "db", Property: "password"}, "GET /db?t=" + planted + "  ", "s3cret"},
		"post": {
			"a body and a header", `,"method":"POST","body":"v={{ .remoteRef.version }}","headers":{"Authorization":"Basic {{ printf \"%s:x\" .auth.user | b64enc }}"}`,
			provider.Ref{Key: "db", Version: "3"}, "POST /db?t=" + planted + " Basic YWRhOng= v=3", `{"data":{"password":"s3cret","n":5.0}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			one, err := must(t, server.URL, tc.more).Read(t.Context(), tc.ref)
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if got, err := one.Value(tc.ref.Property); err != nil || string(got) != tc.want || said != tc.said {
				t.Errorf("%s: %v, got %q, said %q, want %q", tc.reason, err, got, said, tc.said)
			}
		})
	}
}

// TestAnswers has what a server may say; only of 404 an entry is gone, and no answer empties a Secret.
func TestAnswers(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		code   int
		body   string
		err    string
		gone   bool
	}{
		"empty":        {"nothing is no value", 200, "", "200 OK, with nothing", false},
		"space":        {"space is one", 200, " ", "", false},
		"binary":       {"bytes that are no text", 201, "\x00\xff", "", false},
		"large":        {"a megabyte", 200, strings.Repeat("x", 1<<20), "", false},
		"absent":       {"an entry that there is not", 404, planted, "the server answers 404 Not Found", true},
		"no content":   {"no content", 204, "", "204 No Content", false},
		"partial":      {"a part of one", 206, "x", "206 Partial Content", false},
		"choices":      {"several", 300, "x", "300 Multiple Choices", false},
		"not modified": {"one that did not change", 304, "", "304 Not Modified", false},
		"forbidden":    {"credentials that are wrong, without what the server repeats", 403, planted, "the server answers 403 Forbidden", false},
		"gone":         {"only 404 is absence", 410, planted, "410 Gone", false},
		"throttled":    {"one that is asked too much", 429, planted, "429 Too Many Requests", false},
		"broken":       {"one that is broken", 500, planted, "500 Internal Server Error", false},
		"away":         {"one that is away", 503, "<html>" + planted, "503 Service Unavailable", false},
		"too large":    {"more than anybody keeps", 200, strings.Repeat("x", longestAnswer+1), "more than 4 MiB", false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tc.code)
				_, _ = w.Write([]byte(tc.body))
			}))
			defer server.Close()
			one, err := must(t, server.URL, "").Read(t.Context(), provider.Ref{Key: "db"})
			if (err != nil) != (tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || errors.Is(err, entry.ErrNotFound) != tc.gone || strings.Contains(err.Error(), "hunter")) {
				t.Fatalf("%s: got %v, want %q", tc.reason, err, tc.err)
			}
			if no := (*provider.Refused)(nil); errors.As(err, &no) != (tc.code == http.StatusForbidden) {
				t.Errorf("%s: are the credentials refused? %v", tc.reason, err)
			}
			if err == nil && string(one.Text) != tc.body {
				t.Errorf("%s: got %d bytes", tc.reason, len(one.Text))
			}
		})
	}
}

// TestRedirects: what a store sends, it sends to the server that it names.
func TestRedirects(t *testing.T) {
	stolen := make(chan string, 100)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { stolen <- r.Header.Get("X-Token") }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/there":
			_, _ = io.WriteString(w, r.Header.Get("X-Token"))
		case "/path":
			http.Redirect(w, r, "/there", http.StatusFound)
		case "/other":
			http.Redirect(w, r, other.URL+"/there", http.StatusTemporaryRedirect)
		case "/scheme":
			http.Redirect(w, r, "https://"+r.Host+"/there", http.StatusMovedPermanently)
		default:
			http.Redirect(w, r, "/again", http.StatusFound)
		}
	}))
	defer server.Close()
	p := must(t, server.URL, `,"headers":{"X-Token":"{{ .auth.token }}"}`)
	for key, tc := range map[string]struct{ reason, want string }{
		"path":   {"another path of the same server", ""},
		"other":  {"another server", "redirects to another one"},
		"scheme": {"the server by another scheme", "redirects to another one"},
		"again":  {"itself", "again and again"},
	} {
		one, err := p.Read(t.Context(), provider.Ref{Key: key})
		if (err != nil) != (tc.want != "") || err != nil && (!strings.Contains(err.Error(), tc.want) || errors.Is(err, entry.ErrNotFound)) || err == nil && string(one.Text) != planted {
			t.Errorf("%s: %s: got %q, %v", key, tc.reason, one.Text, err)
		}
	}
	if len(stolen) > 0 {
		t.Errorf("another server was sent %q", <-stolen)
	}
}

// TestServersThatAreNone: no error has the address, in which credentials are, or what the server said.
func TestServersThatAreNone(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	answers := make(chan string, 1)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			buffer := make([]byte, 4096)
			_, _ = connection.Read(buffer)
			_, _ = connection.Write([]byte(<-answers))
			_ = connection.Close()
		}
	}()
	for name, text := range map[string]string{
		"words": planted + " " + planted + "\r\n", "status": "HTTP/1.1 " + planted + "\r\n\r\n", "nothing": "", "half": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + planted,
		"header": "HTTP/1.1 200 OK\r\n" + planted + "\r\n\r\n", "reason": "HTTP/1.1 500 " + planted + "\r\n\r\n", "redirect": "HTTP/1.1 302 Found\r\nLocation: http://[" + planted + "\r\n\r\n",
		"other scheme": "HTTP/1.1 302 Found\r\nLocation: file:///" + planted + "\r\n\r\n",
	} {
		answers <- text
		if _, err := must(t, "http://"+listener.Addr().String(), "").Read(t.Context(), provider.Ref{Key: "db"}); err == nil || strings.Contains(err.Error(), "hunter") || errors.Is(err, entry.ErrNotFound) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for name, address := range map[string]string{
		"no address": ":", "host": "http://{{ .auth.token }}.invalid", "no port": "http://127.0.0.1:0", "scheme": "ftp://127.0.0.1", "function": "{{ fail .auth.token }}", "user": "http://{{ .auth.token }}@127.0.0.1:0",
		"line": `http://127.0.0.1/{{ print .auth.token \"\\n\" }}`, "bad port": "http://127.0.0.1:{{ .auth.token }}",
	} {
		p, err := opened(t, address, "")
		if err == nil {
			_, err = p.Read(t.Context(), provider.Ref{Key: "db"})
		}
		if err == nil || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	p := must(t, "http://127.0.0.1:0", `,"headers":{"X-Token":"{{ .auth.token }}\n"}`)
	if _, err := p.Read(t.Context(), provider.Ref{Key: "db"}); err == nil || strings.Contains(err.Error(), "hunter") {
		t.Errorf("a header of two lines: %v", err)
	}
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer slow.Close()
	if _, err := must(t, slow.URL, `,"timeout":"50ms"`).Read(t.Context(), provider.Ref{Key: "db"}); err == nil || strings.Contains(err.Error(), "hunter") {
		t.Errorf("a server that does not answer: %v", err)
	}
}

func TestConfigurations(t *testing.T) {
	for name, tc := range map[string]struct{ reason, more, want string }{
		"timeout":     {"a time that is none", `,"timeout":"soon"`, `timeout "soon"`},
		"no time":     {"no time", `,"timeout":"0s"`, `timeout "0s"`},
		"ntlm":        {"what is not supported says so", `,"auth":{"ntlm":{}}`, "auth.ntlm is not supported"},
		"no url":      {"no address", `,"url":""`, "url is empty"},
		"absent":      {"a Secret that there is not", `,"secrets":[{"name":"a","secretRef":{"name":"nope"}}]`, "secrets[0]: Secret ns/nope does not exist"},
		"no label":    {"a Secret that is not for this", `,"secrets":[{"name":"a","secretRef":{"name":"plain"}}]`, "secrets[0]: Secret ns/plain lacks the label external-secrets.io/type: webhook"},
		"elsewhere":   {"a Secret of another namespace", `,"secrets":[{"name":"a","secretRef":{"name":"hook","namespace":"other"}}]`, "own namespace alone"},
		"certificate": {"a certificate that is none", `,"caBundle":"aHVudGVyMjI="`, "no certificate in PEM"},
		"CA":          {"one that is not there", `,"caProvider":{"type":"Secret","name":"nope","key":"x"}`, "Secret ns/nope does not exist"},
		"types":       {"a field of another type", `,"headers":["hunter22"]`, "Config.headers"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := opened(t, "http://127.0.0.1", tc.more); err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter") {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
	if _, err := must(t, "http://127.0.0.1", "").Find(t.Context(), esv1.Find{}); err == nil || !strings.Contains(err.Error(), "use extract") {
		t.Errorf("a search: %v", err)
	}
}

package serve_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiproxy "k8s.io/apiserver/pkg/util/proxy"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

// node is the control plane with a kubelet whose containers run a shell: nodes
// of the control plane itself are simulated, and have none. It stands before the
// API server and takes what is for containers, as that does.
type node struct {
	url     string
	kubelet *url.URL
	// sockets reports whether the API server knows WebSockets.
	sockets atomic.Bool

	mu    sync.Mutex
	users []string
}

func newNode(t *testing.T) *node {
	t.Helper()
	through, err := rest.TransportFor(hub)
	if err != nil {
		t.Fatal(err)
	}
	n := &node{}
	kubelet := httptest.NewServer(http.HandlerFunc(n.run))
	t.Cleanup(kubelet.Close)
	n.kubelet = mustParse(t, kubelet.URL)
	server, _, err := rest.DefaultServerUrlFor(hub)
	if err != nil {
		t.Fatal(err)
	}
	others := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(server) }, Transport: through,
		FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if at := execPath.FindStringSubmatch(r.URL.Path); at != nil {
			n.exec(w, r, at[1], at[2])
			return
		}
		others.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	n.url = front.URL
	n.sockets.Store(true)
	return n
}

var execPath = regexp.MustCompile(`^/api/v1/namespaces/([^/]+)/pods/([^/]+)/exec$`)

// config reaches it.
func (n *node) config() *rest.Config {
	return &rest.Config{Host: n.url, QPS: hub.QPS, Burst: hub.Burst}
}

func (n *node) saw(user string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Contains(n.users, user)
}

// exec is what an API server does: it asks for the right of who is meant, and
// hands on to the kubelet.
func (n *node) exec(w http.ResponseWriter, r *http.Request, namespace, pod string) {
	user := r.Header.Get("Impersonate-User")
	n.mu.Lock()
	n.users = append(n.users, user)
	n.mu.Unlock()
	if err := mayExec(r.Context(), rest.ImpersonationConfig{UserName: user, Groups: r.Header.Values("Impersonate-Group")}, namespace, pod); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	to := *n.kubelet
	to.RawQuery = url.Values{
		"command": r.URL.Query()["command"], remotecommand.ExecStdinParam: {"1"}, remotecommand.ExecStdoutParam: {"1"}, remotecommand.ExecTTYParam: {"1"},
	}.Encode()
	if !n.sockets.Load() || !websocket.IsWebSocketUpgrade(r) {
		http.Error(w, "what is this?", http.StatusBadRequest)
		return
	}
	apiproxy.NewStreamTranslatorHandler(&to, nil, 0, apiproxy.Options{Stdin: true, Stdout: true, Tty: true}).ServeHTTP(w, r)
}

func mayExec(ctx context.Context, as rest.ImpersonationConfig, namespace, pod string) error {
	c := rest.CopyConfig(hub)
	c.Impersonate = as
	clients, err := kubernetes.NewForConfig(c)
	if err != nil {
		return err
	}
	answer, err := clients.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: "create", Resource: "pods", Subresource: "exec", Namespace: namespace, Name: pod,
		}},
	}, metav1.CreateOptions{})
	if err == nil && !answer.Status.Allowed {
		err = fmt.Errorf("%s may not", as.UserName)
	}
	return err
}

// run is the kubelet.
func (n *node) run(w http.ResponseWriter, r *http.Request) {
	o, err := remotecommand.NewOptions(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	const open = time.Hour
	remotecommand.ServeExec(w, r, parrot{}, "", "", "", r.URL.Query()["command"], o, open, open, remotecommand.SupportedStreamingProtocols)
}

// parrot is a container with a shell, sh, that says again what it hears.
type parrot struct{}

// ExecInContainer implements remotecommand.Executor.
func (parrot) ExecInContainer(_ context.Context, _, _, _ string, cmd []string, in io.Reader, out, _ io.WriteCloser, _ bool, resize <-chan remotecommand.TerminalSize, _ time.Duration) error {
	if cmd[0] != "sh" {
		return fmt.Errorf("exec: %q: executable file not found in $PATH", cmd[0])
	}
	heard := make(chan string)
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		defer close(heard)
		for buffer := make([]byte, 1024); ; {
			count, err := in.Read(buffer)
			if err != nil {
				return
			}
			select {
			case heard <- string(buffer[:count]):
			case <-ended:
				return
			}
		}
	}()
	return talk(out, heard, resize)
}

func talk(out io.Writer, heard <-chan string, resize <-chan remotecommand.TerminalSize) error {
	_, err := io.WriteString(out, "$ ")
	for err == nil {
		select {
		case size, ok := <-resize:
			if !ok {
				resize = nil
				continue
			}
			_, err = fmt.Fprintf(out, "[%dx%d]", size.Width, size.Height)
		case text, ok := <-heard:
			var code int
			switch {
			case !ok:
				return nil
			case strings.HasPrefix(text, "exit "):
				if _, err := fmt.Sscanf(text, "exit %d", &code); err != nil || code == 0 {
					return err
				}
				return utilexec.CodeExitError{Err: errors.New("as it was told"), Code: code}
			}
			_, err = io.WriteString(out, text)
		}
	}
	return err
}

package tty

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gorilla/websocket"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport"
	"k8s.io/client-go/util/exec"

	"github.com/causeway-gitops/causeway/internal/fleet/credential"
)

const exit3 = `{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}`

// server opens terminals, and does there what it is told.
func server(t *testing.T, run func(*http.Request, *websocket.Conn)) *httptest.Server {
	t.Helper()
	up := websocket.Upgrader{Subprotocols: []string{"v5.channel.k8s.io"}}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		run(r, conn)
		_ = conn.Close()
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func caOf(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

func configOf(s *httptest.Server) *rest.Config {
	return &rest.Config{Host: s.URL, TLSClientConfig: rest.TLSClientConfig{CAData: caOf(s), ServerName: "example.com"}}
}

type noSizes struct{}

// Next implements remotecommand.TerminalSizeQueue.
func (noSizes) Next() *remotecommand.TerminalSize { return nil }

func open(t *testing.T, config *rest.Config, out io.Writer) error {
	t.Helper()
	at, err := url.Parse(config.Host + "/exec")
	if err != nil {
		t.Fatal(err)
	}
	return Open(t.Context(), config, at, remotecommand.StreamOptions{Stdin: strings.NewReader("ls\n"), Stdout: out, TerminalSizeQueue: noSizes{}})
}

func send(conn *websocket.Conn, channel byte, text string) error {
	return conn.WriteMessage(websocket.BinaryMessage, append([]byte{channel}, text...))
}

func TestTerminalCarriesBothWaysAndItsEnd(t *testing.T) {
	long := strings.Repeat("x", 3*piece)
	s := server(t, func(_ *http.Request, conn *websocket.Conn) {
		_, typed, _ := conn.ReadMessage()
		_ = send(conn, 1, string(typed[1:])+long)
		_ = send(conn, 3, exit3)
	})
	var out bytes.Buffer
	err := open(t, configOf(s), &out)
	var exit exec.CodeExitError
	if !errors.As(err, &exit) || exit.Code != 3 || out.String() != "ls\n"+long {
		t.Errorf("%v, %d bytes", err, out.Len())
	}
}

// accepts answers that it speaks WebSockets, and says this to the key.
type accepts string

// RoundTrip implements http.RoundTripper.
func (a accepts) RoundTrip(*http.Request) (*http.Response, error) {
	mine, other := net.Pipe()
	_ = other.Close()
	h := http.Header{"Sec-Websocket-Protocol": {"v5.channel.k8s.io"}}
	if a != "" {
		h.Set("Sec-WebSocket-Accept", string(a))
	}
	return &http.Response{StatusCode: http.StatusSwitchingProtocols, Header: h, Body: mine}, nil
}

// TestTerminalAsksForTheAnswerToItsKey: another one is a server's that took the
// request for something else, or of another request.
func TestTerminalAsksForTheAnswerToItsKey(t *testing.T) {
	// The example of RFC 6455, 1.3.
	if got := acceptOf("dGhlIHNhbXBsZSBub25jZQ=="); got != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
		t.Errorf("to the key of the example it is %q", got)
	}
	for _, said := range []accepts{"", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="} {
		err := open(t, &rest.Config{Host: "https://east.example.com", Transport: said}, io.Discard)
		var not *NoSocket
		if !errors.As(err, &not) || !strings.Contains(err.Error(), "east.example.com") || !strings.Contains(err.Error(), "Sec-WebSocket-Accept") {
			t.Errorf("of %q: %v", said, err)
		}
	}
}

// TestTerminalTellsRefusalsFromServersWithoutSockets: what an API server says of the
// request itself is not for who sets up proxies.
func TestTerminalTellsRefusalsFromServersWithoutSockets(t *testing.T) {
	for says, want := range map[string]bool{"Upgrade request required": true, "container x is not valid for pod web": false} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"BadRequest","code":400,"message":"`+says+`"}`)
		}))
		t.Cleanup(s.Close)
		err := open(t, &rest.Config{Host: s.URL}, io.Discard)
		var not *NoSocket
		if errors.As(err, &not) != want || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// TestTerminalReadsLittleOfTheEnd: a cluster may go on saying how it ended.
func TestTerminalReadsLittleOfTheEnd(t *testing.T) {
	s := server(t, func(_ *http.Request, conn *websocket.Conn) {
		for send(conn, 3, strings.Repeat(" ", piece)) == nil { //nolint:revive // until nobody listens
		}
	})
	if err := open(t, configOf(s), io.Discard); !errors.Is(err, ErrWords) {
		t.Errorf("got %v", err)
	}
}

// TestTerminalHasTheClustersCredential where it is in a transport of its own, as
// that of a program or a cloud is.
func TestTerminalHasTheClustersCredential(t *testing.T) {
	var got http.Header
	s := server(t, func(r *http.Request, conn *websocket.Conn) {
		got = r.Header
		_ = send(conn, 3, `{"status":"Success"}`)
	})
	by, err := credential.NewTransport(credential.Options{
		TLS: transport.TLSConfig{CAData: caOf(s), ServerName: "example.com"}, Source: source{},
	})
	if err != nil {
		t.Fatal(err)
	}
	config := &rest.Config{Host: s.URL, Transport: by, Impersonate: rest.ImpersonationConfig{UserName: "jane"}}
	if err := open(t, config, io.Discard); err != nil {
		t.Fatal(err)
	}
	if got.Get("Authorization") != "Bearer of-a-program" || got.Get("Impersonate-User") != "jane" {
		t.Errorf("asked with %q as %q", got.Get("Authorization"), got.Get("Impersonate-User"))
	}
}

// TestTerminalIsNotKeptByAServerThatDoesNotRead: what is below has no deadline.
func TestTerminalIsNotKeptByAServerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mine, other := net.Pipe()
		defer func() { _ = other.Close() }()
		if err := (&writer{conn: mine, wait: writeTime}).send(data, []byte("ls")); err == nil {
			t.Error("it was sent")
		}
	})
}

type source struct{}

// Get implements credential.Source.
func (source) Get(context.Context) (credential.Credential, error) {
	return credential.Credential{Token: "of-a-program"}, nil
}

type faultySizes struct{}

// Next implements remotecommand.TerminalSizeQueue.
func (faultySizes) Next() *remotecommand.TerminalSize { panic("a fault") }

// TestTerminalEndsAfterAPanic of what is read beside it.
func TestTerminalEndsAfterAPanic(t *testing.T) {
	s := server(t, func(_ *http.Request, conn *websocket.Conn) {
		_, _, err := conn.ReadMessage()
		for err == nil {
			_, _, err = conn.ReadMessage()
		}
	})
	config := configOf(s)
	at, err := url.Parse(config.Host + "/exec")
	if err != nil {
		t.Fatal(err)
	}
	if err := Open(t.Context(), config, at, remotecommand.StreamOptions{Stdin: strings.NewReader("ls\n"), Stdout: io.Discard, TerminalSizeQueue: faultySizes{}}); err == nil {
		t.Error("it ended well")
	}
}

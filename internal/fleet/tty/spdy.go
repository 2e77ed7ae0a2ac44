package tty

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"      //nolint:staticcheck // client-go takes it
	"k8s.io/apimachinery/pkg/util/httpstream/spdy" //nolint:staticcheck // as above
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
)

const (
	upgradeTo = "SPDY/3.1"
	// mostHeaders bounds the headers of an answer, in bytes.
	mostHeaders = 1 << 20
)

// SPDY runs a terminal where a cluster, or what is before it, knows no WebSockets.
// client-go's own way reads headers of any size.
func SPDY(config *rest.Config, at *url.URL) (remotecommand.Executor, error) {
	secured, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	proxy := config.Proxy
	if proxy == nil {
		proxy = http.ProxyFromEnvironment
	}
	by, err := rest.HTTPWrappersForConfig(config, upgrading{&http.Transport{
		Proxy: proxy, TLSClientConfig: secured, MaxResponseHeaderBytes: mostHeaders, DisableKeepAlives: true,
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}, // HTTP/2 has no upgrades
	}})
	if err != nil {
		return nil, err
	}
	return remotecommand.NewSPDYExecutorForTransports(by, brief{}, http.MethodPost, at)
}

// upgrading asks for SPDY.
type upgrading struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (u upgrading) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", upgradeTo)
	got, err := u.next.RoundTrip(r)
	if err != nil || got.StatusCode != http.StatusSwitchingProtocols {
		return got, err
	}
	if both, ok := got.Body.(io.ReadWriteCloser); ok {
		got.Body = handed{both}
	}
	return got, nil
}

// handed is a connection that stays open when the answer that had it is closed,
// which client-go does at once.
type handed struct{ io.ReadWriteCloser }

// Close implements io.Closer.
func (handed) Close() error { return nil }

// brief makes connections that say little of the end.
type brief struct{}

// NewConnection implements spdy.Upgrader.
func (brief) NewConnection(r *http.Response) (httpstream.Connection, error) {
	both, ok := r.Body.(handed)
	if r.StatusCode != http.StatusSwitchingProtocols || !ok || !strings.EqualFold(r.Header.Get("Upgrade"), upgradeTo) {
		if ok {
			_ = both.ReadWriteCloser.Close()
			return nil, errFrame
		}
		return nil, refusal(r)
	}
	c, err := spdy.NewClientConnectionWithPings(&socket{ReadWriteCloser: both.ReadWriteCloser}, beat)
	if err != nil {
		return nil, err
	}
	return briefConnection{c}, nil
}

// socket is an upgraded connection. One whose server does not read is closed.
type socket struct {
	net.Conn // what nobody asks for: addresses and deadlines
	io.ReadWriteCloser

	frames frames
}

// Read implements net.Conn. It ends before a frame that is too long.
func (s *socket) Read(p []byte) (int, error) {
	n, err := s.ReadWriteCloser.Read(p)
	if long := s.frames.pass(p[:n]); long != nil {
		return 0, long
	}
	return n, err
}

// Write implements net.Conn.
func (s *socket) Write(p []byte) (int, error) {
	late := time.AfterFunc(writeTime, func() { _ = s.Close() })
	defer late.Stop()
	return s.ReadWriteCloser.Write(p)
}

// Close implements net.Conn.
func (s *socket) Close() error { return s.ReadWriteCloser.Close() }

type briefConnection struct{ httpstream.Connection }

// CreateStream implements httpstream.Connection.
func (c briefConnection) CreateStream(h http.Header) (httpstream.Stream, error) {
	s, err := c.Connection.CreateStream(h)
	if err != nil || h.Get(corev1.StreamType) != corev1.StreamTypeError {
		return s, err
	}
	return &briefStream{Stream: s, left: MostWords}, nil
}

// briefStream is read to its end by client-go, whatever that has.
type briefStream struct {
	httpstream.Stream

	left int
}

// Read implements io.Reader.
func (s *briefStream) Read(p []byte) (int, error) {
	if s.left == 0 {
		if n, err := io.ReadFull(s.Stream, make([]byte, 1)); n == 0 {
			return 0, err
		}
		_ = s.Reset() // nothing more of it is wanted
		return 0, ErrWords
	}
	n, err := s.Stream.Read(p[:min(len(p), s.left)])
	s.left -= n
	return n, err
}

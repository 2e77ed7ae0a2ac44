package tty

import (
	"io"
	"net/http"
	"net/url"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport/spdy"
)

// SPDY runs a terminal where a cluster, or what is before it, knows no WebSockets.
func SPDY(config *rest.Config, at *url.URL) (remotecommand.Executor, error) {
	by, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return nil, err
	}
	return remotecommand.NewSPDYExecutorForTransports(by, brief{upgrader}, http.MethodPost, at)
}

// brief makes connections that say little of the end.
type brief struct{ spdy.Upgrader }

// NewConnection implements spdy.Upgrader.
func (b brief) NewConnection(r *http.Response) (httpstream.Connection, error) {
	c, err := b.Upgrader.NewConnection(r)
	if err != nil {
		return nil, err
	}
	return briefConnection{c}, nil
}

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

package tty

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // RFC 6455 asks for it
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	protocol "k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"

	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	// MostWords bounds what a cluster says of the end of a terminal, in bytes.
	MostWords = 64 << 10
	// shown bounds what is repeated of it.
	shown = 2 << 10
	// beat is how often a silent cluster is asked, and silence how long it may be.
	beat    = 5 * time.Second
	silence = time.Minute
)

// ErrWords is that a cluster says more of the end than is read.
var ErrWords = fmt.Errorf("the cluster says more than %d KiB of the end of the terminal, which is not read", MostWords>>10)

// NoSocket is that a cluster, or what is before it, opens no WebSocket.
type NoSocket struct{ Cause error }

// Error implements error.
func (n *NoSocket) Error() string { return "no WebSocket was opened: " + n.Cause.Error() }

// Unwrap is what was answered.
func (n *NoSocket) Unwrap() error { return n.Cause }

// Open runs a terminal until it ends. Its errors are those of the API server that
// refuses one, NoSocket, and how a terminal ended.
//
// Other clients fall back to SPDY, for clusters before Kubernetes 1.30. This one does
// not: SPDY keeps whatever streams and headers a server sends, and a server that
// answers a ping twice ends the process of the client.
func Open(ctx context.Context, config *rest.Config, at *url.URL, o remotecommand.StreamOptions) error {
	transport, err := rest.TransportFor(config)
	if err != nil {
		return err
	}
	conn, err := upgrade(ctx, transport, at)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	defer func() { _ = conn.Close() }()
	t := &terminal{to: &writer{conn: conn, wait: writeTime}, out: o.Stdout}
	part := func(do func()) { // after a panic of one the terminal ends
		if err := crew.Safely(func() error { do(); return nil }); err != nil {
			cancel(err)
		}
	}
	go part(func() { t.beat(ctx) })                   // ends with ctx
	go part(func() { t.keys(o.Stdin) })               // ends with its reader, or when it cannot send what is read
	go part(func() { t.resize(o.TerminalSizeQueue) }) // ends with its queue, or in the same way
	quiet := time.AfterFunc(silence, func() { _ = conn.Close() })
	defer quiet.Stop()
	err = t.read(bufio.NewReaderSize(conn, piece), func() { quiet.Reset(silence) })
	if broke := (*crew.Panic)(nil); errors.As(context.Cause(ctx), &broke) {
		return broke // however the server took it that the connection ended
	}
	return err
}

// upgrade asks for a WebSocket.
func upgrade(ctx context.Context, by http.RoundTripper, at *url.URL) (io.ReadWriteCloser, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	key := base64.StdEncoding.EncodeToString(random[:])
	for name, value := range map[string]string{
		"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
		"Sec-WebSocket-Key": key, "Sec-WebSocket-Protocol": protocol.StreamProtocolV5Name,
	} {
		r.Header.Set(name, value)
	}
	got, err := by.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	conn, ok := got.Body.(io.ReadWriteCloser)
	switch {
	case got.StatusCode != http.StatusSwitchingProtocols:
		err = refusal(got)
	case !ok || got.Header.Get("Sec-WebSocket-Protocol") != protocol.StreamProtocolV5Name:
		err = errors.New("the cluster speaks another protocol than " + protocol.StreamProtocolV5Name)
	case strings.TrimSpace(got.Header.Get("Sec-WebSocket-Accept")) != acceptOf(key):
		err = fmt.Errorf("the answer of %s opens no WebSocket: its header Sec-WebSocket-Accept does not fit the key that was sent", at.Host)
	default:
		return conn, nil
	}
	_ = got.Body.Close()
	if status := (*apierrors.StatusError)(nil); errors.As(err, &status) && !asksForAnother(status) {
		return nil, err
	}
	return nil, &NoSocket{err}
}

// asksForAnother reports whether an API server does not know this upgrade: those
// before Kubernetes 1.30 answer as if none was asked for.
func asksForAnother(err *apierrors.StatusError) bool {
	return apierrors.IsBadRequest(err) && strings.Contains(strings.ToLower(err.ErrStatus.Message), "upgrade")
}

// acceptOf is what a server says to a key, by which it shows that it knows
// WebSockets and answers this very request (RFC 6455, 4.1 and 4.2.2).
func acceptOf(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // as the RFC has it: nothing rests on its strength
	return base64.StdEncoding.EncodeToString(sum[:])
}

// refusal is why there is no WebSocket.
func refusal(got *http.Response) error {
	words, _ := io.ReadAll(io.LimitReader(got.Body, MostWords)) // as far as they came
	var status metav1.Status
	if json.Unmarshal(words, &status) == nil && status.Kind == "Status" {
		status.Message = gitops.First(status.Message, shown)
		return &apierrors.StatusError{ErrStatus: status}
	}
	return fmt.Errorf("%s: %s", gitops.First(got.Status, shown), gitops.First(string(words), shown))
}

// terminal is an open one.
type terminal struct {
	to    *writer
	out   io.Writer
	words []byte
}

// read hands on what the cluster sends until it ends.
func (t *terminal) read(from *bufio.Reader, heard func()) error {
	buffer := make([]byte, piece)
	channel, begun := byte(0), false
	for {
		h, err := readHeader(from)
		if err != nil {
			return t.ended(err)
		}
		heard()
		if h.kind >= closes {
			if err := t.control(h, from); err != nil {
				return t.ended(err)
			}
			continue
		}
		if (h.kind == more) != begun || h.kind != more && h.kind != data {
			return errFrame
		}
		for left := h.size; left > 0; {
			n, err := from.Read(buffer[:min(left, piece)])
			text := buffer[:n]
			left -= uint64(n) //nolint:gosec // it is not negative
			if n > 0 && !begun {
				channel, begun, text = text[0], true, text[1:]
			}
			if err := t.take(channel, text); err != nil {
				return err
			}
			if err != nil {
				return t.ended(err)
			}
			heard()
		}
		begun = !h.final
	}
}

func (t *terminal) take(channel byte, text []byte) error {
	switch channel {
	case protocol.StreamStdOut:
		if len(text) > 0 {
			_, err := t.out.Write(text)
			return err
		}
	case protocol.StreamErr:
		if len(t.words)+len(text) > MostWords {
			return ErrWords
		}
		t.words = append(t.words, text...)
	}
	return nil
}

func (t *terminal) control(h header, from io.Reader) error {
	text := make([]byte, h.size)
	if _, err := io.ReadFull(from, text); err != nil {
		return err
	}
	switch h.kind {
	case closes:
		return io.EOF
	case ping:
		return t.to.send(pong, text)
	}
	return nil
}

// ended says how a terminal ended after which nothing more is read.
func (t *terminal) ended(err error) error {
	if len(t.words) > 0 {
		return Ended(t.words)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Ended is what a cluster says of the end: nil, exec.CodeExitError or its words.
func Ended(words []byte) error {
	var status metav1.Status
	if err := json.Unmarshal(words, &status); err != nil {
		return errFrame
	}
	if status.Status == metav1.StatusSuccess {
		return nil
	}
	if status.Details != nil && status.Reason == protocol.NonZeroExitCodeReason {
		for _, cause := range status.Details.Causes {
			code, err := strconv.ParseUint(cause.Message, 10, 8)
			if cause.Type == protocol.ExitCodeCauseType && err == nil {
				return exec.CodeExitError{Err: fmt.Errorf("the command ended with %d", code), Code: int(code)}
			}
		}
	}
	return errors.New(gitops.First(cmp.Or(status.Message, string(status.Reason), "the cluster does not say why the terminal ended"), shown))
}

// keys sends what is typed, and that there is no more.
func (t *terminal) keys(in io.Reader) {
	buffer := make([]byte, piece)
	buffer[0] = protocol.StreamStdIn
	for {
		n, err := in.Read(buffer[1:])
		if n > 0 && t.to.send(data, buffer[:n+1]) != nil {
			return
		}
		if err != nil {
			_ = t.to.send(data, []byte{protocol.StreamClose, protocol.StreamStdIn}) // the reader says what is wrong
			return
		}
	}
}

func (t *terminal) resize(sizes remotecommand.TerminalSizeQueue) {
	for size := sizes.Next(); size != nil; size = sizes.Next() {
		text, err := json.Marshal(size)
		if err != nil || t.to.send(data, append([]byte{protocol.StreamResize}, text...)) != nil {
			return
		}
	}
}

func (t *terminal) beat(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if t.to.send(ping, nil) != nil {
				return
			}
		}
	}
}

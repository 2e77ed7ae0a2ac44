package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/causeway-gitops/causeway/internal/server/stream"
)

// Bounds of frames.
const (
	// maxFrame is what a browser sends at a time, in bytes.
	maxFrame = 64 << 10
	// maxControl bounds what the server says of the end.
	maxControl = 2 << 10
	// pongTime is how long a browser may be silent that is asked every stream.Beat.
	pongTime = 4 * stream.Beat
	// closeTime is for the words of farewell.
	closeTime = 5 * time.Second
)

// control is a text frame. One of its fields is set.
type control struct {
	Resize *Size   `json:"resize,omitempty"`
	Opened *opened `json:"opened,omitempty"`
	Ended  *End    `json:"ended,omitempty"`
}

type opened struct {
	Shell string `json:"shell"`
}

var errFrame = errors.New("the browser sent what is no part of a terminal")

// wire is the browser's end.
type wire struct {
	conn *websocket.Conn

	mu     sync.Mutex // of writers
	closed bool
}

// upgrade makes a WebSocket of a request. Who may is settled before; that it is
// no other site's page, too. What goes wrong is answered.
func upgrade(w http.ResponseWriter, r *http.Request) (*wire, error) {
	up := websocket.Upgrader{
		CheckOrigin: func(*http.Request) bool { return true },
		Error: func(w http.ResponseWriter, _ *http.Request, code int, reason error) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(code)
			_ = json.NewEncoder(w).Encode(map[string]any{"title": http.StatusText(code), "status": code, "detail": reason.Error()}) //nolint:errchkjson // texts and a number; after an error the client has gone
		},
	}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(maxFrame)
	conn.SetPongHandler(func(string) error { return conn.SetReadDeadline(time.Now().Add(pongTime)) })
	return &wire{conn: conn}, nil
}

// read hands on what the browser sends until it is gone.
func (w *wire) read(ctx context.Context, in *Input, sizes *Sizes, typed func()) error {
	for {
		_ = w.conn.SetReadDeadline(time.Now().Add(pongTime)) // the read says what is wrong
		kind, data, err := w.conn.ReadMessage()
		if err != nil {
			return err
		}
		if kind == websocket.BinaryMessage {
			typed()
			if err := in.put(ctx, data); err != nil {
				return err
			}
			continue
		}
		var c control
		if json.Unmarshal(data, &c) != nil || c.Resize == nil {
			return errFrame
		}
		sizes.Put(*c.Resize)
	}
}

// Write sends bytes of the terminal. A browser that does not take them in time
// is gone, and until then nothing more is read of the shell.
func (w *wire) Write(p []byte) (int, error) { return len(p), w.send(websocket.BinaryMessage, p) }

func (w *wire) tell(c control) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return w.send(websocket.TextMessage, text)
}

var errClosed = errors.New("the terminal has ended")

func (w *wire) send(kind int, p []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return errClosed
	}
	_ = w.conn.SetWriteDeadline(time.Now().Add(stream.WriteTime)) // the write says what is wrong
	return w.conn.WriteMessage(kind, p)
}

// beat asks whether the browser is there.
func (w *wire) beat() error {
	return w.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(closeTime))
}

// close says why, if the browser listens, and hangs up. A writer who waits for
// a browser that takes nothing is cut off.
func (w *wire) close(end *End) {
	late := time.AfterFunc(closeTime, func() { _ = w.conn.Close() })
	defer late.Stop()
	text, err := json.Marshal(control{Ended: end})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	_ = w.conn.SetWriteDeadline(time.Now().Add(closeTime)) // who has gone is not told
	if err == nil && w.conn.WriteMessage(websocket.TextMessage, text) == nil {
		_ = w.conn.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, string(end.Reason)))
	}
	_ = w.conn.Close()
}

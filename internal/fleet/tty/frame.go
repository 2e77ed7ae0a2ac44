package tty

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"
)

// Kinds of frames of RFC 6455.
const (
	more   = 0x0
	data   = 0x2
	closes = 0x8
	ping   = 0x9
	pong   = 0xA
)

const (
	final  = 0x80
	masked = 0x80
	// mostControl bounds a control frame, as RFC 6455 does.
	mostControl = 125
	// piece is how much of a frame is read or written at a time, in bytes.
	piece = 32 << 10
	// writeTime is how long a server may leave what is written unread.
	writeTime = 30 * time.Second
)

var errFrame = errors.New("the cluster sent what is no part of a terminal")

// header is that of a frame.
type header struct {
	kind  byte
	final bool
	size  uint64
}

func readHeader(from *bufio.Reader) (header, error) {
	var b [8]byte
	if _, err := io.ReadFull(from, b[:2]); err != nil {
		return header{}, err
	}
	h := header{kind: b[0] & 0x0f, final: b[0]&final != 0, size: uint64(b[1] &^ masked)}
	if b[0]&0x70 != 0 || b[1]&masked != 0 {
		return header{}, errFrame
	}
	wide := 0
	switch h.size {
	case 126:
		wide = 2
	case 127:
		wide = 8
	}
	if h.kind >= closes && (!h.final || h.size > mostControl) {
		return header{}, errFrame
	}
	if wide == 0 {
		return h, nil
	}
	if _, err := io.ReadFull(from, b[8-wide:]); err != nil {
		return header{}, err
	}
	clear(b[:8-wide])
	h.size = binary.BigEndian.Uint64(b[:])
	return h, nil
}

// writer sends frames, one at a time.
type writer struct {
	mu   sync.Mutex
	conn io.WriteCloser
	wait time.Duration
}

// send writes one frame. A server that does not read loses the connection: what
// is below has no deadline of its own.
func (w *writer) send(kind byte, text []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var key [4]byte
	_, _ = rand.Read(key[:]) // never fails
	frame := make([]byte, 0, len(text)+14)
	frame = append(frame, final|kind)
	frame = append(frame, lengthOf(len(text))...)
	frame = append(frame, key[:]...)
	for i, c := range text {
		frame = append(frame, c^key[i%len(key)])
	}
	late := time.AfterFunc(w.wait, func() { _ = w.conn.Close() })
	defer late.Stop()
	_, err := w.conn.Write(frame)
	return err
}

// lengthOf is a length of at most piece bytes and a channel.
func lengthOf(n int) []byte {
	if n <= mostControl {
		return []byte{masked | byte(n)} //nolint:gosec // it fits in seven bits
	}
	return []byte{masked | 126, byte(n >> 8), byte(n)} //nolint:gosec // its two bytes
}

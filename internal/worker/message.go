package worker

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

const (
	// maxFrame bounds each part of a message, in bytes.
	maxFrame = 128 << 20
	// maxHead bounds the head of what a worker says: what it becomes when it is read
	// takes up to twenty times as much.
	maxHead = 4 << 20
)

// ErrLong is of a message that is not sent, as a part of it has more than 128 MiB.
var ErrLong = errors.New("a message is too long")

var errFrame = errors.New("a message is broken")

// Conn is one end of the talk between the engine and a worker. Its messages
// have a head, which is JSON, and a body of bytes.
type Conn struct {
	in  *bufio.Reader
	out *bufio.Writer
	// computes is since when nothing was said, in nanoseconds since 1970; 0
	// while a message is waited for.
	computes atomic.Int64
	// head bounds that of a message that is received.
	head int64
}

// NewConn speaks over a reader and a writer.
func NewConn(in io.Reader, out io.Writer) *Conn {
	return &Conn{in: bufio.NewReader(in), out: bufio.NewWriter(out), head: maxFrame}
}

// silent is for how long this end has computed without a word.
func (c *Conn) silent() time.Duration {
	since := c.computes.Load()
	if since == 0 {
		return 0
	}
	return time.Since(time.Unix(0, since))
}

// Send writes a message.
func (c *Conn) Send(head any, body []byte) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // six bytes for one
	if err := encoder.Encode(head); err != nil {
		return err
	}
	if text.Len() > maxFrame || len(body) > maxFrame {
		return fmt.Errorf("%w: it has %d bytes", ErrLong, text.Len()+len(body))
	}
	var lengths [8]byte
	binary.BigEndian.PutUint32(lengths[:4], uint32(text.Len())) //nolint:gosec // bounded above
	binary.BigEndian.PutUint32(lengths[4:], uint32(len(body)))  //nolint:gosec // bounded above
	for _, part := range [][]byte{lengths[:], text.Bytes(), body} {
		if _, err := c.out.Write(part); err != nil {
			return err
		}
	}
	return c.out.Flush()
}

// Receive reads a message. io.EOF stands for an end between messages.
func (c *Conn) Receive(head any) (body []byte, err error) {
	c.computes.Store(0)
	defer func() { c.computes.Store(time.Now().UnixNano()) }()
	var lengths [8]byte
	if _, err := io.ReadFull(c.in, lengths[:]); err != nil {
		return nil, err
	}
	text, err := c.part(lengths[:4], c.head)
	if err == nil {
		body, err = c.part(lengths[4:], maxFrame)
	}
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(text, head) != nil {
		return nil, errFrame
	}
	return body, nil
}

// part grows with what arrives, not with what is announced.
func (c *Conn) part(length []byte, most int64) ([]byte, error) {
	n := int64(binary.BigEndian.Uint32(length))
	if n > most {
		return nil, errFrame
	}
	var b bytes.Buffer
	if read, err := io.Copy(&b, io.LimitReader(c.in, n)); err != nil || read < n {
		return nil, io.ErrUnexpectedEOF
	}
	return b.Bytes(), nil
}

package directory

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// message is what the engine and a worker say to each other; one field is
// set. The engine says Evaluate, the worker Import as often as it needs to,
// each answered by Content, and Result at the end.
type message struct {
	Evaluate *evaluation `json:",omitempty"`
	Import   *importing  `json:",omitempty"`
	Content  *content    `json:",omitempty"`
	Result   *result     `json:",omitempty"`
}

// evaluation is a file to evaluate.
type evaluation struct {
	File      string
	Text      []byte
	Variables []variable
	// Stack bounds calls inside calls.
	Stack int
	// Time is what it may take.
	Time time.Duration
}

type variable struct {
	Name, Value string
	// Code: the value is Jsonnet. Top: it is an argument of the file's
	// function, else an external variable.
	Code, Top bool
}

type importing struct{ From, Name string }

// content is an imported file, or why there is none.
type content struct {
	Path    string
	Text    []byte
	Missing string
}

// result is what a file evaluates to, or the interpreter's error.
type result struct {
	Text  []byte
	Error string
}

// maxFrame bounds a message.
const maxFrame = 64 << 20

var errFrame = errors.New("a message is broken")

// send writes the length of a message, four bytes, and the message as JSON.
func send(w io.Writer, m message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(body) > maxFrame {
		return fmt.Errorf("a message of %d bytes is larger than the limit of %d", len(body), maxFrame)
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)) //nolint:gosec // bounded above
	return err
}

// receive reads a message. io.EOF stands for an end between messages.
func receive(r io.Reader) (message, error) {
	var m message
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return m, err
	}
	length := int64(binary.BigEndian.Uint32(head[:]))
	if length > maxFrame {
		return m, errFrame
	}
	var body bytes.Buffer // grows with what arrives, not with what is announced
	if n, err := io.Copy(&body, io.LimitReader(r, length)); err != nil || n < length {
		return m, io.ErrUnexpectedEOF
	}
	if err := json.Unmarshal(body.Bytes(), &m); err != nil {
		return m, errFrame
	}
	return m, nil
}

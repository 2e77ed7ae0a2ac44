package directory

import (
	"bytes"
	"sync/atomic"
	"testing"
)

// FuzzServe speaks to a worker in any way: it answers or ends, and a broken
// message is an error.
func FuzzServe(f *testing.F) {
	frame := func(messages ...message) []byte {
		var b bytes.Buffer
		for _, m := range messages {
			if err := send(&b, m); err != nil {
				f.Fatal(err)
			}
		}
		return b.Bytes()
	}
	one := message{Evaluate: &evaluation{File: "x", Text: []byte("{a: 1}"), Stack: 20}}
	f.Add(frame(one, one))
	f.Add(frame(message{Evaluate: &evaluation{Text: []byte("import 'a'"), Stack: 20}}, message{Content: &content{Path: "a", Text: []byte("1")}}))
	f.Add(frame(message{Evaluate: &evaluation{Text: []byte("importbin 'a'"), Stack: 20}}, message{Content: &content{Missing: "gone"}}))
	f.Add([]byte{0, 0, 0, 2, '{', '}'})
	f.Add([]byte{255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.Contains(in, []byte("Evaluate")) && len(in) > 400 {
			return // programs are bounded from outside
		}
		var out bytes.Buffer
		_ = serve(bytes.NewReader(in), &out, &atomic.Int64{})
		for out.Len() > 0 {
			m, err := receive(&out)
			if err != nil || m.Import == nil && m.Result == nil {
				t.Fatalf("the worker says %+v, %v", m, err)
			}
		}
	})
}

// FuzzReceive reads any bytes as messages, and what it reads as it writes it.
func FuzzReceive(f *testing.F) {
	f.Add([]byte{0, 0, 0, 13, '{', '"', 'I', 'm', 'p', 'o', 'r', 't', '"', ':', '{', '}', '}'})
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{0, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := receive(bytes.NewReader(in))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := send(&out, m); err != nil {
			t.Fatal(err)
		}
		if _, err := receive(&out); err != nil {
			t.Fatalf("%+v cannot be read again: %v", m, err)
		}
	})
}

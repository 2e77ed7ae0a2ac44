package directory

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/causeway-gitops/causeway/internal/worker"
)

// FuzzServe speaks to a worker in any way: it answers or ends, and a broken
// message is an error.
func FuzzServe(f *testing.F) {
	frame := func(messages ...message) []byte {
		var b bytes.Buffer
		for _, m := range messages {
			if err := worker.NewConn(nil, &b).Send(m, nil); err != nil {
				f.Fatal(err)
			}
		}
		return b.Bytes()
	}
	one := message{Evaluate: &evaluation{File: "x", Text: []byte("{a: 1}"), Stack: 20}}
	f.Add(frame(one, one))
	f.Add(frame(message{Evaluate: &evaluation{Text: []byte("import 'a'"), Stack: 20}}, message{Content: &content{Path: "a", Text: []byte("1")}}))
	f.Add(frame(message{Evaluate: &evaluation{Text: []byte("importbin 'a'"), Stack: 20}}, message{Content: &content{Missing: "gone"}}))
	f.Add([]byte{0, 0, 0, 2, 0, 0, 0, 0, '{', '}'})
	f.Add([]byte{255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.Contains(in, []byte("Evaluate")) && len(in) > 400 {
			return // programs are bounded from outside
		}
		var out bytes.Buffer
		_ = serve(worker.NewConn(bytes.NewReader(in), &out))
		for said := worker.NewConn(&out, nil); ; {
			var m message
			_, err := said.Receive(&m)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil || m.Import == nil && m.Result == nil {
				t.Fatalf("the worker says %+v, %v", m, err)
			}
		}
	})
}

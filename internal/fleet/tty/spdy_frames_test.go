package tty

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/moby/spdystream/spdy"
)

// connected is a connection that only reads.
type connected struct {
	io.Reader
	io.Writer
}

func (connected) Close() error { return nil }

// TestFramesAreBounded: frames come as they were sent, in whatever pieces they are
// read, until one is too long.
func TestFramesAreBounded(t *testing.T) {
	sent := func(sizes ...int) []byte {
		var b bytes.Buffer
		f, err := spdy.NewFramer(&b, &b)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range sizes {
			if err := errors.Join(f.WriteFrame(&spdy.PingFrame{Id: 1}), f.WriteFrame(&spdy.DataFrame{StreamId: 3, Data: make([]byte, size)})); err != nil {
				t.Fatal(err)
			}
		}
		return b.Bytes()
	}
	for name, tc := range map[string]struct {
		reason string
		sizes  []int
		want   error
	}{
		"Fit":     {"what servers send", []int{0, 1, 32 << 10, mostFrame}, nil},
		"TooLong": {"what fills the queues of the library", []int{7, mostFrame + 1, 1}, errLongFrame},
	} {
		t.Run(name, func(t *testing.T) {
			all := sent(tc.sizes...)
			for _, by := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.HalfReader} {
				s := &socket{ReadWriteCloser: connected{Reader: by(bytes.NewReader(all))}}
				if got, err := io.ReadAll(s); !errors.Is(err, tc.want) || tc.want == nil && !bytes.Equal(got, all) {
					t.Errorf("%s: %d of %d bytes, %v", tc.reason, len(got), len(all), err)
				}
			}
			var f frames
			var err error
			for i := 0; i < len(all) && err == nil; i++ {
				err = f.pass(all[i : i+1])
			}
			if !errors.Is(err, tc.want) {
				t.Errorf("byte by byte: %v", err)
			}
		})
	}
}

package serve

import (
	"errors"
	"net"
	"slices"
	"testing"
)

// line is a listener to which connections come from addresses, one after the other.
type line struct {
	net.Listener

	from []string
	// closed are those that were refused, or have ended.
	closed []string
}

func (l *line) Accept() (net.Conn, error) {
	if len(l.from) == 0 {
		return nil, errors.New("there are no more")
	}
	from := l.from[0]
	l.from = l.from[1:]
	return &caller{from: from, line: l}, nil
}

type caller struct {
	net.Conn

	from string
	line *line
}

func (c *caller) RemoteAddr() net.Addr {
	a, _ := net.ResolveTCPAddr("tcp", c.from)
	return a
}

func (c *caller) Close() error {
	c.line.closed = append(c.line.closed, c.from)
	return nil
}

// One network has a share of the connections, and gives its places back.
func TestConnectionsHaveShares(t *testing.T) {
	l := &line{from: []string{"192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3", "[2001:db8::1]:1", "192.0.2.1:4"}}
	f := Few(l, 10, 2)
	first := accepts(t, f, "192.0.2.1:1")
	accepts(t, f, "192.0.2.1:2")
	accepts(t, f, "[2001:db8::1]:1")
	if !slices.Equal(l.closed, []string{"192.0.2.1:3"}) {
		t.Errorf("closed are %q", l.closed)
	}
	_ = first.Close()
	_ = first.Close() // gives one place back, not two
	accepts(t, f, "192.0.2.1:4")
}

// When there are as many as may be, who comes from elsewhere has the place of
// whoever has the most, and nobody that of who has as few.
func TestConnectionsOfOthersComeIn(t *testing.T) {
	l := &line{from: []string{"192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3", "192.0.2.2:1", "192.0.2.3:1", "192.0.2.1:4", "192.0.2.3:2"}}
	f := Few(l, 3, 3)
	for _, want := range []string{"192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3", "192.0.2.2:1", "192.0.2.3:1"} {
		accepts(t, f, want)
	}
	if want := []string{"192.0.2.1:1", "192.0.2.1:2"}; !slices.Equal(l.closed, want) {
		t.Errorf("closed are %q, want %q", l.closed, want)
	}
	if c, err := f.Accept(); err == nil {
		t.Errorf("%s comes in, and all have as few", c.RemoteAddr())
	}
}

func accepts(t *testing.T, l net.Listener, want string) net.Conn {
	t.Helper()
	c, err := l.Accept()
	if err != nil || c.RemoteAddr().String() != want {
		t.Fatalf("got %v, %v; want %s", c, err, want)
	}
	return c
}

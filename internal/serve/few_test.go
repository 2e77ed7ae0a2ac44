package serve

import (
	"errors"
	"net"
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

// One network has a share of the connections, and who comes from elsewhere is
// let in; all together have a bound.
func TestConnectionsHaveShares(t *testing.T) {
	l := &line{from: []string{"192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3", "[2001:db8::1]:1", "[2001:db8::2]:2", "192.0.2.9:1"}}
	f := Few(l, 3, 2)
	first, err := f.Accept()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"192.0.2.1:2", "[2001:db8::1]:1"} {
		c, err := f.Accept()
		if err != nil || c.RemoteAddr().String() != want {
			t.Fatalf("got %v, %v; want %s", c, err, want)
		}
	}
	if len(l.closed) != 1 || l.closed[0] != "192.0.2.1:3" {
		t.Errorf("closed are %q", l.closed)
	}
	_ = first.Close()
	_ = first.Close() // gives one place back, not two
	c, err := f.Accept()
	if err != nil || c.RemoteAddr().String() != "[2001:db8::2]:2" {
		t.Fatalf("after an end: got %v, %v", c, err)
	}
	if _, err := f.Accept(); err == nil {
		t.Error("there are more than all may be")
	}
}

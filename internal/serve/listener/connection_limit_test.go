package listener

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"testing"

	"github.com/causeway-gitops/causeway/internal/auth/origin"
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
	f := Few(l, origin.Share{All: 10, Site: 2, Network: 2}, nil)
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
	f := Few(l, origin.Share{All: 3, Site: 3, Network: 3}, nil)
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

// From however many networks of one site, and from however many sites, nobody
// takes a place of those who came in before, and who are new come in.
func TestConnectionsOfTheKnownStay(t *testing.T) {
	for name, c := range map[string]struct{ reason, site string }{
		"Site":  {"one site has a /48 of networks", "[2001:db8:0:%d::1]:1"},
		"Sites": {"a provider has many sites", "[2001:db8:%d::1]:1"},
	} {
		t.Run(name, func(t *testing.T) {
			known := origin.NewKnown()
			known.Add("192.0.2.1")
			l := &line{from: []string{"192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3"}}
			for n := range 8 {
				l.from = append(l.from, fmt.Sprintf(c.site, n+1))
			}
			l.from = append(l.from, "192.0.2.1:4", "198.51.100.1:1")
			f := Few(l, origin.Share{All: 8, Site: 6, Network: 6, Kept: 4}, known)
			var in []string
			for conn, err := f.Accept(); err == nil; conn, err = f.Accept() {
				in = append(in, conn.RemoteAddr().String())
			}
			for n := range 4 {
				if at := fmt.Sprintf("192.0.2.1:%d", n+1); !slices.Contains(in, at) || slices.Contains(l.closed, at) {
					t.Errorf("%s: %s is not there; in came %q, closed are %q", c.reason, at, in, l.closed)
				}
			}
			if name == "Site" && !slices.Contains(in, "198.51.100.1:1") {
				t.Errorf("%s: who is new does not come in", c.reason)
			}
		})
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

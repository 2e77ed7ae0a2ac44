package listener

import (
	"net"
	"sync"

	"github.com/causeway-gitops/causeway/internal/auth/origin"
)

// Few accepts so many connections of a listener at a time, of one network and of
// one site so many at most, and keeps some of them for known networks. Further
// ones are closed at once: those that wait would be there as well. When there are
// as many as may be, the site that has the most loses its oldest to one that has
// fewer, so that whoever is new comes in.
func Few(l net.Listener, share origin.Share, known *origin.Known) net.Listener {
	return &few{Listener: l, holders: origin.NewHolders(share, known)}
}

type few struct {
	net.Listener

	mu      sync.Mutex
	holders *origin.Holders
}

// Accept implements net.Listener.
func (f *few) Accept() (net.Conn, error) {
	for {
		c, err := f.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if one := (&oneOfFew{Conn: c, of: f}); f.enter(one) {
			return one, nil
		}
		_ = c.Close()
	}
}

// enter takes a place, which may be that of another one: whoever is of the same
// network has as good a right to it.
func (f *few) enter(one *oneOfFew) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	one.place = f.holders.Join(one.RemoteAddr().String(), func() { _ = one.Conn.Close() })
	one.place.Take(1)
	for {
		other, fits := f.holders.Room(one.place)
		if fits {
			return true
		}
		if other == nil || other.Near(one.place) {
			one.place.Leave()
			return false
		}
		other.Drop()
	}
}

// oneOfFew gives its place back when it is closed.
type oneOfFew struct {
	net.Conn

	of    *few
	place *origin.Holding
}

// Close implements net.Conn.
func (c *oneOfFew) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

func (c *oneOfFew) leave() {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.place.Leave()
}

// CloseWrite lets a server end an answer before it has read all of a request.
func (c *oneOfFew) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

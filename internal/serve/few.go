package serve

import (
	"net"
	"sync"

	"github.com/causeway-gitops/causeway/internal/server/session"
)

// Few accepts so many connections of a listener at a time, of one network so
// many at most. Further ones are closed at once: those that wait would be there
// as well, and keep out who comes from elsewhere.
func Few(l net.Listener, all, each int) net.Listener {
	return &few{Listener: l, all: all, each: each, of: map[string]int{}}
}

type few struct {
	net.Listener

	all, each int

	mu   sync.Mutex
	open int
	of   map[string]int
}

// Accept implements net.Listener.
func (f *few) Accept() (net.Conn, error) {
	for {
		c, err := f.Listener.Accept()
		if err != nil {
			return nil, err
		}
		network := session.Network(c.RemoteAddr().String())
		if f.enter(network) {
			return &oneOfFew{Conn: c, leave: sync.OnceFunc(func() { f.leave(network) })}, nil
		}
		_ = c.Close()
	}
}

func (f *few) enter(network string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open >= f.all || f.of[network] >= f.each {
		return false
	}
	f.open++
	f.of[network]++
	return true
}

func (f *few) leave(network string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open--
	if f.of[network]--; f.of[network] == 0 {
		delete(f.of, network)
	}
}

// oneOfFew gives its place back when it is closed.
type oneOfFew struct {
	net.Conn

	leave func()
}

// Close implements net.Conn.
func (c *oneOfFew) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// CloseWrite lets a server end an answer before it has read all of a request.
func (c *oneOfFew) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

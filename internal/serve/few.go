package serve

import (
	"container/list"
	"net"
	"sync"

	"github.com/causeway-gitops/causeway/internal/auth/origin"
)

// Few accepts so many connections of a listener at a time, of one network so
// many at most. Further ones are closed at once: those that wait would be there
// as well. When there are as many as may be, the network that has the most loses
// its oldest to one that has fewer, so that whoever is new comes in.
func Few(l net.Listener, all, each int) net.Listener {
	return &few{Listener: l, all: all, each: each, of: map[string]*list.List{}}
}

type few struct {
	net.Listener

	all, each int

	mu   sync.Mutex
	open int
	of   map[string]*list.List // of *oneOfFew by network, oldest first
}

// Accept implements net.Listener.
func (f *few) Accept() (net.Conn, error) {
	for {
		c, err := f.Listener.Accept()
		if err != nil {
			return nil, err
		}
		one := &oneOfFew{Conn: c, of: f, network: origin.Network(c.RemoteAddr().String())}
		loses, ok := f.enter(one)
		if loses != nil {
			_ = loses.Conn.Close()
		}
		if ok {
			return one, nil
		}
		_ = c.Close()
	}
}

// enter takes a place, which may be that of another one.
func (f *few) enter(one *oneOfFew) (loses *oneOfFew, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.has(one.network) >= f.each {
		return nil, false
	}
	if f.open >= f.all {
		if loses = f.oldest(f.has(one.network)); loses == nil {
			return nil, false
		}
		f.remove(loses)
	}
	if f.of[one.network] == nil {
		f.of[one.network] = list.New()
	}
	f.open++
	one.at = f.of[one.network].PushBack(one)
	return loses, true
}

func (f *few) has(network string) int {
	if l := f.of[network]; l != nil {
		return l.Len()
	}
	return 0
}

// oldest is the first connection of the network that has the most, and more than
// so many; nil where none has.
func (f *few) oldest(than int) (found *oneOfFew) {
	for _, l := range f.of {
		if l.Len() > than {
			than = l.Len()
			found, _ = l.Front().Value.(*oneOfFew)
		}
	}
	return found
}

func (f *few) leave(one *oneOfFew) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.remove(one)
}

func (f *few) remove(one *oneOfFew) {
	if one.at == nil {
		return // it has lost its place already
	}
	l := f.of[one.network]
	l.Remove(one.at)
	one.at = nil
	f.open--
	if l.Len() == 0 {
		delete(f.of, one.network)
	}
}

// oneOfFew gives its place back when it is closed.
type oneOfFew struct {
	net.Conn

	of      *few
	network string
	at      *list.Element // nil without a place
}

// Close implements net.Conn.
func (c *oneOfFew) Close() error {
	defer c.of.leave(c)
	return c.Conn.Close()
}

// CloseWrite lets a server end an answer before it has read all of a request.
func (c *oneOfFew) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

package egress

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
)

// tunnel connects a client with the host that it names, for TLS between them.
func (p *Proxy) tunnel(w http.ResponseWriter, req *http.Request) {
	host, err := p.direct.DialContext(req.Context(), "tcp", req.Host)
	if err != nil {
		p.fail(w, err)
		return
	}
	defer func() { _ = host.Close() }()
	client, read, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "cannot connect", http.StatusBadGateway)
		return
	}
	defer func() { _ = client.Close() }()
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	p.carry(end{client, read.Reader}, end{host, host})
}

// end is one end of a tunnel: what is read of it may have come before.
type end struct {
	conn net.Conn
	from io.Reader
}

// carry copies both ways until both ends have closed, or the proxy ends.
func (p *Proxy) carry(a, b end) {
	hangUp := func() { _, _ = a.conn.Close(), b.conn.Close() }
	defer context.AfterFunc(p.ctx, hangUp)()
	var both sync.WaitGroup
	for _, way := range [][2]end{{a, b}, {b, a}} {
		both.Go(func() {
			_, _ = io.Copy(way[1].conn, way[0].from) // a broken tunnel is seen at its ends
			if c, ok := way[1].conn.(interface{ CloseWrite() error }); !ok || c.CloseWrite() != nil {
				hangUp()
			}
		})
	}
	both.Wait()
}

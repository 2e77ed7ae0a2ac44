package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// dialTime bounds how long a connection may take to be made.
const dialTime = 20 * time.Second

// Refusal is the cause of an error where a host is none of the internet.
type Refusal struct {
	// Host is as it was asked for, Address what it resolves to.
	Host, Address string
}

// Error says what the host is.
func (r *Refusal) Error() string {
	if r.Host == r.Address {
		return fmt.Sprintf("host %s is a private address", r.Host)
	}
	return fmt.Sprintf("host %s has the private address %s", r.Host, r.Address)
}

// Dial connects to a public host. The error of a private one has a Refusal.
func Dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTime, KeepAlive: 30 * time.Second, ControlContext: onlyPublic}
	conn, err := d.DialContext(ctx, network, address)
	var refusal *Refusal
	if errors.As(err, &refusal) {
		refusal.Host, _, _ = net.SplitHostPort(address) // it was dialled, so it has a port
	}
	return conn, err
}

// onlyPublic is asked with the address that a name was resolved to, right
// before the connection is made: a name cannot change its mind in between.
func onlyPublic(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s is no address", address)
	}
	if !Public(at.Addr()) {
		return &Refusal{Address: at.Addr().Unmap().String()}
	}
	return nil
}

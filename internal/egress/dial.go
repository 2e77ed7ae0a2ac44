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

// Refusal is the cause of an error where a host may not be connected to.
type Refusal struct {
	// Host is as it was asked for, Address what it resolves to.
	Host, Address string

	local bool
}

// Error says what the host is.
func (r *Refusal) Error() string {
	kind := "private"
	if r.local {
		kind = "local"
	}
	if r.Host == r.Address {
		return fmt.Sprintf("host %s is a %s address", r.Host, kind)
	}
	return fmt.Sprintf("host %s has the %s address %s", r.Host, kind, r.Address)
}

// Dial connects to a public host. The error of a private one has a Refusal.
func Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return dial(ctx, network, address, onlyPublic)
}

// DialRemote connects to any host but a Local one, whose error has a Refusal. Proxies
// that the environment names are reached wherever they are.
func DialRemote(ctx context.Context, network, address string) (net.Conn, error) {
	if isProxy(address) {
		return dial(ctx, network, address, nil)
	}
	return dial(ctx, network, address, onlyRemote)
}

func dial(ctx context.Context, network, address string, judge func(context.Context, string, string, syscall.RawConn) error) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTime, KeepAlive: 30 * time.Second, ControlContext: judge}
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

// onlyRemote is asked at the same moment.
func onlyRemote(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s is no address", address)
	}
	if Local(at.Addr()) {
		return &Refusal{Address: at.Addr().Unmap().String(), local: true}
	}
	return nil
}

// Package nobody has addresses at which nobody answers. A port that was listened on and closed may be somebody else's by the
// time that it is used.
package nobody

import (
	"net"
	"strconv"
	"syscall"
	"testing"
)

// Address is a host and a port at which connections are refused until the test ends: the port is taken, so that nobody
// else gets it, and not listened on.
func Address(t testing.TB) string {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	syscall.CloseOnExec(socket)
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(bound.(*syscall.SockaddrInet4).Port))
}

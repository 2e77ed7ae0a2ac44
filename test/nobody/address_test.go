package nobody_test

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"github.com/causeway-gitops/causeway/test/nobody"
)

func TestAddress(t *testing.T) {
	address := nobody.Address(t)
	if c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v, %v; want the connection to be refused", c, err)
	}
	var lc net.ListenConfig
	if _, err := lc.Listen(t.Context(), "tcp", address); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("somebody else may listen there: %v", err)
	}
}

package home

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// Listen opens the loopback port that the API server serves on: the wanted one, else the one of the last run, for
// which it waits a little, else a free one. The number is kept, so that kubeconfigs handed out earlier stay valid.
func (h *Home) Listen(ctx context.Context, wanted int) (net.Listener, error) {
	if wanted != 0 {
		listener, err := listen(ctx, wanted)
		if err != nil {
			return nil, fmt.Errorf("cannot serve on port %d: %w", wanted, err)
		}
		return listener, h.keepPort(listener)
	}
	if listener := h.again(ctx); listener != nil {
		return listener, nil
	}
	listener, err := listen(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot find a free port: %w", err)
	}
	return listener, h.keepPort(listener)
}

// A port that was given back may be somebody's for a moment: that of a connection, or of a process that is just ending.
const (
	portWithin = 5 * time.Second
	portPause  = 50 * time.Millisecond
)

// again opens the port of the last run, or returns nil: there was none, or it stays taken.
func (h *Home) again(ctx context.Context) net.Listener {
	last := h.lastPort()
	if last == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, h.portWithin)
	defer cancel()
	for {
		listener, err := listen(ctx, last)
		if err == nil {
			return listener
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(portPause):
		}
	}
}

// listen opens port on loopback only: nothing of the cluster is reachable from another machine.
func listen(ctx context.Context, port int) (net.Listener, error) {
	return (&net.ListenConfig{}).Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

func (h *Home) lastPort() int {
	body, err := os.ReadFile(h.Path("port"))
	if err != nil {
		return 0
	}
	port, err := strconv.ParseUint(strings.TrimSpace(string(body)), 10, 16)
	if err != nil {
		return 0
	}
	return int(port)
}

func (h *Home) keepPort(listener net.Listener) error {
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return fmt.Errorf("cannot read the port of %s: %w", listener.Addr(), err)
	}
	if err := os.WriteFile(h.Path("port"), []byte(port+"\n"), 0o600); err != nil {
		return fmt.Errorf("cannot keep the port: %w", err)
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// entryPath is where a server of Vault has the values of an entry.
const entryPath = "/v1/secret/data/"

// vaultServer answers as Vault's KV store of version 2 does, at once, and counts how
// often it is asked: what a store itself costs is none of the engine's.
type vaultServer struct {
	http.Server

	address string
	// reads is how often an entry was asked for.
	reads atomic.Int64
	// version is that of all entries.
	version atomic.Int64
}

// startVault listens at an address of this machine that is not its loopback: the
// engine asks no store there.
func startVault(ctx context.Context) (*vaultServer, error) {
	ip, err := ownAddress()
	if err != nil {
		return nil, err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(ip, "0"))
	if err != nil {
		return nil, err
	}
	v := &vaultServer{address: "http://" + l.Addr().String()}
	v.version.Store(1)
	v.Handler, v.ReadHeaderTimeout = http.HandlerFunc(v.answer), time.Minute
	go func() { _ = v.Serve(l) }() // ends with Close
	return v, nil
}

func ownAddress() (string, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return "", err
	}
	for _, one := range all {
		if network, ok := one.(*net.IPNet); ok && network.IP.IsGlobalUnicast() && network.IP.To4() != nil {
			return network.IP.String(), nil
		}
	}
	return "", errors.New("cannot serve a store: this machine has no address besides its loopback, where the engine asks none")
}

func (v *vaultServer) answer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	name, ok := strings.CutPrefix(r.URL.Path, entryPath)
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"errors":[]}`)
		return
	}
	v.reads.Add(1)
	version := v.version.Load()
	_, _ = fmt.Fprintf(w, `{"data":{"data":{"username":"user-%s","password":"value-%d-of-%s"},"metadata":{"version":%d}}}`, name, version, name, version) //nolint:gosec // JSON for the engine, and names of this program
}

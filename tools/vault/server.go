package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	hclog "github.com/hashicorp/go-hclog"
	"github.com/hashicorp/vault/helper/namespace"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

// server is a Vault that serves.
type server struct {
	core     *vault.Core
	listener net.Listener
	http     *http.Server
}

const readHeader = 10 * time.Second

// serve starts one.
func serve(ctx context.Context, listen string) (*server, error) {
	core, err := open(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot start Vault: %w", err)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("cannot serve at %s: %w; another address is --listen 127.0.0.1:0", listen, err)
	}
	handler := vaulthttp.Handler.Handler(&vault.HandlerProperties{
		Core: core, ListenerConfig: &configutil.Listener{}, DisablePrintableCheck: true,
	})
	s := &server{core: core, listener: listener, http: &http.Server{Handler: handler, ReadHeaderTimeout: readHeader}}
	go func() { _ = s.http.Serve(listener) }() // it ends with close
	return s, nil
}

// open is an unsealed core.
func open(ctx context.Context) (*vault.Core, error) {
	logger := hclog.NewNullLogger()
	store, err := inmem.NewInmem(nil, logger)
	if err != nil {
		return nil, err
	}
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical: store, Logger: logger, DisableMlock: true, BuiltinRegistry: registry{},
		LogicalBackends: engines(), CredentialBackends: methods(),
	})
	if err != nil {
		return nil, err
	}
	first, err := core.Initialize(ctx, &vault.InitParams{
		BarrierConfig: &vault.SealConfig{SecretShares: 1, SecretThreshold: 1},
	})
	if err != nil {
		return nil, err
	}
	if _, err := core.Unseal(first.SecretShares[0]); err != nil {
		return nil, err
	}
	return core, known(namespace.RootContext(ctx), core, first.RootToken)
}

// known makes the token that everybody knows.
func known(ctx context.Context, core *vault.Core, root string) error {
	_, err := core.HandleRequest(ctx, &logical.Request{
		ID: "known", Operation: logical.UpdateOperation, ClientToken: root, Path: "auth/token/create",
		Data: map[string]any{"id": token, "policies": []string{"root"}, "no_parent": true, "no_default_policy": true},
	})
	return err
}

func (s *server) address() string { return "http://" + s.listener.Addr().String() }

func (s *server) close() {
	_ = s.http.Close()
	_ = s.core.Shutdown()
}

// mostSaid bounds what is read of an answer, in bytes.
const mostSaid = 1 << 16

// send has the server do what a request says.
func (s *server) send(ctx context.Context, r Request) error {
	body, err := json.Marshal(r.Body)
	if err != nil {
		return fmt.Errorf("%s: %w", r.Path, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address()+"/v1/"+r.Path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: %w", r.Path, err)
	}
	request.Header.Set(consts.AuthHeaderName, token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // read already
	said, err := io.ReadAll(io.LimitReader(answer.Body, mostSaid))
	if err != nil {
		return err
	}
	if answer.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s: %s: %s", r.Path, answer.Status, bytes.TrimSpace(said))
	}
	return nil
}

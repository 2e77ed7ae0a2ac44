package kms

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	api "k8s.io/kms/apis/v2"
)

const (
	version = "v2"
	healthy = "ok"
	// fresh is how long it is not tried again whether the key works. API servers ask each minute, or ten seconds after a
	// failure, and whenever somebody asks how they are.
	fresh = 5 * time.Second
	// sample is as long as what API servers have encrypted, in bytes.
	sample = 32
)

// health is what was found when the key was tried last.
type health struct {
	mu    sync.Mutex
	tried time.Time
	id    string // of the key that encrypted last
	err   error
}

// used has the key be tried again where something was encrypted with another one than at the last try: API servers go
// by the id that Status tells.
func (h *health) used(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.id != id {
		h.tried = time.Time{}
	}
}

// Status implements the API. A key that does not work is an answer, and no error. The id is then that of the last time
// that it worked, with which an API server goes on.
func (s *Server) Status(ctx context.Context, _ *api.StatusRequest) (*api.StatusResponse, error) {
	var failed error
	defer s.observe(AskedStatus, &failed)()
	id, failed := s.Check(ctx)
	said := healthy
	if failed != nil {
		said = failed.Error()
	}
	return &api.StatusResponse{Version: version, Healthz: said, KeyId: id}, nil
}

// Check tells the id of the key, and whether it works: something is encrypted with it and decrypted again, unless that
// was done a moment ago.
func (s *Server) Check(ctx context.Context) (id string, err error) {
	h := &s.health
	h.mu.Lock()
	defer h.mu.Unlock()
	now := s.options.Now()
	if !h.tried.IsZero() && now.Sub(h.tried) < fresh {
		return h.id, h.err
	}
	// What is found is for all who ask within the next seconds, so it does not depend on whether this one waits.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	id, err = s.roundTrip(ctx)
	s.tell(ctx, id, err)
	h.tried, h.err = s.options.Now(), err
	if id != "" {
		h.id = id
	}
	return h.id, h.err
}

// roundTrip encrypts bytes that nobody knows, and decrypts them.
func (s *Server) roundTrip(ctx context.Context) (string, error) {
	plain := make([]byte, sample)
	_, _ = rand.Read(plain) // it never fails
	text, id, err := s.encrypt(ctx, plain)
	if err != nil {
		return "", late(ctx, err)
	}
	back, err := s.key.Decrypt(ctx, text, id)
	switch {
	case err != nil:
		return "", late(ctx, fmt.Errorf("what the key %s encrypts cannot be decrypted again: %w", id, err))
	case !bytes.Equal(plain, back):
		return "", fmt.Errorf("what the key %s encrypts is decrypted to something else", id)
	}
	return id, nil
}

func late(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("the key did not answer within %s: %w", patience, err)
	}
	return err
}

// tell logs what is not as it was at the last try.
func (s *Server) tell(ctx context.Context, id string, err error) {
	h, log := &s.health, s.options.Log
	switch {
	case err != nil && (h.err == nil || h.err.Error() != err.Error()):
		log.ErrorContext(ctx, "the key cannot be used", "key", h.id, "error", err)
	case err == nil && h.err != nil:
		log.InfoContext(ctx, "the key can be used again", "key", id)
	}
	if err == nil && id != h.id {
		log.InfoContext(ctx, "this key encrypts now", "key", id, "before", h.id)
	}
}

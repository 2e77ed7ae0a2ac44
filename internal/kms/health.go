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
	first trial
}

// trial is what the first good try with a key had encrypted, and to what.
type trial struct {
	id          string
	plain, text []byte
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

// roundTrip encrypts bytes that nobody knows, and decrypts those that were encrypted first by a key of this id: what
// API servers have stored is older than this try, too.
func (s *Server) roundTrip(ctx context.Context) (string, error) {
	now := trial{plain: make([]byte, sample)}
	_, _ = rand.Read(now.plain) // it never fails
	var err error
	now.text, now.id, err = s.encrypt(ctx, now.plain)
	if err != nil {
		return "", late(ctx, err)
	}
	first := s.health.first
	if first.id != now.id {
		if err := s.undo(ctx, now); err != nil {
			return "", late(ctx, err)
		}
		s.health.first = now
		return now.id, nil
	}
	failed := s.undo(ctx, first)
	if failed == nil {
		return now.id, nil
	}
	if s.undo(ctx, now) == nil { // else nothing is decrypted at all, which is something else
		failed = fmt.Errorf("the key %s is another one than before, under the same id: what API servers write with it now nobody decrypts after their next start: rotate it, and have all Secrets be written again before they are started anew: %w", now.id, failed)
	}
	return "", late(ctx, failed)
}

// undo decrypts what was encrypted.
func (s *Server) undo(ctx context.Context, t trial) error {
	back, err := s.key.Decrypt(ctx, t.text, t.id)
	switch {
	case err != nil:
		return fmt.Errorf("what the key %s encrypts cannot be decrypted again: %w", t.id, err)
	case !bytes.Equal(t.plain, back):
		return fmt.Errorf("what the key %s encrypts is decrypted to something else", t.id)
	}
	return nil
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

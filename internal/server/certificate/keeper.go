package certificate

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Source has the pair that counts now.
type Source interface {
	// Pair returns nil where nothing has changed since the last time.
	Pair(ctx context.Context) (*Pair, error)
}

// Keeper shows what its source has. What cannot be read leaves it as it was.
type Keeper struct {
	source Source
	every  time.Duration
	log    *slog.Logger

	mu      sync.RWMutex
	current *tls.Certificate
}

// NewKeeper reads the source, and fails where there is nothing to show.
func NewKeeper(ctx context.Context, s Source, every time.Duration, log *slog.Logger) (*Keeper, error) {
	k := &Keeper{source: s, every: every, log: log}
	if err := k.Look(ctx); err != nil {
		return nil, err
	}
	if k.current == nil {
		return nil, errors.New("there is no certificate")
	}
	return k, nil
}

// Look looks at the source once.
func (k *Keeper) Look(ctx context.Context) error {
	p, err := k.source.Pair(ctx)
	if err != nil || p == nil {
		return err
	}
	c, err := p.Read()
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.current != nil {
		k.log.InfoContext(ctx, "the server shows another certificate", "until", c.Leaf.NotAfter)
	}
	k.current = c
	return nil
}

// Run looks again and again until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	tick := time.NewTicker(k.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := k.Look(ctx); err != nil && ctx.Err() == nil {
				k.log.WarnContext(ctx, "the server goes on showing the certificate that it has", "until", k.shown().Leaf.NotAfter, "error", err)
			}
		}
	}
}

func (k *Keeper) shown() *tls.Certificate {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.current
}

// Config is for a server.
func (k *Keeper) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return k.shown(), nil },
	}
}

// Files are a certificate and its key, which may be replaced.
type Files struct {
	Certificate, Key string

	seen [2]mark
}

// mark tells one content of a file from another, without reading it.
type mark struct {
	size    int64
	changed time.Time
}

// maxFile bounds each.
const maxFile = 1 << 20

// Pair implements Source.
func (f *Files) Pair(context.Context) (*Pair, error) {
	var now [2]mark
	for i, path := range []string{f.Certificate, f.Key} {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read the certificate: %w", err)
		}
		if info.Size() > maxFile {
			return nil, fmt.Errorf("cannot read the certificate: %s has more than %d bytes", path, maxFile)
		}
		now[i] = mark{info.Size(), info.ModTime()}
	}
	if now == f.seen {
		return nil, nil //nolint:nilnil // nothing has changed
	}
	p := &Pair{}
	var err error
	if p.Certificate, err = os.ReadFile(f.Certificate); err == nil {
		p.Key, err = os.ReadFile(f.Key) // which may be the same file
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the certificate: %w", err)
	}
	if _, err := p.Read(); err != nil {
		return nil, fmt.Errorf("%s and %s: %w", f.Certificate, f.Key, err) // one may be written yet: the next look tells
	}
	f.seen = now
	return p, nil
}

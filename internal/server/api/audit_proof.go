package api

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Bounds of a look at the whole chain.
const (
	proofTime = 30 * time.Second
	// proofFor is how long one is shown to all who ask.
	proofFor = 30 * time.Second
)

// AuditProof reports whether the chain of the audit holds.
type AuditProof struct {
	At    time.Time `json:"at"`
	Holds bool      `json:"holds"`
	// Report is of a chain that holds.
	Entries int64  `json:"entries,omitempty"`
	First   int64  `json:"first,omitempty"`
	Last    int64  `json:"last,omitempty" doc:"The last entry: up to it all is as it was written."`
	Hash    string `json:"hash,omitempty" doc:"Of the last entry. Kept elsewhere, it proves later that nothing before it was changed or cut off."`
	Broken  int64  `json:"broken,omitempty" doc:"The first entry at which the chain does not hold."`
	Why     string `json:"why,omitempty"`
}

// prover goes through the chain, one at a time.
type prover struct {
	turn chan struct{}
	last atomic.Pointer[AuditProof]
}

func newProver() *prover { return &prover{turn: make(chan struct{}, 1)} }

func (s *server) auditProof(a huma.API) {
	op := operation("verify-audit", http.MethodGet, "/audit/verify", "audit", "Whether the chain of the audit holds")
	op.Description = "The whole chain is read, for half a minute at most: causeway audit verify has no such bound. An answer is shown to all who ask within half a minute."
	op.Errors = append(op.Errors, http.StatusGatewayTimeout)
	handle(a, op, s.proveAudit)
}

func (s *server) proveAudit(ctx context.Context, _ *struct{}) (*answer[*AuditProof], error) {
	if err := s.audited(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, proofTime)
	defer cancel()
	proof, err := s.prover.prove(ctx, s.Audit, time.Now())
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, huma.NewError(http.StatusGatewayTimeout, "the audit is too long to be verified here: run causeway audit verify")
	}
	if err != nil {
		return nil, httpError(err)
	}
	return &answer[*AuditProof]{proof}, nil
}

func (p *prover) prove(ctx context.Context, of Auditor, now time.Time) (*AuditProof, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if last := p.last.Load(); last != nil && now.Sub(last.At) < proofFor {
		return last, nil
	}
	report, err := of.VerifyAudit(ctx, "")
	out := &AuditProof{At: now.UTC(), Holds: err == nil, Entries: report.Entries, First: report.First, Last: report.Last, Hash: report.Hash}
	var broken *audit.Broken
	switch {
	case errors.As(err, &broken):
		out.Broken, out.Why = broken.Sequence, broken.Why
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	}
	p.last.Store(out)
	return out, nil
}

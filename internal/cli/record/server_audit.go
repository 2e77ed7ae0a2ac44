package record

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// servedAudit is the audit that a server tells.
type servedAudit struct{ hub *target.Hub }

// Audit implements auditor.
func (s servedAudit) Audit(ctx context.Context, q store.AuditQuery) ([]audit.Entry, error) {
	list, err := s.hub.Server.Audit(ctx, &q)
	return list, s.hub.Explain(err)
}

// ExportAudit implements auditor.
func (s servedAudit) ExportAudit(ctx context.Context, q store.AuditQuery, line func([]byte) error) error {
	return s.hub.Explain(s.hub.Server.ExportAudit(ctx, &q, line))
}

// VerifyAudit reads all of it, and checks each hash here.
func (s servedAudit) VerifyAudit(ctx context.Context, expect string) (audit.Report, error) {
	chain, number := audit.NewVerifier(expect), 0
	err := s.ExportAudit(ctx, store.AuditQuery{}, func(line []byte) error {
		number++
		return takeLine(chain, number, line)
	})
	if err != nil {
		return audit.Report{}, err
	}
	return chain.End()
}

// Close implements auditor.
func (s servedAudit) Close() error {
	s.hub.Server.Close()
	return nil
}

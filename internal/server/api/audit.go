package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Auditor reads the audit; a store.Store is one.
type Auditor interface {
	Audit(ctx context.Context, q store.AuditQuery) ([]audit.Entry, error)
	// ExportAudit hands out lines of JSON, the oldest first.
	ExportAudit(ctx context.Context, q store.AuditQuery, line func([]byte) error) error
	// VerifyAudit goes through the whole chain; the error is an audit.Broken
	// where it does not hold.
	VerifyAudit(ctx context.Context, expect string) (audit.Report, error)
	// Where names the place without credentials, Limits are how much is kept there.
	Where() string
	Limits() store.Limits
}

// AuditPlace is where the audit is kept, and for how long.
type AuditPlace struct {
	Where string `json:"where" doc:"File, or database without credentials."`
	Hours int64  `json:"hours" doc:"Entries that are older go."`
	Bytes int64  `json:"bytes" doc:"The oldest go when all are more than that."`
}

// AuditFilter picks entries. It is exported for the reflection that reads what
// is embedded.
type AuditFilter struct {
	Text      string    `query:"q" maxLength:"256" doc:"Words that all have to occur: of names, verbs, reasons, messages, addresses."`
	Who       string    `query:"who" maxLength:"256" doc:"Name of a user; causeway for what happened by itself."`
	Verb      string    `query:"verb" maxLength:"64" doc:"sync, rollback, refresh, terminate, delete, sign-in, prune, …"`
	Outcome   string    `query:"outcome" enum:"allowed,denied,failed"`
	Project   string    `query:"project" maxLength:"253"`
	Namespace string    `query:"namespace" maxLength:"253" doc:"Namespace of the Application."`
	Name      string    `query:"name" maxLength:"253" doc:"Name of the Application."`
	From      time.Time `query:"from" doc:"The first moment."`
	To        time.Time `query:"to" doc:"The moment after the last."`
}

func (in *AuditFilter) query() store.AuditQuery {
	return store.AuditQuery{
		Who: in.Who, Verb: in.Verb, Outcome: in.Outcome, Project: in.Project, Namespace: in.Namespace, Name: in.Name, Text: in.Text, From: in.From, To: in.To,
	}
}

type auditInput struct {
	AuditFilter

	Before int64 `query:"before" minimum:"1" doc:"Go on with entries before this one: next of the page before."`
	Limit  int   `query:"limit" minimum:"1" maximum:"500" default:"100"`
}

type exportInput struct {
	AuditFilter

	After int64 `query:"after" minimum:"0" doc:"Begin behind this entry."`
}

// AuditPage is a part of the audit, the newest first.
type AuditPage struct {
	Items []audit.Entry `json:"items"`
	Next  int64         `json:"next,omitempty" doc:"What before takes for the next page; absent on the last."`
}

func (s *server) audit(a huma.API) {
	handle(a, operation("get-audit-place", http.MethodGet, "/audit/place", "audit", "Where the audit is kept, and for how long"), s.auditPlace)
	handle(a, operation("list-audit", http.MethodGet, "/audit", "audit", "Who did what, the latest first"), s.listAudit)
	export := operation("export-audit", http.MethodGet, "/audit/export", "audit", "The audit as lines of JSON, the oldest first")
	export.Description = "Each line has the hash of the one before it: causeway audit verify --export checks them. That it was exported is in the audit, too."
	handle(a, export, s.exportAudit)
	s.auditProof(a)
}

// audited reports whether there is an audit that somebody may read.
func (s *server) audited(ctx context.Context) error {
	if err := s.reach.Permit(ctx, reach.Access{Resource: "audit", Action: "get"}); err != nil {
		return httpError(err)
	}
	if s.Audit == nil {
		return httpError(gitops.Problemf(gitops.NotFound, "no audit is kept").Do("run the engine with --store"))
	}
	return nil
}

func (s *server) auditPlace(ctx context.Context, _ *struct{}) (*answer[AuditPlace], error) {
	if err := s.audited(ctx); err != nil {
		return nil, err
	}
	l := s.Audit.Limits()
	return &answer[AuditPlace]{AuditPlace{s.Audit.Where(), int64(l.AuditAge / time.Hour), l.AuditBytes}}, nil
}

func (s *server) listAudit(ctx context.Context, in *auditInput) (*answer[AuditPage], error) {
	if err := s.audited(ctx); err != nil {
		return nil, err
	}
	q := in.query()
	q.Before, q.Limit = in.Before, in.Limit+1
	list, err := s.Audit.Audit(ctx, q)
	if err != nil {
		return nil, httpError(err)
	}
	page := AuditPage{Items: list}
	if len(list) > in.Limit {
		page.Items = list[:in.Limit]
		page.Next = page.Items[in.Limit-1].Sequence
	}
	return &answer[AuditPage]{page}, nil
}

func (s *server) exportAudit(ctx context.Context, in *exportInput) (*huma.StreamResponse, error) {
	if err := s.audited(ctx); err != nil {
		return nil, err
	}
	free, err := s.slot(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.Trail.Begin(ctx, auth.From(ctx), &audit.Entry{Verb: "export", Resource: "audit"}); err != nil {
		free()
		return nil, httpError(err)
	}
	q := in.query()
	q.After = in.After
	return &huma.StreamResponse{Body: func(to huma.Context) {
		defer free()
		to.SetHeader("Content-Type", "application/x-ndjson")
		to.SetHeader("Content-Disposition", `attachment; filename="audit.jsonl"`)
		w := sent(to)
		err := s.Audit.ExportAudit(to.Context(), q, func(line []byte) error {
			_, err := w.Write(append(line, '\n'))
			return err
		})
		if err != nil {
			s.Log.WarnContext(to.Context(), "an export of the audit was cut off", "error", err)
			panic(http.ErrAbortHandler) // the answer has begun: only that it is cut off tells
		}
	}}, nil
}

package api

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/batch"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// How often somebody may begin something with many.
const (
	batchEvery = 2 * time.Second
	batchBurst = 20
)

// BulkSync asks for several.
type BulkSync struct {
	Applications []view.Key `json:"applications" minItems:"1" maxItems:"1000" nullable:"false"`
	Sync
}

// BulkRefresh asks for another look at several.
type BulkRefresh struct {
	Applications []view.Key   `json:"applications" minItems:"1" maxItems:"1000" nullable:"false"`
	How          Thoroughness `json:"how,omitempty" enum:"normal,hard" default:"normal"`
}

// BatchInput names an operation with several. It is exported for the reflection
// that reads what is embedded.
type BatchInput struct {
	ID string `path:"id" maxLength:"64"`
}

type getBatch struct {
	BatchInput

	Results string `query:"results" enum:"all,failed,none" default:"all" doc:"Which results the answer lists; the counts always include all."`
}

// begun is the answer to what is followed elsewhere.
type begun struct {
	Location string `header:"Location" doc:"Where to read how it goes."`
	Body     *batch.Batch
}

func (s *server) batches(a huma.API) {
	several := func(id, path, summary string) huma.Operation {
		op := operation(id, http.MethodPost, "/applications"+path, "operations", summary)
		op.Description = "The answer does not wait for the applications: it is an operation to follow, which sends the requests for a few applications at a time. " +
			"Each application is handled by itself: its rights are checked and its audit entry is written as if it were the only one. " +
			"The operation ends with the session, the API key or the token that requested it."
		op.DefaultStatus = http.StatusAccepted
		op.Errors = append(op.Errors, http.StatusUnprocessableEntity)
		return op
	}
	handle(a, several("sync-applications", "/sync", "Sync several"), s.syncAll)
	handle(a, several("refresh-applications", "/refresh", "Look at Git and the cluster again for several"), s.refreshAll)
	handle(a, operation("list-operations", http.MethodGet, "/operations", "operations", "One's own operations with several applications"), s.listBatches)
	get := operation("get-operation", http.MethodGet, "/operations/{id}", "operations", "How an operation goes")
	get.Description = "One with several applications is for who began it, and is kept for an hour after its end, by the replica that was asked for it. " +
		"That of one application, a sync or a rollback, is for who may read the application; it is kept until another one of the application has come, and for an hour after that."
	handle(a, get, s.getOperation)
	end := operation("cancel-operation", http.MethodDelete, "/operations/{id}", "operations", "End an operation with several applications")
	end.Description = "What has been asked for goes on; the rest is skipped. For who began it."
	end.DefaultStatus = http.StatusAccepted
	handle(a, end, s.cancelBatch)
}

func (s *server) syncAll(ctx context.Context, in *struct{ Body BulkSync }) (*begun, error) {
	return s.beginBatch(ctx, "sync", in.Body.Applications, func(ctx context.Context, k view.Key) (string, error) {
		return s.ask(reach.Patiently(ctx), k, in.Body.Sync)
	})
}

func (s *server) refreshAll(ctx context.Context, in *struct{ Body BulkRefresh }) (*begun, error) {
	return s.beginBatch(ctx, "refresh", in.Body.Applications, func(ctx context.Context, k view.Key) (string, error) {
		_, err := s.write(reach.Patiently(ctx), k, "get", func(u *auth.User, app view.Granted) error { return s.Operate.Refresh(ctx, u, app, in.Body.How) })
		return "", err
	})
}

// beginBatch tells the audit of a batch, and begins it. What it does with each
// Application is told of by itself.
func (s *server) beginBatch(ctx context.Context, verb string, keys []view.Key, do batch.Do) (*begun, error) {
	u, of, err := owner(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.begins.Take(u.Person()); err != nil {
		return nil, httpError(fmt.Errorf("cannot %s so many: %w", verb, err))
	}
	e := &audit.Entry{
		Verb: verb, Resource: "operations", Name: rand.Text(),
		Changes: []audit.Change{{Path: "/applications", New: strconv.Itoa(len(keys))}},
	}
	if err := s.Trail.Begin(ctx, u, e); err != nil {
		return nil, httpError(err)
	}
	long := trail.Detach(ctx)
	do = while(s.sender(ctx, u), do, func(err error) {
		s.Batches.Cancel(of, e.Name)
		s.Trail.Failed(long, u, e, err)
	})
	b, err := s.Batches.Start(long, &batch.Want{ID: e.Name, Verb: verb, Owner: of, Keys: keys, Do: do, Say: s.say, Ended: s.ended(long, u, e)})
	if err != nil {
		s.Trail.Failed(ctx, u, e, err)
		return nil, httpError(err)
	}
	return &begun{Prefix + "/operations/" + b.ID, b}, nil
}

// while does it as long as who began it is them. End is told once why they are not.
func while(same func(context.Context) error, do batch.Do, end func(error)) batch.Do {
	var ended sync.Once
	return func(ctx context.Context, k view.Key) (string, error) {
		if err := same(ctx); err != nil {
			ended.Do(func() { end(err) })
			return "", err
		}
		return do(ctx, k)
	}
}

// ended tells of a batch that the end of the server has cut short.
func (s *server) ended(ctx context.Context, u *auth.User, e *audit.Entry) func(*batch.Batch) {
	return func(b *batch.Batch) {
		if b.State != batch.Interrupted {
			return
		}
		err := fmt.Errorf("%d of %d applications were not asked for: the server was shut down", b.Counts.Skipped, b.Counts.Total)
		s.Log.WarnContext(ctx, "an operation was interrupted", "operation", b.ID, "verb", b.Verb, "error", err)
		s.Trail.Failed(ctx, u, e, err)
	}
}

// say is what is told of the error of one: what nobody foresaw is for the log.
func (s *server) say(err error) string {
	err = httpError(err)
	var hid *unforeseen
	if errors.As(err, &hid) {
		s.Log.Error("one of many could not be done", "error", hid.cause)
	}
	return sentence(err)
}

// sentence is an answer's error as a text.
func sentence(err error) string {
	var m *huma.ErrorModel
	if errors.As(err, &m) {
		return m.Detail
	}
	return err.Error()
}

// owner is who asks, as batches know them.
func owner(ctx context.Context) (*auth.User, batch.Owner, error) {
	u := auth.From(ctx)
	if u == nil {
		return nil, batch.Owner{}, httpError(gitops.Problemf(gitops.Refused, "nobody is signed in").Do("sign in: an operation is for who began it"))
	}
	return u, batch.Owner{Person: u.Person(), Key: u.Key}, nil
}

func (s *server) listBatches(ctx context.Context, _ *struct{}) (*answer[[]*batch.Batch], error) {
	_, of, err := owner(ctx)
	if err != nil {
		return nil, err
	}
	return &answer[[]*batch.Batch]{s.Batches.List(of)}, nil
}

func (s *server) cancelBatch(ctx context.Context, in *BatchInput) (*answer[*batch.Batch], error) {
	u, of, err := owner(ctx)
	if err != nil {
		return nil, err
	}
	now := s.Batches.Get(of, in.ID)
	switch {
	case now == nil:
		return nil, noBatch(in.ID)
	case now.State != batch.Running:
		trail.Idle(ctx)
		return &answer[*batch.Batch]{now}, nil
	}
	if err := s.Trail.Begin(ctx, u, &audit.Entry{Verb: "cancel", Resource: "operations", Name: in.ID}); err != nil {
		return nil, httpError(err)
	}
	s.Batches.Cancel(of, in.ID)
	b := s.Batches.Get(of, in.ID)
	if b == nil {
		return nil, noBatch(in.ID)
	}
	return &answer[*batch.Batch]{b}, nil
}

func noBatch(id string) error {
	return httpError(gitops.Problemf(gitops.NotFound, "you have no operation %q", id).
		Do("look at the applications: an operation is forgotten an hour after its end, and when the server that has it ends"))
}

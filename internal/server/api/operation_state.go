package api

import (
	"context"
	"errors"
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/batch"
	"github.com/causeway-gitops/causeway/internal/server/marks"
	"github.com/causeway-gitops/causeway/internal/server/terminal"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Followed is an operation as it is at a moment: one with several Applications,
// or that of one, which has the fields beside.
type Followed struct {
	batch.Batch

	Application *view.Key `json:"application,omitempty" doc:"Whose operation it is; absent where it is one with several applications, and asks each of them for one."`
	Phase       string    `json:"phase,omitempty" enum:"Running,Terminating,Succeeded,Failed,Error" doc:"Of the application's operation. Absent before it begins, and where its end was not seen."`
	Message     string    `json:"message,omitempty" doc:"What it waits for, or how it ended."`
	By          string    `json:"by,omitempty" doc:"Who asked, with (unverified) where anybody may have written that."`
	Revision    string    `json:"revision,omitempty"`
}

// getOperation tells how an operation goes.
func (s *server) getOperation(ctx context.Context, in *getBatch) (*answer[*Followed], error) {
	_, of, err := owner(ctx)
	if err != nil {
		return nil, err
	}
	if b := s.Batches.Get(of, in.ID); b != nil {
		return &answer[*Followed]{&Followed{Batch: *narrowed(b, in.Results)}}, nil
	}
	one, known := s.Marks.Get(in.ID)
	if !known {
		return nil, noOperation(in.ID)
	}
	if _, err := s.may(ctx, one.App, "applications", "get"); err != nil {
		if errors.Is(doubtful(err), terminal.ErrUnsure) {
			return nil, err // it may be theirs
		}
		return nil, noOperation(in.ID)
	}
	return &answer[*Followed]{ofOne(&one)}, nil
}

// narrowed leaves the results that are wanted.
func narrowed(b *batch.Batch, results string) *batch.Batch {
	if results != "all" {
		b.Results = slices.DeleteFunc(b.Results, func(r batch.Result) bool { return results == "none" || r.Stage != batch.Failed })
	}
	return b
}

// ofOne is the operation of one Application in the form of one with several.
func ofOne(one *marks.Operation) *Followed {
	f := &Followed{
		Batch:       batch.Batch{ID: one.Mark, Verb: one.Verb, State: batch.Running, Started: one.Started, Ended: one.Ended, Counts: batch.Counts{Total: 1, Asked: 1}},
		Application: &one.App, Phase: one.Phase, Message: one.Message, By: one.By, Revision: one.Revision,
	}
	if one.Over() {
		f.State = batch.Done
	}
	return f
}

func noOperation(id string) error {
	return httpError(gitops.Problemf(gitops.NotFound, "there is no operation %q, or it is not yours to read", id).
		Do("look at the application: an operation is forgotten some time after its end, and when the server that has it ends"))
}

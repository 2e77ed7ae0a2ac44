package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Past is what is kept of syncs.
type Past interface {
	syncs.Reader

	// Older lists those after a place, latest first.
	Older(ctx context.Context, namespace, name string, than history.SyncPlace, most int) ([]history.Sync, error)
	// Compare tells what differs between the manifests of two syncs.
	Compare(ctx context.Context, a, b string) ([]Difference, error)
}

type pastInput struct {
	KeyInput

	Before string `query:"before" maxLength:"512" doc:"Go on where the page before ended: its X-Causeway-Next."`
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"50"`
}

// pastPage is a page of syncs. Its body is a list, as it was before there were
// pages: where the next one begins is beside it.
type pastPage struct {
	Next string `header:"X-Causeway-Next" doc:"Where the next page begins, for before; not there on the last one."`
	Body []history.Sync
}

// SyncIDInput names a sync of an Application.
type SyncIDInput struct {
	KeyInput

	ID string `path:"id" maxLength:"64"`
}

type compareInput struct {
	SyncIDInput

	Other string `path:"other" maxLength:"64"`
}

func (s *server) history(a huma.API) {
	const path = "/applications/{namespace}/{name}/history"
	handle(a, operation("list-syncs", http.MethodGet, path, "history", "Past syncs of an Application, latest first"), s.syncs)
	handle(a, operation("get-sync", http.MethodGet, path+"/{id}", "history", "One sync: its waves, objects, and what happened after it"), s.trace)
	handle(a, operation("compare-syncs", http.MethodGet, path+"/{id}/compare/{other}", "history", "What differs between the manifests of two syncs"), s.compare)
}

func (s *server) syncs(ctx context.Context, in *pastInput) (*pastPage, error) {
	row, err := s.remembers(ctx, in.KeyInput)
	if err != nil {
		return nil, err
	}
	list, err := s.pastOf(ctx, row, in)
	if err != nil || len(list) <= in.Limit {
		return &pastPage{Body: list}, httpError(err)
	}
	last := list[in.Limit-1]
	next, err := s.Cursors.Seal(listOfSyncs(in.key()), history.SyncPlace{Started: last.Started, ID: last.ID})
	return &pastPage{next, list[:in.Limit]}, httpError(err)
}

// pastOf reads what a page has, and one more where there is.
func (s *server) pastOf(ctx context.Context, row *view.Row, in *pastInput) ([]history.Sync, error) {
	var than *history.SyncPlace
	if in.Before != "" {
		than = &history.SyncPlace{}
		if err := s.placeIn(listOfSyncs(in.key()), in.Before, than); err != nil {
			return nil, err
		}
	}
	out := []history.Sync{}
	err := s.eachSync(ctx, row, than, in.Limit+1, func(one *history.Sync) bool {
		out = append(out, *one)
		return len(out) <= in.Limit
	})
	return out, err
}

// syncsAtOnce are read at a time where the first were not enough: many are of others.
const syncsAtOnce = 100

// eachSync reads the syncs of an Application that may be read, latest first from a place
// on, nil for all, until they end or no more are wanted. So many are read at first.
func (s *server) eachSync(ctx context.Context, row *view.Row, than *history.SyncPlace, first int, each func(*history.Sync) (more bool)) error {
	past := s.reach.Past()
	for most := first; ; most = syncsAtOnce {
		some, err := s.syncsAfter(ctx, row.Key(), than, most)
		if err != nil {
			return err
		}
		for i := range some {
			has, err := past.Has(ctx, row, &some[i])
			if err != nil {
				return err
			}
			if has && !each(&some[i]) {
				return nil
			}
		}
		if len(some) < most {
			return nil
		}
		last := &some[len(some)-1]
		than = &history.SyncPlace{Started: last.Started, ID: last.ID}
	}
}

// syncsAfter reads syncs of all Applications that had a name.
func (s *server) syncsAfter(ctx context.Context, k view.Key, than *history.SyncPlace, most int) ([]history.Sync, error) {
	if than == nil {
		return s.Past.List(ctx, k.Namespace, k.Name, most)
	}
	return s.Past.Older(ctx, k.Namespace, k.Name, *than, most)
}

// listOfSyncs is the list that places are in.
func listOfSyncs(k view.Key) string { return "syncs of " + k.Namespace + "/" + k.Name }

// remembers is the Application whose history somebody may read.
func (s *server) remembers(ctx context.Context, in KeyInput) (*view.Row, error) {
	row, err := s.may(ctx, in.key(), "applications", "get")
	if err == nil && s.Past == nil {
		err = httpError(gitops.Problemf(gitops.NotFound, "no history is kept").Do("run the engine with --store"))
	}
	return row, err
}

func (s *server) trace(ctx context.Context, in *SyncIDInput) (*answer[*syncs.Trace], error) {
	row, err := s.remembers(ctx, in.KeyInput)
	if err != nil {
		return nil, err
	}
	sync, err := s.syncOf(ctx, row, in.ID)
	if err != nil {
		return nil, httpError(err)
	}
	changes, err := s.Past.Changes(ctx, in.ID)
	if err != nil {
		return nil, httpError(err)
	}
	return &answer[*syncs.Trace]{&syncs.Trace{Sync: sync, Changes: changes}}, nil
}

// syncOf reads a sync of an Application: one that may not be read as one of it is not
// there, in the words of the store.
func (s *server) syncOf(ctx context.Context, row *view.Row, id string) (*history.Sync, error) {
	one, err := s.Past.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	has, err := s.reach.Past().Has(ctx, row, one)
	if err == nil && !has {
		err = gitops.Problemf(gitops.NotFound, "sync %s is not in the history", id)
	}
	return one, err
}

func (s *server) compare(ctx context.Context, in *compareInput) (*answer[[]Difference], error) {
	row, err := s.remembers(ctx, in.KeyInput)
	if err != nil {
		return nil, err
	}
	for _, id := range []string{in.ID, in.Other} {
		if _, err := s.syncOf(ctx, row, id); err != nil {
			return nil, httpError(err)
		}
	}
	ctx, end, err := s.place(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	out, err := s.Past.Compare(ctx, in.ID, in.Other)
	if err != nil {
		return nil, httpError(err)
	}
	return &answer[[]Difference]{out}, nil
}

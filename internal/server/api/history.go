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
	if err := s.remembers(ctx, in.KeyInput); err != nil {
		return nil, err
	}
	list, err := s.pastOf(ctx, in)
	if err != nil || len(list) <= in.Limit {
		return &pastPage{Body: list}, told(err)
	}
	last := list[in.Limit-1]
	next, err := s.Cursors.Seal(listOfSyncs(in.key()), history.SyncPlace{Started: last.Started, ID: last.ID})
	return &pastPage{next, list[:in.Limit]}, told(err)
}

// pastOf reads what a page has, and one more where there is.
func (s *server) pastOf(ctx context.Context, in *pastInput) ([]history.Sync, error) {
	if in.Before == "" {
		return s.Past.List(ctx, in.Namespace, in.Name, in.Limit+1)
	}
	var than history.SyncPlace
	if err := s.placeIn(listOfSyncs(in.key()), in.Before, &than); err != nil {
		return nil, err
	}
	return s.Past.Older(ctx, in.Namespace, in.Name, than, in.Limit+1)
}

// listOfSyncs is the list that places are in.
func listOfSyncs(k view.Key) string { return "syncs of " + k.Namespace + "/" + k.Name }

// remembers reports whether there is a history that somebody may read.
func (s *server) remembers(ctx context.Context, in KeyInput) error {
	if _, err := s.may(ctx, in.key(), "applications", "get"); err != nil {
		return err
	}
	if s.Past == nil {
		return told(gitops.Problemf(gitops.NotFound, "no history is kept").Do("run the engine with --store"))
	}
	return nil
}

func (s *server) trace(ctx context.Context, in *SyncIDInput) (*answer[*syncs.Trace], error) {
	if err := s.remembers(ctx, in.KeyInput); err != nil {
		return nil, err
	}
	t, err := s.ofApplication(ctx, in.KeyInput, in.ID)
	if err != nil {
		return nil, err
	}
	return &answer[*syncs.Trace]{t}, nil
}

// ofApplication reads a sync of one Application: those of others are not there.
func (s *server) ofApplication(ctx context.Context, in KeyInput, id string) (*syncs.Trace, error) {
	t, err := syncs.Read(ctx, s.Past, id)
	if err != nil {
		return nil, told(err)
	}
	if t.Sync.App.Namespace != in.Namespace || t.Sync.App.Name != in.Name {
		return nil, told(gitops.Problemf(gitops.NotFound, "application %s has no sync %s", in.Name, id))
	}
	return t, nil
}

func (s *server) compare(ctx context.Context, in *compareInput) (*answer[[]Difference], error) {
	if err := s.remembers(ctx, in.KeyInput); err != nil {
		return nil, err
	}
	for _, id := range []string{in.ID, in.Other} {
		if _, err := s.ofApplication(ctx, in.KeyInput, id); err != nil {
			return nil, err
		}
	}
	ctx, end, err := s.place(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	out, err := s.Past.Compare(ctx, in.ID, in.Other)
	if err != nil {
		return nil, told(err)
	}
	return &answer[[]Difference]{out}, nil
}

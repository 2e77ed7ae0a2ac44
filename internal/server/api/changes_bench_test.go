package api

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// many is a page of commits that are on 10,000 Applications.
type many struct {
	commits

	page []history.Changed
}

func (m *many) Commits(context.Context, history.CommitQuery) ([]history.Changed, error) {
	return m.page, nil
}

func BenchmarkChanges(b *testing.B) {
	w, m := newWorld(), &many{page: make([]history.Changed, 25)}
	now := time.Now()
	for i := range 10_000 {
		name := fmt.Sprintf("app-%d", i)
		w.index.Put(&view.Row{Namespace: "argocd", Name: name, Project: "shop"})
		c := &m.page[i%25]
		c.At = now
		c.Steps = append(c.Steps, history.Step{
			App: history.App{Namespace: "argocd", Name: name}, Project: "shop", Cluster: strconv.Itoa(i % 500), State: history.StepHealthy,
			Passes: history.Passes{Began: now, Fetched: now, Rendered: now, Planned: now}, Started: now, Applied: now, Healthy: now,
		})
	}
	s := &server{Options: Options{Index: w.index, Rights: w, Commits: m, Cursors: ownCursors()}, reach: reach.New(w, w.index, nil), commits: newSums()}
	ctx := auth.With(b.Context(), &auth.User{Name: "reader"})
	for b.Loop() {
		out, err := s.listChanges(ctx, &changesInput{Limit: 25})
		if err != nil || len(out.Body.Items) != 25 {
			b.Fatal(err)
		}
	}
}

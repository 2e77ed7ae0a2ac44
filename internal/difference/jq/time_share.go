package jq

import (
	"context"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// together is how long all evaluations of one comparison may take: of the
// processor in a worker, by the clock in the engine, where they are short.
// Thousands of objects take some seconds; an expression that is slow on each of
// them would keep a worker for hours.
const together = 30 * time.Second

type shareKey struct{}

// share is what the evaluations of one comparison have.
type share struct {
	project string

	mu    sync.Mutex
	spent time.Duration
	// most is the expression that took the longest so far, of all took.
	most *Query
	took map[written]time.Duration
}

// Share returns a context of one comparison of an Application: its evaluations
// count for the project, whoever wrote the rules, and have one bound of time.
func Share(ctx context.Context, project string) context.Context {
	return context.WithValue(ctx, shareKey{}, newShare(project))
}

func newShare(project string) *share {
	return &share{project: project, took: map[written]time.Duration{}}
}

// Project is whose evaluations those of a context are.
func Project(ctx context.Context) string { return shareOf(ctx).project }

// shareOf is the share of a context; one of nobody's where it has none.
func shareOf(ctx context.Context) *share {
	if s, ok := ctx.Value(shareKey{}).(*share); ok {
		return s
	}
	return newShare("")
}

// spend takes up the time of an evaluation.
func (s *share) spend(q *Query, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spent += took
	key := written{q.setting, q.text}
	s.took[key] += took
	if s.most == nil || s.took[key] >= s.took[written{s.most.setting, s.most.text}] {
		s.most = q
	}
}

// over is the error of a comparison that has had its time. It names the
// expression that took the most of it.
func (s *share) over() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spent < together {
		return nil
	}
	took := s.took[written{s.most.setting, s.most.text}]
	return gitops.Problemf(gitops.Invalid, "cannot compare: the jq path expressions take more than %s for all objects together, of which %q of %s takes %s",
		together, s.most.text, s.most.setting, took.Round(time.Millisecond)).
		Do("write it as a path that needs no loop, or have it concern fewer objects by kind, namespace and name")
}

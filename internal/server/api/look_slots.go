package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// place takes one among the looks, for a bounded time. End gives it back.
func (s *server) place(ctx context.Context) (_ context.Context, end func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	free, ok := s.Looks.Begin(ctx)
	if !ok {
		cancel()
		return nil, nil, later(http.StatusTooManyRequests, "too many requests look at clusters; try again later", looksWait)
	}
	return ctx, func() { free(); cancel() }, nil
}

// looked is an error of a look at a cluster or a repository. That those refuse
// the engine is nothing that a sign-in or a right of the sender would change.
func looked(err error) error {
	var p *gitops.Problem
	if errors.As(err, &p) && (p.Kind == gitops.Refused || p.Kind == gitops.Forbidden) && !errors.As(err, &reach.Barred{}) {
		return huma.NewError(http.StatusBadGateway, p.Error())
	}
	return httpError(err)
}

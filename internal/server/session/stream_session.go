package session

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/crew"
)

// attendEvery is about how long an answer that goes on does so after its
// reader's session has ended.
const attendEvery = 5 * time.Second

// Attend ends answers that go on and on when the session, the key or the token
// of who reads them ends. Streams tells which ones those are. It is put inside
// of Wrap.
func (g *Gate) Attend(next http.Handler, streams func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u := auth.From(r.Context())
		if u == nil || !streams(r) {
			next.ServeHTTP(w, r)
			return
		}
		ctx, end := context.WithCancel(r.Context())
		asked := r.Clone(ctx) // who answers may change the other one
		var attending sync.WaitGroup
		defer attending.Wait()
		defer end()
		attending.Go(func() {
			defer end() // also by a panic: nobody would see that they are who they were
			_ = crew.Safely(func() error { g.attend(asked, u); return nil })
		})
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// attend returns when who sent a request is them no longer, or it has ended.
func (g *Gate) attend(r *http.Request, u *auth.User) {
	every := time.NewTicker(attendEvery)
	defer every.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-every.C:
			if !g.same(r, u) {
				return
			}
		}
	}
}

// same reports whether a request is still of somebody, or nobody can say.
func (g *Gate) same(r *http.Request, u *auth.User) bool {
	now, err := g.Identify(r)
	if Unsure(err) {
		return true
	}
	return err == nil && now != nil && now.Person() == u.Person()
}

package claims

import (
	"context"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/operation"
)

// freshFor is how long after it was asked for an operation is believed at its first
// look, which usually comes at once.
const freshFor = 15 * time.Minute

// requests are the operations that were asked for under a seal. Each counts once:
// whoever may write an Application sees what it was asked for, and can ask for the
// same again. It is safe for concurrent use.
type requests struct {
	mu sync.Mutex
	// began is when the engine looked for the first time: what was asked for shortly
	// before that may have been seen by another one.
	began time.Time
	// current is what Applications are asked for at the moment, and seen what all were
	// asked for not long ago, with when.
	current map[types.NamespacedName]string
	seen    map[string]time.Time
}

func newRequests() *requests {
	return &requests{current: map[types.NamespacedName]string{}, seen: map[string]time.Time{}}
}

// verdict is what is known of a request.
type verdict int

const (
	// stale: it was asked for too long ago, or has had its turn.
	stale verdict = iota
	// fresh: it is the first look at it, or it waits since that.
	fresh
	// unsure: another engine may have seen it.
	unsure
)

// begin notes when the first look was.
func (q *requests) begin(now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.began.IsZero() {
		q.began = now
	}
}

// judge takes what an Application is asked for now; empty for nothing.
func (q *requests) judge(name types.NamespacedName, request string, asked, now time.Time) verdict {
	q.mu.Lock()
	defer q.mu.Unlock()
	if request != "" && q.current[name] == request {
		return fresh
	}
	delete(q.current, name)
	maps.DeleteFunc(q.seen, func(_ string, at time.Time) bool { return now.Sub(at) > freshFor })
	_, again := q.seen[request]
	switch {
	case request == "" || again || now.Sub(asked) > freshFor || asked.Sub(now) > freshFor:
		return stale
	case asked.Before(q.began.Add(freshFor)):
		return unsure
	}
	q.current[name], q.seen[request] = request, asked
	return fresh
}

// believe has an Application wait for what nobody has seen before.
func (q *requests) believe(name types.NamespacedName, request string, asked time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.current[name], q.seen[request] = request, asked
}

func (q *requests) forget(name types.NamespacedName) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.current, name)
}

// believed reports whether an Application is asked for something under a seal, and for
// the first time.
func (j *Judge) believed(ctx context.Context, app *v1alpha1.Application) bool {
	name := client.ObjectKeyFromObject(app)
	j.requests.begin(j.Now())
	if app.Operation == nil || !j.Seal.Genuine(app.UID, none, app.Operation) {
		j.requests.forget(name)
		return false
	}
	request, asked := operation.Asked(app.Operation)
	if st := app.Status.OperationState; request != "" && st != nil && opstate.Info(st.Operation.Info, gitops.InfoAsked) == request {
		j.requests.forget(name) // it has begun: this is a copy, written while it runs or later
		return false
	}
	switch j.requests.judge(name, request, asked, j.Now()) {
	case fresh:
		return true
	case unsure:
		if j.hadItsTurn(ctx, app, request, asked) {
			return false
		}
		j.requests.believe(name, request, asked)
		return true
	case stale:
	}
	return false
}

// hadItsTurn asks the history whether something was begun already, by whatever clock. What
// nobody knows in time has.
func (j *Judge) hadItsTurn(ctx context.Context, app *v1alpha1.Application, request string, asked time.Time) bool {
	if j.Began == nil {
		return false
	}
	began, err := j.Began(ctx, app, request, asked.Add(-freshFor))
	if err != nil {
		j.Log.WarnContext(ctx, "who asked for an operation counts as unverified: the history does not tell whether it was begun before", "app", app.Name, "error", err)
	}
	return began || err != nil
}

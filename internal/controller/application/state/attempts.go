package state

import (
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// Attempt is one try of an operation: its plan and how far it has come. It is
// lost when the engine stops; the next one plans again, finds what was applied
// as it should be, and comes to the same wave without a request.
type Attempt struct {
	Started time.Time
	Retry   int64
	Digest  string
	Where   Where

	// Plan is there while a worker goes on with the attempt, and outline is what
	// is kept of it otherwise.
	Plan    *gitops.Plan
	outline *plan.Outline
	Basis   plan.Basis
	// Whole tells that the plan is for all objects of the application.
	Whole    bool
	Progress plan.Progress
	// Cleared tells that the guard lets its deletions go.
	Cleared bool
	// Expired is why an atomic sync was given up.
	Expired error
	// Again is when a wave that lacked something may be tried once more.
	Again time.Time
	// DependsSince is since when a wave has waited for what its objects depend on.
	DependsSince time.Time
}

// Is reports whether an attempt is the try that is under way, with these manifests at this
// destination: what was found out about another one holds nowhere else.
func (a *Attempt) Is(st *v1alpha1.OperationState, digest string, at Where) bool {
	return a != nil && a.Started.Equal(st.StartedAt.Time) && a.Retry == st.RetryCount && a.Digest == digest && a.Where == at
}

// LetGo forgets the objects of the plan until the attempt goes on.
func (a *Attempt) LetGo() { a.Plan, a.outline = nil, a.Basis.Outline(a.Plan) }

// TakeUp has the objects of the plan back, out of a comparison of the same manifests.
func (a *Attempt) TakeUp(c *Comparison) (err error) {
	a.Plan, err = a.outline.Whole(c.Set, c.Rendering.Manifests)
	a.outline = nil
	return err
}

// Stage names how far which try of which operation has come.
func (a *Attempt) Stage() string {
	return fmt.Sprintf("try %d of %s, after %d waves", a.Retry, a.Started.UTC().Format(time.RFC3339), a.Progress.Waves)
}

// Attempts holds the attempt that runs for each application, and how often
// objects were healed lately. It is safe for concurrent use.
type Attempts struct {
	mu    sync.Mutex
	byApp map[types.NamespacedName]*Attempt
	heals map[types.NamespacedName]map[gitops.Key][]time.Time
	// swept is when those whose window is over were last dropped.
	swept time.Time
}

// NewAttempts returns an empty one.
func NewAttempts() *Attempts {
	return &Attempts{byApp: map[types.NamespacedName]*Attempt{}, heals: map[types.NamespacedName]map[gitops.Key][]time.Time{}}
}

// Get returns the attempt that runs for an Application; nil for none.
func (s *Attempts) Get(name types.NamespacedName) *Attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byApp[name]
}

// Put sets the attempt that runs for an Application.
func (s *Attempts) Put(name types.NamespacedName, a *Attempt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byApp[name] = a
}

// End drops the attempt of an Application.
func (s *Attempts) End(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byApp, name)
}

// Forget drops an Application that is gone, with what was healed of it.
func (s *Attempts) Forget(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byApp, name)
	delete(s.heals, name)
}

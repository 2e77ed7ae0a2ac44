// Package comparisons keeps what was found when each Application was last compared.
//
// An Application's status is not written when a commit changes nothing that it
// reads, and a cache may be behind the status. Who has to know whether an
// Application has seen a commit yet asks here. Nothing outlives the process:
// after a start each Application is compared anyway.
package comparisons

import (
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/operation"
)

// Source is a reference of an Application and what it resolved to.
type Source struct{ RepoURL, Chart, Wanted, Revision string }

// Comparison is one comparison of an Application.
type Comparison struct {
	UID     types.UID
	Sources []Source
	Sync    v1alpha1.SyncStatusCode
	Health  v1alpha1.HealthStatusCode
	// Busy tells that a sync ran.
	Busy bool
}

// At is a comparison of which only the sources and their revisions are known.
func At(sources v1alpha1.ApplicationSources, revisions []string) Comparison {
	var l Comparison
	for i, s := range sources {
		if i < len(revisions) {
			l.Sources = append(l.Sources, Source{strings.TrimSuffix(s.RepoURL, ".git"), s.Chart, s.TargetRevision, revisions[i]})
		}
	}
	return l
}

// Revisions that were compared, one a source.
func (l Comparison) Revisions() []string {
	var all []string
	for _, s := range l.Sources {
		all = append(all, s.Revision)
	}
	return all
}

// Behind reports whether l was compared with another revision than other was,
// although both name the same source.
func (l Comparison) Behind(other Comparison) bool {
	for _, a := range l.Sources {
		for _, b := range other.Sources {
			if a.RepoURL == b.RepoURL && a.Chart == b.Chart && a.Wanted == b.Wanted && a.Revision != b.Revision {
				return true
			}
		}
	}
	return false
}

// Book has the last comparison of each Application. It is safe for concurrent use.
type Book struct {
	mu    sync.RWMutex
	byApp map[types.NamespacedName]Comparison
}

// NewBook returns an empty Book.
func NewBook() *Book { return &Book{byApp: map[types.NamespacedName]Comparison{}} }

// Note takes what a comparison found and the status shows; revisions has one
// entry a source. It reports whether the revisions moved or the Application is new.
func (b *Book) Note(app *v1alpha1.Application, revisions []string) (moved bool) {
	now := At(app.Spec.GetSources(), revisions)
	now.UID, now.Sync, now.Health = app.UID, app.Status.Sync.Status, app.Status.Health.Status
	now.Busy = operation.Busy(app)
	name := client.ObjectKeyFromObject(app)
	b.mu.Lock()
	defer b.mu.Unlock()
	old, known := b.byApp[name]
	b.byApp[name] = now
	return !known || old.UID != now.UID || !slices.Equal(old.Sources, now.Sources)
}

// Of returns the last look at an Application; ok is false for one that was
// not compared yet, or is another one of that name.
func (b *Book) Of(name types.NamespacedName, uid types.UID) (l Comparison, ok bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	l, ok = b.byApp[name]
	return l, ok && l.UID == uid
}

// Busy reports whether an Application was syncing when it was compared last.
func (b *Book) Busy(name types.NamespacedName) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.byApp[name].Busy
}

// Forget drops an Application that is gone.
func (b *Book) Forget(name types.NamespacedName) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.byApp, name)
}

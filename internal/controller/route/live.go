package route

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// belonging is what a live object is to an Application whose tracking id it has.
type belonging int

const (
	// elsewhere is in a cluster that the Application does not deploy to: it says nothing of it.
	elsewhere belonging = iota
	// foreign is not permitted by its project: it is no part of the Application, which warns of it.
	foreign
	// granted may be a part of it.
	granted
)

// How many looks at an Application changes of live objects cause: so many at
// once, as a sync of many waves needs them, and then no more than one in a while.
// Who may write objects can make as many changes as they like.
const (
	paceBurst = 50
	paceEvery = 250 * time.Millisecond
)

// Together is how long changes of one application's objects are gathered:
// a rollout changes several at a time.
const Together = 10 * time.Millisecond

// foreignPause is how long changes of objects are gathered of which an
// application only warns.
const foreignPause = 2 * time.Second

// readTime bounds how long the caches are waited for at one change.
const readTime = 500 * time.Millisecond

// Live takes a change of a live object.
func (r *Router) Live(c gitops.Change) {
	r.tracked(c)
	r.depended(c.Server, c.Key, "")
}

// tracked wakes the application that a live object names. Whoever may write an
// object may write another one's name into it, and again and again.
func (r *Router) tracked(c gitops.Change) {
	name := r.name(c.App)
	if c.App == "" || !r.Covers(name.Namespace) {
		return
	}
	least := Together
	switch r.belongs(name, c) {
	case elsewhere:
		return
	case foreign:
		least = foreignPause
	case granted:
	}
	r.Apps.RingAfter(name, r.pace.Pause(name, least))
}

// belongs tells what a live object is to an Application. One that is not there
// has nothing; where the cache cannot tell, each is looked at.
func (r *Router) belongs(name types.NamespacedName, c gitops.Change) belonging {
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	app := &v1alpha1.Application{}
	err := r.Reader.Get(ctx, name, app, client.UnsafeDisableDeepCopy)
	switch {
	case apierrors.IsNotFound(err):
		return elsewhere
	case err != nil || c.Asked:
		return granted
	}
	return r.whose(ctx, app, c)
}

// whose tells it of an Application that is there. One whose destination leads nowhere
// now is woken when it does again.
func (r *Router) whose(ctx context.Context, app *v1alpha1.Application, c gitops.Change) belonging {
	cluster, err := r.Destination(app.Spec.Destination)
	if err != nil || cluster.Server != c.Server {
		return elsewhere
	}
	project, err := r.Project(ctx, app.Spec.GetProject())
	if err != nil {
		return granted
	}
	place := policy.Target{Server: cluster.Server, Name: cluster.Name}
	if policy.Live(project, c.Key, place, r.Clusters(project.Name)) != nil {
		return foreign
	}
	return granted
}

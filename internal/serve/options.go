package serve

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/serve/listener"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/store"
)

// Options are what the server is given of the engine.
type Options struct {
	// At is where it listens.
	At      listener.At
	Version string
	Log     *slog.Logger

	// Hub is where Applications are, Client reads and writes there with the
	// engine's own rights, from Cache.
	Hub    *rest.Config
	Client client.Client
	Cache  cache.Informers
	// Namespace is the control namespace.
	Namespace string
	// Covers reports whether Applications of a namespace are the engine's concern,
	// AnyNamespace whether those of others than the control namespace may be.
	Covers       func(namespace string) bool
	AnyNamespace bool
	// Settings are what argocd-cm says now, Hidden the annotations whose values
	// nobody is shown.
	Settings func() map[string]string
	Hidden   func() []string
	// Decrypts tells that files are decrypted here: what was so is shown to nobody.
	Decrypts bool

	Fleet *fleet.Fleet
	// Parked counts the Applications that wait for a server, by its address.
	Parked func() map[string]int
	// Described has somebody told when the Secret of a cluster has changed.
	Described func(changed func(name string))
	// Repositories are those that Secrets describe.
	Repositories func() []access.Repository

	// Describe adds to an API what people change of the installation itself:
	// repositories, clusters and projects.
	Describe func(*api.Options, *trail.Trail)

	// Admit decides whether anything is read or done for an application: the error
	// says why its project does not permit it. All else that is given an
	// application asks the same by itself.
	Admit func(ctx context.Context, app *v1alpha1.Application) (*Admitted, error)
	// Leads names the cluster of an application; false where there is none, or
	// where its project does not permit it there.
	Leads func(ctx context.Context, app *v1alpha1.Application) (cluster string, permitted bool)
	// Reads reports whether the project of an application permits its sources.
	Reads   func(ctx context.Context, app *v1alpha1.Application) bool
	Stages  Stages
	Live    Live
	Sources Sources
	// Seal vouches for who asks for operations; the engine's own.
	Seal   *operation.Seal
	Checks *observe.Checks
	Bridge Bridge
	// Facts are what the cluster of a Secret tells of itself; the error is why some
	// of it, or all, is not known.
	Facts func(ctx context.Context, secret, server string) ([]bridge.Fact, error)
	// Guard tells what it would hold of deletions.
	Guard Guard
	// Explain tells where values come from, Expand what a set gives now.
	Explain api.Explainer
	// Around tells of what concerns an application and is none of its own.
	Around api.Surroundings
	Expand func(ctx context.Context, set *v1alpha1.ApplicationSet, look api.SetLook) (*api.Expansion, error)
	// RightsFor is how long what somebody may do is believed, also of a terminal
	// that is open; 10 seconds when 0.
	RightsFor time.Duration
	// Act carries out actions of live objects.
	Act Actor
	// Account is who an application acts as in a namespace of its cluster, as its
	// syncs do; empty for the engine. The error says why its project does not
	// permit the namespace.
	Account func(ctx context.Context, app *v1alpha1.Application, namespace string) (string, error)

	// History has what syncs did, and the audit; nil where it could not be
	// opened, or where NoHistory says that none is wanted.
	History   *store.Store
	NoHistory bool
	// Compare tells what differs between the manifests of two syncs.
	Compare func(ctx context.Context, a, b string) ([]forecast.Object, error)
	// Webhooks takes events of Git hosts.
	Webhooks http.Handler
}

// Stages work on one application as the engine does, and change nothing.
type Stages interface {
	// Render renders what Git has.
	Render(ctx context.Context, app *v1alpha1.Application) (*gitops.Rendering, error)
	// Desired is what is to be in its cluster.
	Desired(ctx context.Context, app *v1alpha1.Application) (*plan.Set, error)
	// Diff is what a sync would change. Objects that are as they should be are left out.
	Diff(ctx context.Context, app *v1alpha1.Application) ([]plan.ObjectDiff, error)
}

// Admitted is what an application has that its project permits.
type Admitted struct {
	// Cluster is its destination.
	Cluster *fleet.Cluster
	// Resources are those of its status that its project permits. Whether they
	// are its own, Live knows.
	Resources []v1alpha1.ResourceStatus
}

// server is the address of the destination.
func (a *Admitted) server() string {
	if a.Cluster == nil {
		return ""
	}
	return a.Cluster.Desc().Server
}

// Live reads the objects of one application in its cluster, as far as its
// project permits them.
type Live interface {
	// Tree has them with what they own. One with parts left out comes with the
	// error that tells why.
	Tree(ctx context.Context, app *v1alpha1.Application) ([]*observe.Node, error)
	// Roots are those that its status names, without those that are missing or
	// another's.
	Roots(ctx context.Context, app *v1alpha1.Application) ([]*unstructured.Unstructured, error)
	// Object is one of its own, or one that such a one owns; nil when it is
	// missing or another's.
	Object(ctx context.Context, app *v1alpha1.Application, gvk schema.GroupVersionKind, key gitops.Key) (*unstructured.Unstructured, error)
}

// Sources fetches what Git has at a revision.
type Sources interface {
	Snapshot(ctx context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error)
}

// Bridge is what is known of clusters, and who reads it.
type Bridge interface {
	// Outline has no more of Applications than their names.
	Outline(ctx context.Context) (bridge.Fleet, error)
	// Supposable has the Applications that Trial's stages are compared with.
	Supposable(ctx context.Context) (bridge.Fleet, error)
	Schemas(ctx context.Context) ([]bridge.Schema, error)
	// Trial are stages for metadata that somebody made up: they fetch nothing
	// that the fleet does not fetch.
	Trial(ctx context.Context, fleet bridge.Fleet) (bridge.Stages, error)
}

// Guard is the guard of the deletions of ApplicationSets. It is asked before
// they happen, and notes nothing.
type Guard interface {
	// Would tells why deletions of a set would be held; empty when they would
	// go, and whether the fleet's limit counts them then. Of those that it has it
	// yields left afterwards; beside are names of what other sets delete at the
	// same time, by their accounts.
	Would(ctx context.Context, set *v1alpha1.ApplicationSet, going, owned []v1alpha1.Application, left int, beside map[string][]string) (why string, counts bool)
}

// Times of what is read for a request.
const (
	// secretsFor is how long Secrets are believed, so that a flood of requests
	// is none at the API server.
	secretsFor = 10 * time.Second
	// readTime bounds a single read, or write.
	readTime = 10 * time.Second
	// changeTime bounds a change of what others change, too, with all its tries.
	changeTime = 30 * time.Second
)

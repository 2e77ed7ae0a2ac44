package state

import (
	"context"
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/compare"
	"github.com/causeway-gitops/causeway/internal/controller/application/dependency"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

// Projects looks up AppProjects of the control namespace.
type Projects = compare.Projects

// Fleet finds the cluster of a destination.
type Fleet interface {
	compare.Fleet[Cluster]

	// Unheed forgets what an application depends on, and Forget all that it
	// waits for, on all clusters.
	Unheed(tracking string)
	Forget(tracking string)
}

// Cluster is one member of the fleet with its caches: all that a Target carries for
// those who compare, read, watch and write. Who needs one of these takes that alone.
type Cluster interface {
	compare.Cluster
	compare.Strayer
	dependency.Cluster
	Reader
	Watcher
	Population
	Impersonator
}

// Reader asks the cluster itself.
type Reader interface {
	// Get reads a whole object.
	Get(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error)
	// Find asks for an object that Live does not have; nil when it is not there.
	Find(ctx context.Context, gvk schema.GroupVersionKind, key gitops.Key) (*gitops.Live, error)
	// List reads whole objects of a kind in a namespace, or in all.
	List(ctx context.Context, gvk schema.GroupVersionKind, namespace string) ([]unstructured.Unstructured, error)
}

// Watcher keeps up with the objects of a cluster.
type Watcher interface {
	// Redial has a cluster that does not answer asked at once.
	Redial()
	// Follow has each change of an object's content told from now on: its
	// fingerprint alone does not tell whether it is as desired.
	Follow(live *gitops.Live)
	// Put takes the outcome of an apply before its watch event comes.
	Put(live *gitops.Live)
}

// Population counts the objects that go with another one.
type Population interface {
	// Inside counts the objects in a namespace, as far as they are watched.
	Inside(namespace string, counts func(gitops.Key) bool) int
	// Instances counts the objects of a definition.
	Instances(ctx context.Context, definition string) int
}

// Impersonator writes to a cluster as the engine, and as others.
type Impersonator interface {
	apply.Cluster

	// As returns the cluster for writing as a user.
	As(user string) (apply.Cluster, error)
}

// Subject is what is compared.
type Subject = compare.Subject[Cluster]

// Target is an application with everything that its spec names.
type Target struct {
	Subject

	// Writer is the cluster as the user that the project has syncs act as;
	// Refusal is why there is none.
	Writer  Writer
	Refusal error
	// Passes are when the stages before the first change ended.
	Passes history.Passes
	// Brought is what the operation brings instead of what the sources say;
	// nil when it brings nothing.
	Brought *Brought
	// Unfit is why the manifests that the operation brings cannot be used.
	Unfit error
	// Lost tells of objects that the operation names and the application has not.
	Lost []string
	// Asked tells that somebody asked for this look.
	Asked bool
	// Found is the operation as it was read.
	Found AsRead
	// WaveTime is the time that each wave of an atomic sync has; zero: it is not atomic.
	WaveTime time.Duration
}

// Where is a destination, and by whose leave it is one.
type Where struct {
	Project   string `json:"project"`
	Server    string `json:"server"`
	Namespace string `json:"namespace"`
}

// String implements fmt.Stringer, in a form that tells all places apart.
func (w Where) String() string {
	text, _ := json.Marshal(w) //nolint:errchkjson // texts always encode
	return string(text)
}

// Where is the destination now.
func (t *Target) Where() Where {
	return Where{Project: t.Project.Name, Server: t.Cluster.Desc().Server, Namespace: t.App.Spec.Destination.Namespace}
}

package install

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/deploy"
	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/follow"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// Options say what a bootstrap makes of a cluster.
type Options struct {
	// Hub is the cluster that becomes one.
	Hub        *rest.Config
	Engine     bootstrap.Engine
	Repository bootstrap.Repository
	Member     bootstrap.Hub
	// Mirrors serve addresses from local folders, when the repository is looked at.
	Mirrors []source.Mirror
	// Unfetched leaves out the look at the repository: it may be that only
	// the cluster can reach it.
	Unfetched bool
	// Coming are files that the repository will have when the plan is applied.
	Coming Coming
	// Within bounds the wait.
	Within time.Duration
	// Say is told of each step, Progress of how far the wait is. Neither may be nil.
	Say      func(format string, args ...any)
	Progress func(stage string, done, total int)
	Log      *slog.Logger
}

// Coming are files that a repository does not have yet.
type Coming struct {
	Files []string
	// Branch has them, and HEAD may; empty when all revisions do.
	Branch string
}

// Bootstrap makes a hub of a cluster: the engine, the Secrets of the repository
// and of the hub, the root ApplicationSets.
type Bootstrap struct {
	Options

	namespace string
	installer *installer
	clients   kubernetes.Interface
}

// Plan is what a bootstrap would write.
type Plan struct {
	installation

	// Kept tells what is left to others, one sentence each.
	Kept []string
	// deployments are those of the engine, by name.
	deployments []string
	// places are what the roots deploy, and repositories what opens them.
	places       []bootstrap.Place
	repositories []corev1.Secret
}

// NewBootstrap prepares one. It makes no request.
func NewBootstrap(o Options) (*Bootstrap, error) {
	installer, err := newInstaller(o.Hub)
	if err != nil {
		return nil, err
	}
	clients, err := kubernetes.NewForConfig(o.Hub)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to the hub: %w", err)
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Bootstrap{Options: o, namespace: o.Engine.Namespace, installer: installer, clients: clients}, nil
}

// Plan tells what would be written. It writes nothing, and fails where
// something stands in the way.
func (b *Bootstrap) Plan(ctx context.Context) (*Plan, error) {
	out := &Plan{}
	engine, err := b.engine(ctx, out)
	if err != nil {
		return nil, err
	}
	if err := b.vacant(ctx); err != nil {
		return nil, err
	}
	fleet, err := b.fleet(ctx, out)
	if err != nil {
		return nil, err
	}
	foreign, err := b.foreign(ctx)
	if err != nil {
		return nil, err
	}
	definitions, err := deploy.Definitions()
	if err != nil {
		return nil, err
	}
	var gone []found
	if len(engine) > 0 {
		if gone, err = b.installer.leftovers(ctx, b.namespace, engine); err != nil {
			return nil, err
		}
	}
	kept := out.same
	all := slices.Concat(definitions, []*unstructured.Unstructured{bootstrap.Namespace(b.namespace)}, engine, fleet)
	out.installation, err = b.installer.plan(ctx, all, gone, foreign)
	out.same += kept
	return out, err
}

// engine are the objects of the chart, but for an engine that somebody else
// installed: that stays as it is.
func (b *Bootstrap) engine(ctx context.Context, out *Plan) ([]*unstructured.Unstructured, error) {
	facts, err := hub.Facts(b.clients)
	if err != nil {
		return nil, err
	}
	objects, err := b.Engine.Objects(facts)
	if err != nil {
		return nil, err
	}
	names, err := hub.EngineDeployments(ctx, b.clients, b.namespace)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		live, err := b.installer.find(ctx, objectNamed(appsv1.SchemeGroupVersion.WithKind("Deployment"), b.namespace, name))
		if err != nil {
			return nil, err
		}
		out.deployments = append(out.deployments, name)
		if live.live == nil || managed(live.live, bootstrap.Manager) {
			continue
		}
		if b.Engine.Given() {
			return nil, gitops.Problemf(gitops.Invalid, "cannot change the engine: Deployment %s of namespace %s was installed by %s", name, b.namespace, makerOf(live.live)).
				Do("change it with that, and leave out --values, --set, --image and --version")
		}
		out.Kept = append(out.Kept, fmt.Sprintf("the engine was installed by %s and stays as it is", makerOf(live.live)))
		return nil, nil
	}
	for _, o := range objects {
		if o.GetKind() == "Deployment" && !slices.Contains(out.deployments, o.GetName()) {
			out.deployments = append(out.deployments, o.GetName())
		}
	}
	return objects, nil
}

// makerOf tells who wrote an object first.
func makerOf(o *unstructured.Unstructured) string {
	for _, m := range o.GetManagedFields() {
		if m.Subresource == "" {
			return m.Manager
		}
	}
	return "somebody else"
}

// vacant refuses a namespace with an Argo CD that has not made way.
func (b *Bootstrap) vacant(ctx context.Context) error {
	all, err := hub.ArgoWorkloads(ctx, b.clients, b.namespace)
	if err != nil {
		return err
	}
	data, err := follow.Read(ctx, b.installer.client, b.namespace, takeover.RecordName)
	if err != nil {
		return fmt.Errorf("cannot read ConfigMap %s: %w", takeover.RecordName, err)
	}
	record, err := takeover.ParseRecord(data)
	if err != nil {
		return err
	}
	for _, w := range (&takeover.Installation{Workloads: all}).Engines() {
		if w.Replicas > 0 || record.Stage != takeover.Adopted {
			return gitops.Problemf(gitops.Invalid, "namespace %s holds Argo CD (%s): two engines would write to the same Applications", b.namespace, w).
				Do("take over from it with `causeway import argocd`, or name another namespace with --namespace")
		}
	}
	return nil
}

// fleet are the Secrets of the repository and of the hub, and the roots.
func (b *Bootstrap) fleet(ctx context.Context, plan *Plan) ([]*unstructured.Unstructured, error) {
	which, err := hub.Describing()
	if err != nil {
		return nil, err
	}
	var list corev1.SecretList
	if err := b.installer.client.List(ctx, &list, client.InNamespace(b.namespace), client.MatchingLabelsSelector{Selector: which}); err != nil {
		return nil, fmt.Errorf("cannot list the Secrets of clusters and repositories: %w", err)
	}
	var clusters, repositories []corev1.Secret
	for i := range list.Items {
		if clustersecret.IsCluster(&list.Items[i]) {
			clusters = append(clusters, list.Items[i])
		} else {
			repositories = append(repositories, list.Items[i])
		}
	}
	live, err := b.member(clusters)
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	known := b.Repository.Find(repositories)
	switch s := b.Repository.Secret(known); s {
	case nil:
		plan.same++ // nothing is asked of it; it counted when it was written
	default:
		out = append(out, s)
		b.installer.shared[gitops.KeyOf(s)] = known != nil
	}
	hub := b.Member.Secret(live)
	b.installer.shared[gitops.KeyOf(hub)] = live != nil
	plan.places, plan.repositories = bootstrap.Places(hub, live, b.Member.Roots), b.Repository.In(repositories)
	if err := b.reachable(ctx, plan, b.Coming); err != nil {
		return nil, err
	}
	out = append(out, hub)
	for _, root := range b.Member.Roots {
		out = append(out, bootstrap.Root(b.namespace, root, bootstrap.NameIn(hub, live)))
	}
	return out, nil
}

// member finds the hub's Secret; nil where there is none yet.
func (b *Bootstrap) member(clusters []corev1.Secret) (*corev1.Secret, error) {
	live, err := bootstrap.HubSecret(clusters)
	if err != nil || live != nil {
		return live, err
	}
	for i := range clusters {
		if clusters[i].Name == b.Member.Name {
			return nil, gitops.Problemf(gitops.Invalid, "cannot describe the hub: the Secret %s is that of another cluster", b.Member.Name).
				Do("give the hub another name with --cluster")
		}
	}
	return nil, nil
}

// Apply writes what was planned.
func (b *Bootstrap) Apply(ctx context.Context, p *Plan) error {
	return b.installer.apply(ctx, p.installation, b.Say)
}

// Changes are the objects that would be written, in order.
func (p *Plan) Changes() []plan.ObjectDiff {
	out := make([]plan.ObjectDiff, 0, len(p.pending))
	for _, one := range p.pending {
		out = append(out, one.diff)
	}
	return out
}

// Same counts the objects that are as they should be.
func (p *Plan) Same() int { return p.same }

package fleet

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// patience is how long a caller waits for a cluster that was not heard of yet.
const patience = 5 * time.Second

// kinds returns what the cluster serves.
func (c *Cluster) kinds(ctx context.Context) (*kinds, error) {
	if c.broken != nil {
		return nil, c.broken
	}
	if err := c.link.check(ctx, patience); err != nil {
		return nil, c.problem("get /version", err)
	}
	k, err := c.catalog.get(ctx)
	if err != nil {
		if !isCrowded(err) { // which says nothing of whether it answers
			c.link.kick()
		}
		return nil, c.problem("get /apis", err)
	}
	return k, nil
}

// Version is the API server's, such as v1.36.3, as it told when it was asked
// last: each time that a connection to it was lost. It waits a moment for a
// cluster that was not heard of yet.
func (c *Cluster) Version(ctx context.Context) (string, error) {
	if c.broken != nil {
		return "", c.broken
	}
	if err := c.link.check(ctx, patience); err != nil {
		return "", c.problem("get /version", err)
	}
	if v := c.link.tells(); v != "" {
		return v, nil
	}
	d := c.Desc()
	return "", gitops.Problemf(gitops.Unreachable, "what answers at %s does not tell its version, as a Kubernetes API server does", d.Server).
		Do("correct the address, or let the login of cluster " + d.Name + " get /version")
}

// Answers asks the API server for its version now. An error is that it does not
// answer: one that it sent itself is an answer, too.
func (c *Cluster) Answers(ctx context.Context) error {
	if c.broken != nil {
		return c.broken
	}
	err := c.raw.Get().AbsPath("/version").Do(ctx).Error()
	if isAnswer(err) {
		return nil
	}
	return c.problem("get /version", err)
}

// Mapping returns how a kind is served. A kind that is not is looked for
// again, but not for each application: the error then has the kind NotReady.
func (c *Cluster) Mapping(ctx context.Context, gvk schema.GroupVersionKind) (*meta.RESTMapping, error) {
	k, err := c.kinds(ctx)
	if err != nil {
		return nil, err
	}
	if m, exact := k.mapping(gvk); exact {
		return m, nil
	}
	if k, err = c.catalog.having(ctx, gvk.GroupKind()); err != nil {
		return nil, c.problem("get /apis", err)
	}
	m, exact := k.mapping(gvk)
	if exact {
		return m, nil
	}
	p := gitops.Problemf(gitops.NotReady, "cluster %s does not serve %s %s", c.Desc().Name, gvk.GroupVersion(), gvk.Kind)
	if m != nil {
		p.Kind = gitops.NotFound
		return nil, p.Do("use apiVersion " + m.GroupVersionKind.GroupVersion().String())
	}
	return nil, p.Do("install its CustomResourceDefinition")
}

// Scope tells which kinds are namespaced, by what is known of the cluster now;
// it knows nothing of a cluster that has not answered yet.
func (c *Cluster) Scope() gitops.Scope {
	k, err := c.kinds(c.lifetime())
	return func(group, kind string) (namespaced, known bool) {
		if err != nil {
			return false, false
		}
		mappings := k.byKind[schema.GroupKind{Group: group, Kind: kind}]
		if len(mappings) == 0 {
			return false, false
		}
		return mappings[0].Scope.Name() == meta.RESTScopeNameNamespace, true
	}
}

func (c *Cluster) lifetime() context.Context {
	if c.ctx == nil {
		return context.Background()
	}
	return c.ctx
}

// Facts are what rendering may know of the cluster. They change when kinds
// come or go: see Options.OnKinds.
func (c *Cluster) Facts(ctx context.Context) (gitops.Facts, error) {
	k, err := c.kinds(ctx)
	if err != nil {
		return gitops.Facts{}, err
	}
	return k.facts, nil
}

// Told are the facts that the cluster told last, also while it does not answer.
// Before it told any it is asked, as for Facts.
func (c *Cluster) Told(ctx context.Context) (gitops.Facts, error) {
	if c.broken != nil {
		return gitops.Facts{}, c.broken
	}
	if k := c.catalog.told.Load(); k != nil {
		return k.facts, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return c.Facts(ctx)
}

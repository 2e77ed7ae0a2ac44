package clustersource

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// others are the clusters that there are, with what each was found in.
type others struct {
	all []gitops.Cluster
	// origins are what cluster Secrets of sources were found in, by their names.
	origins map[string]string
}

// others reads them out of the cache, and adds what was written just now and
// may not be there yet.
func (r *Reconciler) others(ctx context.Context) (*others, error) {
	list := &corev1.SecretList{}
	match := client.MatchingLabels{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}
	if err := r.Objects.List(ctx, list, client.InNamespace(r.Namespace), match, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("cannot list cluster Secrets: %w", err)
	}
	out := &others{origins: map[string]string{}}
	for i := range list.Items {
		out.add(&list.Items[i])
	}
	return out, r.addWritten(ctx, out)
}

// addWritten adds what was written just now. What is gone since somebody has
// deleted by hand.
func (r *Reconciler) addWritten(ctx context.Context, o *others) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, w := range r.written {
		if !slices.ContainsFunc(o.all, func(c gitops.Cluster) bool { return c.Secret == name }) {
			there, err := r.there(ctx, name)
			if err != nil {
				return err
			}
			if !there {
				delete(r.written, name)
				continue
			}
		}
		o.all = append(o.all, gitops.Cluster{Name: name, Secret: name, Server: w.server, Source: w.source})
		o.origins[name] = w.from
	}
	return nil
}

func (r *Reconciler) there(ctx context.Context, secret string) (bool, error) {
	s := &metav1.PartialObjectMetadata{}
	s.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	err := r.Hub.Get(ctx, client.ObjectKey{Namespace: r.Namespace, Name: secret}, s)
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("cannot read Secret %s: %w", secret, err)
	}
	return err == nil, nil
}

// add adds what decides of a cluster Secret, and not its metadata.
func (o *others) add(s *corev1.Secret) {
	c := clustersecret.Describe(s)
	o.all = append(o.all, gitops.Cluster{Name: c.Name, Server: c.Server, Secret: c.Secret, Source: c.Source})
	if s.Labels[causeway.LabelClusterSource] != "" {
		o.origins[s.Name] = s.Annotations[causeway.AnnotationFoundIn]
	}
}

// taken are the Secrets that clusters of a source were found in.
func (o *others) taken(source string) taken {
	out := taken{}
	for _, c := range o.all {
		if from := o.origins[c.Secret]; c.Source == source && from != "" {
			out[from] = struct{}{}
		}
	}
	return out
}

// of are the cluster Secrets that were found in namespaces which could not be
// read now, the one without a name being all: what cannot be read is not gone.
// Nor are those, as older engines made them, that do not say where, while
// something is not read or has no place: it may be theirs.
func (o *others) of(unread map[string]error, left map[string]int) map[string]bool {
	out := map[string]bool{}
	for secret, origin := range o.origins {
		namespace, _, said := strings.Cut(origin, "/")
		if said && (unread[namespace] != nil || unread[""] != nil) || !said && len(unread)+len(left) > 0 {
			out[secret] = true
		}
	}
	return out
}

// drop forgets a cluster that is deleted.
func (o *others) drop(secret string) {
	o.all = slices.DeleteFunc(o.all, func(c gitops.Cluster) bool { return c.Secret == secret })
	delete(o.origins, secret)
}

// refuse tells why a cluster Secret must not be written: what another one has
// already, the hub among them, a kubeconfig must not take.
func (o *others) refuse(w wanted) error {
	name, server := w.object.Name, string(w.object.Data["server"])
	if name == gitops.HubName {
		return fmt.Errorf("cluster name %q of Secret %s is taken by the hub; choose another one with spec.clusterName", name, w.from)
	}
	for _, c := range o.all {
		switch {
		case c.Secret == name || c.Secret == "":
		case c.Name == name:
			return fmt.Errorf("cluster name %q of Secret %s is taken by cluster Secret %s; choose another one with spec.clusterName", name, w.from, c.Secret)
		case gitops.SameServer(c.Server, server):
			return fmt.Errorf("the server of Secret %s is that of cluster Secret %s; delete one of the two, for nobody could tell which one a destination means", w.from, c.Secret)
		}
	}
	return nil
}

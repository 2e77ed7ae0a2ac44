package declaredcluster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/fleet/kubeconfig"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// manager owns what Clusters say of their Secrets.
const manager = "causeway-cluster"

// What the bridge says of each cluster.
const (
	keyName        = "cluster_name"
	keyEnvironment = "environment"
)

// write brings the cluster Secret to what the Cluster says.
func (r *Reconciler) write(ctx context.Context, c *causeway.Cluster, connection kubeconfig.Connection) (*corev1.Secret, error) {
	live := &corev1.Secret{}
	err := r.Secrets.Get(ctx, client.ObjectKeyFromObject(c), live)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("cannot read cluster Secret %s: %w", c.Name, err)
	}
	if err == nil && !ours(c, live) {
		return nil, gitops.Problemf(gitops.Invalid, "Secret %s is there already, and is not of this Cluster", c.Name).
			Do("rename the Cluster, or delete the Secret")
	}
	if why := gitops.Reserved(c.Name); err != nil && why != "" { // one that is there already goes on
		return nil, gitops.Problemf(gitops.Invalid, "a Cluster cannot have the name %s, which its Secret would have: %s", c.Name, why).Do("rename the Cluster")
	}
	if err := r.alone(ctx, c, connection.Server); err != nil {
		return nil, err
	}
	wanted, err := secretOf(c, connection)
	if err != nil {
		return nil, err
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(wanted)
	if err != nil {
		return nil, fmt.Errorf("cannot write cluster Secret %s: %w", c.Name, err)
	}
	apply := &unstructured.Unstructured{Object: object}
	unstructured.RemoveNestedField(apply.Object, "metadata", "creationTimestamp")
	err = r.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(apply), client.FieldOwner(manager))
	if apierrors.IsConflict(err) {
		return nil, gitops.Problemf(gitops.Invalid, "cannot write cluster Secret %s, because others have set keys of it: %w", c.Name, err).
			Do("remove the keys in one of the two places")
	}
	if apierrors.IsInvalid(err) {
		return nil, gitops.Problemf(gitops.Invalid, "cannot write cluster Secret %s: %w", c.Name, err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot write cluster Secret %s: %w", c.Name, err)
	}
	written := &corev1.Secret{} // with what others say of it
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(apply.Object, written); err != nil {
		return nil, fmt.Errorf("cannot read what became of cluster Secret %s: %w", c.Name, err)
	}
	return written, nil
}

// alone refuses a name or a server that another cluster has, the hub among
// them: Applications that name it would not know which one is meant. What a
// ClusterSource found does not count beside a Cluster.
func (r *Reconciler) alone(ctx context.Context, c *causeway.Cluster, server string) error {
	if c.Name == gitops.HubName || gitops.ReachesHub(server) {
		return gitops.Problemf(gitops.Invalid, "a Cluster cannot have the name %s or the address %s: they are those of the hub", gitops.HubName, gitops.HubServer).
			Do("describe the hub in a cluster Secret")
	}
	list := &corev1.SecretList{}
	match := client.MatchingLabels{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}
	if err := r.Client.List(ctx, list, client.InNamespace(c.Namespace), match, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("cannot list the cluster Secrets: %w", err)
	}
	for i := range list.Items {
		s := &list.Items[i]
		other := clustersecret.Describe(s)
		switch {
		case s.Name == c.Name || other.Source != "":
		case other.Name == c.Name:
			return gitops.Problemf(gitops.Invalid, "cluster Secret %s describes another cluster that is called %s", s.Name, c.Name).
				Do("rename the Cluster")
		case gitops.SameServer(other.Server, server):
			return gitops.Problemf(gitops.Invalid, "cluster Secret %s describes the server %s already", s.Name, other.Server).
				Do("delete the Secret, or the Cluster")
		}
	}
	return nil
}

// ours reports whether a Secret is this Cluster's, or was left by one of the
// same name that let its cluster go on.
func ours(c *causeway.Cluster, s client.Object) bool {
	return s.GetAnnotations()[gitops.AnnotationDeclaredBy] == c.Name
}

// secretOf is the Secret in Argo CD's form. It has no owner reference: a
// foreground deletion of the Cluster, as prunes are, would take the Secret
// away while applications still need it to leave the cluster.
func secretOf(c *causeway.Cluster, connection kubeconfig.Connection) (*corev1.Secret, error) {
	login, err := json.Marshal(connection.Login) //nolint:gosec // it goes to a Secret
	if err != nil {
		return nil, fmt.Errorf("cannot write the connection of cluster %s: %w", c.Name, err)
	}
	labels := described(c, c.Spec.Labels)
	labels[v1alpha1.LabelSecretType] = v1alpha1.SecretTypeCluster
	notes := described(c, c.Spec.Annotations)
	notes[gitops.AnnotationDeclaredBy] = c.Name
	if c.Spec.Annotations[keyEnvironment] == "" {
		notes[keyEnvironment] = labels[keyEnvironment]
	}
	out := &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{
			Name: c.Name, Namespace: c.Namespace, Labels: labels, Annotations: notes,
		},
		Type: corev1.SecretTypeOpaque,
		Data: map[string][]byte{"name": []byte(c.Name), "server": []byte(connection.Server), "config": login},
	}
	if c.Spec.Project != "" {
		out.Data["project"] = []byte(c.Spec.Project)
	}
	if len(c.Spec.Namespaces) > 0 {
		out.Data["namespaces"] = []byte(strings.Join(c.Spec.Namespaces, ","))
	}
	return out, nil
}

// described adds what the bridge says of each cluster.
func described(c *causeway.Cluster, given map[string]string) map[string]string {
	out := map[string]string{keyName: c.Name, keyEnvironment: c.Name}
	maps.Copy(out, given)
	return out
}

// mark tells ApplicationSets that the cluster is going. It is news the first
// time.
func (r *Reconciler) mark(ctx context.Context, c *causeway.Cluster) (news bool, err error) {
	secret, err := r.secret(ctx, c)
	if err != nil || secret == nil || gitops.Draining(secret.Annotations) {
		return false, err
	}
	return true, r.annotate(ctx, secret, func() { secret.Annotations[gitops.AnnotationDraining] = "true" })
}

// part leaves the Secret to itself. It may have been draining, when the policy
// was another one.
func (r *Reconciler) part(ctx context.Context, c *causeway.Cluster) error {
	secret, err := r.secret(ctx, c)
	if err != nil || secret == nil || !gitops.Draining(secret.Annotations) {
		return err
	}
	return r.annotate(ctx, secret, func() { delete(secret.Annotations, gitops.AnnotationDraining) })
}

func (r *Reconciler) annotate(ctx context.Context, s *corev1.Secret, change func()) error {
	before := s.DeepCopy()
	if s.Annotations == nil {
		s.Annotations = map[string]string{}
	}
	change()
	err := r.Client.Patch(ctx, s, client.MergeFrom(before), client.FieldOwner(manager))
	if err != nil {
		return fmt.Errorf("cannot write cluster Secret %s: %w", s.Name, err)
	}
	return nil
}

// remove deletes the Secret, and with it the cluster from the fleet. What it
// says of its owner decides, so it goes as it was read.
func (r *Reconciler) remove(ctx context.Context, c *causeway.Cluster) error {
	secret, err := r.secret(ctx, c)
	if err != nil || secret == nil {
		return err
	}
	if err := client.IgnoreNotFound(r.Client.Delete(ctx, secret, client.Preconditions{UID: &secret.UID, ResourceVersion: &secret.ResourceVersion})); err != nil {
		return fmt.Errorf("cannot delete cluster Secret %s: %w", c.Name, err)
	}
	return nil
}

// secret reads the Secret of a Cluster; nil when there is none of its own.
func (r *Reconciler) secret(ctx context.Context, c *causeway.Cluster) (*corev1.Secret, error) {
	s := &corev1.Secret{}
	err := r.Secrets.Get(ctx, client.ObjectKeyFromObject(c), s)
	if apierrors.IsNotFound(err) || err == nil && !ours(c, s) {
		return nil, nil //nolint:nilnil // none
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read cluster Secret %s: %w", c.Name, err)
	}
	return s, nil
}

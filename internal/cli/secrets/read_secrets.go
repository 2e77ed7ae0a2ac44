package secrets

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// singly is how many Secrets are asked for by their names, and how many namespaces: of more, one list is sooner read
// than that many answers, which come one after the other.
const singly = 20

// secrets reads the metadata of Secrets that were made: those with the label, and those into which values are put that
// somebody else made. What was read before an error counts.
func (r *reader) secrets(ctx context.Context, c *content, namespace string) error {
	if err := r.keep(ctx, c, client.InNamespace(namespace), client.MatchingLabels{esv1.LabelManaged: "true"}); err != nil {
		return err
	}
	absent, places := c.absent()
	switch {
	case len(absent) <= singly:
		return r.named(ctx, c, absent)
	case len(places) <= singly:
		for _, place := range places {
			if err := r.keep(ctx, c, client.InNamespace(place)); err != nil {
				return err
			}
		}
		return nil
	}
	return r.keep(ctx, c, client.InNamespace(namespace))
}

// absent are the Secrets that ExternalSecrets name and that were not found yet, and the namespaces of these.
func (c *content) absent() (absent []types.NamespacedName, places []string) {
	seen, in := map[types.NamespacedName]bool{}, map[string]bool{}
	for i := range c.external {
		key := types.NamespacedName{Namespace: c.external[i].Namespace, Name: c.external[i].SecretName()}
		if c.secrets[key] != nil || seen[key] {
			continue
		}
		seen[key] = true
		absent = append(absent, key)
		if !in[key.Namespace] {
			in[key.Namespace] = true
			places = append(places, key.Namespace)
		}
	}
	return absent, places
}

// keep lists Secrets, and keeps those that ExternalSecrets name: a cluster has many others, such as Helm's.
func (r *reader) keep(ctx context.Context, c *content, options ...client.ListOption) error {
	wanted := map[types.NamespacedName]bool{}
	for i := range c.external {
		wanted[types.NamespacedName{Namespace: c.external[i].Namespace, Name: c.external[i].SecretName()}] = true
	}
	list := metadataList()
	return eachPage(ctx, r, list, func() {
		for i := range list.Items {
			if key := client.ObjectKeyFromObject(&list.Items[i]); wanted[key] {
				one := list.Items[i] // of the page, nothing else is held
				c.secrets[key] = &one
			}
		}
	}, options...)
}

// named asks for each Secret by itself.
func (r *reader) named(ctx context.Context, c *content, keys []types.NamespacedName) error {
	for _, key := range keys {
		one := &metav1.PartialObjectMetadata{}
		one.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(secretKind))
		err := r.Get(ctx, key, one)
		if err == nil {
			c.secrets[key] = one
		}
		if client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

// metadata are those of Secrets: their values are not asked for.
func (r *reader) metadata(ctx context.Context, options ...client.ListOption) (all []metav1.PartialObjectMetadata, err error) {
	list := metadataList()
	err = eachPage(ctx, r, list, func() { all = append(all, list.Items...) }, options...)
	return all, err
}

func metadataList() *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(secretKind + "List"))
	return list
}

package kubernetes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

var _ provider.Writer = Provider{}

// Metadata is what a PushSecret says of labels and annotations.
type Metadata struct {
	// SourceMergePolicy Merge, which is what an empty one means, puts Labels and
	// Annotations beside those of the Secret that is pushed; Replace in their place.
	SourceMergePolicy string `json:"sourceMergePolicy,omitempty"`
	// TargetMergePolicy Merge, which is what an empty one means, puts all of them beside
	// those that there are, Replace in their place, and Ignore leaves these.
	TargetMergePolicy string            `json:"targetMergePolicy,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	// RemoteNamespace would lead out of the namespace of the store.
	RemoteNamespace string `json:"remoteNamespace,omitempty"`
}

func (m Metadata) check() error {
	is := func(policy string, may ...string) bool {
		for _, one := range may {
			if policy == one {
				return true
			}
		}
		return policy == ""
	}
	switch {
	case !is(m.SourceMergePolicy, policyMerge, policyReplace):
		return fmt.Errorf("metadata.sourceMergePolicy %q; there are Merge and Replace", m.SourceMergePolicy)
	case !is(m.TargetMergePolicy, policyMerge, policyReplace, policyIgnore):
		return fmt.Errorf("metadata.targetMergePolicy %q; there are Merge, Replace and Ignore", m.TargetMergePolicy)
	case m.RemoteNamespace != "":
		return errors.New("metadata.remoteNamespace is not supported: use a store with that remoteNamespace")
	}
	return nil
}

const policyMerge, policyReplace, policyIgnore = "Merge", "Replace", "Ignore"

var errProperty = errors.New("a value of a Secret has a key: set match.remoteRef.property")

// Put sets a key of a Secret, beside its others, or all of its keys: those that are pushed
// no longer go. A Secret that there is not is created.
func (p Provider) Put(ctx context.Context, push provider.Push) error {
	var said Metadata
	if err := provider.ReadMetadata(push.Metadata, &said); err != nil {
		return err
	}
	if err := said.check(); err != nil {
		return err
	}
	data := push.Fields
	if push.Property != "" {
		data = map[string][]byte{push.Property: push.Value}
	}
	if data == nil {
		return errProperty
	}
	return p.tries(func() error {
		now, err := p.secrets.Get(ctx, push.Key, metav1.GetOptions{})
		if absent(err) {
			now = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: push.Key}, Type: corev1.SecretType(push.Source.Type), Data: data}
			said.put(now, push.Source)
			_, err = p.secrets.Create(ctx, now, metav1.CreateOptions{})
			return err
		}
		if err != nil {
			return err
		}
		wanted := now.DeepCopy()
		if push.Property == "" || wanted.Data == nil {
			wanted.Data = map[string][]byte{}
		}
		maps.Copy(wanted.Data, data)
		said.put(wanted, push.Source)
		same := maps.EqualFunc(now.Data, wanted.Data, bytes.Equal) && maps.Equal(now.Labels, wanted.Labels) && maps.Equal(now.Annotations, wanted.Annotations)
		if same {
			return nil
		}
		_, err = p.secrets.Update(ctx, wanted, metav1.UpdateOptions{}) // of the version that was read
		return err
	}, "write", push.Key)
}

// put sets labels and annotations.
func (m Metadata) put(secret *corev1.Secret, source provider.Source) {
	labels, annotations := maps.Clone(source.Labels), maps.Clone(source.Annotations)
	if m.SourceMergePolicy == policyReplace {
		labels, annotations = nil, nil
	}
	switch m.TargetMergePolicy {
	case policyIgnore:
		if secret.UID != "" {
			return
		}
	case policyReplace:
		secret.Labels, secret.Annotations = nil, nil
	}
	secret.Labels = joined(secret.Labels, labels, m.Labels)
	secret.Annotations = joined(secret.Annotations, annotations, m.Annotations)
	delete(secret.Annotations, corev1.LastAppliedConfigAnnotation)
}

func joined(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, one := range all {
		maps.Copy(out, one)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// Delete takes a key out of a Secret, and deletes it with its last key.
func (p Provider) Delete(ctx context.Context, target provider.Target) error {
	return p.tries(func() error {
		now, err := p.secrets.Get(ctx, target.Key, metav1.GetOptions{})
		if absent(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if target.Property != "" {
			if _, is := now.Data[target.Property]; !is {
				return nil
			}
			if delete(now.Data, target.Property); len(now.Data) > 0 {
				_, err = p.secrets.Update(ctx, now, metav1.UpdateOptions{})
				return err
			}
		}
		err = p.secrets.Delete(ctx, target.Key, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &now.UID, ResourceVersion: &now.ResourceVersion}})
		if absent(err) {
			return nil
		}
		return err
	}, "delete", target.Key)
}

// Exists implements provider.Writer.
func (p Provider) Exists(ctx context.Context, target provider.Target) (bool, error) {
	now, err := p.secrets.Get(ctx, target.Key, metav1.GetOptions{})
	if absent(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot read Secret %s/%s: %w", p.namespace, target.Key, refused(err))
	}
	_, is := now.Data[target.Property]
	return is || target.Property == "", nil
}

// tries does something again where somebody else wrote at the same time.
func (p Provider) tries(do func() error, what, name string) error {
	const most = 5
	for i := 1; ; i++ {
		err := do()
		if i < most && (apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err)) {
			continue
		}
		if err != nil {
			return fmt.Errorf("cannot %s Secret %s/%s: %w", what, p.namespace, name, plain(refused(err)))
		}
		return nil
	}
}

// plain is an error without what an API server quotes of a Secret that it refuses.
func plain(err error) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil || status.Status().Reason != metav1.StatusReasonInvalid {
		return err
	}
	var said []string
	for _, cause := range status.Status().Details.Causes {
		said = append(said, string(cause.Type)+" "+cause.Field)
	}
	return fmt.Errorf("%s: %v", status.Status().Reason, said)
}

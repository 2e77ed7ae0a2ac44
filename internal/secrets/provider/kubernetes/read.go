package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// Provider reads the Secrets of one namespace.
type Provider struct {
	secrets   typedcorev1.SecretInterface
	namespace string
}

var _ provider.Reader = Provider{}

// Read is a Secret. No version of it can be asked for, and it tells none: its resource
// version changes with its metadata as well, so that whoever wrote that down would write
// again for the same values.
func (p Provider) Read(ctx context.Context, ref provider.Ref) (entry.Entry, error) {
	secret, err := p.secrets.Get(ctx, ref.Key, metav1.GetOptions{})
	if absent(err) {
		return entry.Entry{}, fmt.Errorf("%w: %s in the namespace %s", entry.ErrNotFound, ref.Key, p.namespace)
	}
	if err != nil {
		return entry.Entry{}, fmt.Errorf("cannot read Secret %s/%s: %w", p.namespace, ref.Key, refused(err))
	}
	if ref.Metadata {
		return metadata(secret)
	}
	return entry.Fields(secret.Data), nil
}

// absent reports whether an API server says that there is no such Secret. What is no
// API server says 404 as well, and nothing of Secrets.
func absent(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

func refused(err error) error {
	if apierrors.IsUnauthorized(err) || apierrors.IsForbidden(err) {
		return &provider.Refused{Err: err}
	}
	return err
}

// metadata are the labels and annotations of a Secret.
func metadata(secret *corev1.Secret) (entry.Entry, error) {
	text, err := json.Marshal(map[string]map[string]string{"labels": secret.Labels, "annotations": secret.Annotations})
	return entry.Object(text), err
}

// Find goes by names and labels. The value of each Secret is its data as JSON.
func (p Provider) Find(ctx context.Context, find esv1.Find) (map[string][]byte, error) {
	name, err := regexp.Compile(nameOf(find))
	if err != nil {
		return nil, fmt.Errorf("find.name.regexp: %w", err)
	}
	const page, least, fewer = 500, 5, 10
	out, sum := map[string][]byte{}, provider.Sum{}
	options := metav1.ListOptions{LabelSelector: labels.SelectorFromSet(find.Tags).String(), Limit: page}
	for {
		list, err := p.secrets.List(ctx, options)
		if provider.TooMuch(err) && options.Limit > least { // five of the largest Secrets are not
			options.Limit /= fewer
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot list the Secrets of the namespace %s: %w", p.namespace, refused(err))
		}
		for _, secret := range list.Items {
			if !name.MatchString(secret.Name) {
				continue
			}
			if out[secret.Name], err = entry.Fields(secret.Data).Value(""); err != nil {
				return nil, fmt.Errorf("secret %s: %w", secret.Name, err)
			}
			if err := sum.Add(len(secret.Name) + len(out[secret.Name])); err != nil {
				return nil, err
			}
		}
		if options.Continue = list.Continue; options.Continue == "" {
			return out, nil
		}
	}
}

func nameOf(find esv1.Find) string {
	if find.Name == nil {
		return ""
	}
	return find.Name.RegExp
}

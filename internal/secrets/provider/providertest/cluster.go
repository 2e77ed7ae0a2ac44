// Package providertest is a cluster for tests of providers and generators, without an API
// server: what is tried there is what servers are asked.
package providertest

import (
	"context"
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Namespace is the one that has all objects.
const Namespace = "ns"

// Objects are the values of Secrets, or the annotations of service accounts, by their
// names.
type Objects map[string]map[string]string

// Get implements client.Reader.
func (o Objects) Get(_ context.Context, name client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	data, there := o[name.Name]
	if !there || name.Namespace != Namespace {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "objects"}, name.Name)
	}
	switch into := into.(type) {
	case *corev1.Secret:
		into.Data, into.Labels = map[string][]byte{}, map[string]string{}
		for key, text := range data {
			if label, ok := strings.CutPrefix(key, "label:"); ok {
				into.Labels[label] = text
				continue
			}
			into.Data[key] = []byte(text)
		}
	case *corev1.ServiceAccount:
		into.Annotations = data
	}
	return nil
}

// List implements client.Reader.
func (Objects) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("nobody lists")
}

// Cluster has these objects. A token of it says whose it is, and for whom.
func Cluster(all Objects, engine bool) store.Cluster {
	return store.Cluster{
		Objects: all, Engine: engine,
		Tokens: func(_ context.Context, account types.NamespacedName, audiences []string) (string, error) {
			return "jwt of " + account.String() + " for " + strings.Join(audiences, ","), nil
		},
	}
}

package store

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/admission"
)

// Why a store is not used.
var (
	// ErrMissing is of a store that is not there.
	ErrMissing = errors.New("the store does not exist")
	// ErrForbidden is of a store whose conditions do not admit the namespace.
	ErrForbidden = errors.New("the store does not admit the namespace")
	// ErrOthers is of a store that another controller serves.
	ErrOthers = errors.New("another controller serves the store")
	// ErrProvider is of a store whose provider is not known, or not one.
	ErrProvider = errors.New("the provider is not supported")
)

// Store is one that may be used.
type Store struct {
	// Kind is SecretStore or ClusterSecretStore.
	Kind string
	types.NamespacedName
	// UID and Generation say which one of that name it is.
	UID        types.UID
	Generation int64
	// Provider is its name, Config what the store tells it, in JSON.
	Provider string
	Config   []byte
}

// String is how people name it.
func (s Store) String() string {
	if s.Namespace == "" {
		return s.Kind + " " + s.Name
	}
	return s.Kind + " " + s.Namespace + "/" + s.Name
}

// Resolver finds stores.
type Resolver struct {
	// Objects reads stores and Namespaces.
	Objects client.Reader
	// Class is the controller that this one is, for stores that name theirs.
	Class string
}

// Find is the store that a reference of an object in a namespace names.
func (r Resolver) Find(ctx context.Context, namespace string, ref esv1.SecretStoreRef) (Store, error) {
	if ref.Name == "" {
		return Store{}, fmt.Errorf("%w: set secretStoreRef.name", ErrMissing)
	}
	found := Store{Kind: ref.Kind, NamespacedName: types.NamespacedName{Name: ref.Name}}
	switch ref.Kind {
	case "", esv1.SecretStoreKind:
		found.Kind, found.Namespace = esv1.SecretStoreKind, namespace
		var one esv1.SecretStore
		if err := r.get(ctx, found, &one); err != nil {
			return Store{}, err
		}
		return r.Of(&one, one.Spec)
	case esv1.ClusterSecretStoreKind:
		var one esv1.ClusterSecretStore
		if err := r.get(ctx, found, &one); err != nil {
			return Store{}, err
		}
		if err := r.admits(ctx, found, namespace, one.Spec.Conditions); err != nil {
			return Store{}, err
		}
		return r.Of(&one, one.Spec)
	default:
		return Store{}, fmt.Errorf("%w: its kind %q is neither %s nor %s", ErrMissing, ref.Kind, esv1.SecretStoreKind, esv1.ClusterSecretStoreKind)
	}
}

// Of is the store that an object describes.
func (r Resolver) Of(one client.Object, spec esv1.SecretStoreSpec) (Store, error) {
	found := Store{Kind: esv1.ClusterSecretStoreKind, NamespacedName: client.ObjectKeyFromObject(one), UID: one.GetUID(), Generation: one.GetGeneration()}
	if found.Namespace != "" {
		found.Kind = esv1.SecretStoreKind
	}
	return r.describe(found, spec)
}

func (r Resolver) get(ctx context.Context, found Store, into client.Object) error {
	err := r.Objects.Get(ctx, found.NamespacedName, into)
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("%w: %s", ErrMissing, found)
	}
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", found, err)
	}
	return nil
}

func (r Resolver) describe(found Store, spec esv1.SecretStoreSpec) (Store, error) {
	if spec.Controller != "" && spec.Controller != r.Class {
		return Store{}, fmt.Errorf("%w: %s is of the controller %q", ErrOthers, found, spec.Controller)
	}
	name, config, err := admission.Provider(spec)
	if err != nil {
		return Store{}, fmt.Errorf("%w: %s %w", ErrProvider, found, err)
	}
	found.Provider, found.Config = name, config
	return found, nil
}

// admits is an error unless a namespace is one that a condition admits, or there
// are none.
func (r Resolver) admits(ctx context.Context, found Store, namespace string, conditions []esv1.StoreCondition) error {
	if len(conditions) == 0 {
		return nil
	}
	set, err := r.labels(ctx, namespace, conditions)
	if err != nil {
		return err
	}
	ok, err := admission.Admits(conditions, namespace, set)
	if err != nil {
		return fmt.Errorf("%s: %w", found, err)
	}
	if ok {
		return nil
	}
	return fmt.Errorf("%w %q: %s (spec.conditions)", ErrForbidden, namespace, found)
}

// labels are those of a namespace, if conditions ask for them.
func (r Resolver) labels(ctx context.Context, namespace string, conditions []esv1.StoreCondition) (labels.Set, error) {
	if !admission.Selects(conditions) {
		return nil, nil
	}
	ns := metav1.PartialObjectMetadata{}
	ns.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	if err := r.Objects.Get(ctx, types.NamespacedName{Name: namespace}, &ns); err != nil {
		return nil, fmt.Errorf("cannot read the labels of the namespace %s: %w", namespace, err)
	}
	return ns.Labels, nil
}

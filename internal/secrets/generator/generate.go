package generator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Maker makes the values of one kind of generator, whose spec is in JSON.
type Maker func(ctx context.Context, spec json.RawMessage, around store.Around) (map[string][]byte, error)

// Group and version of generators.
const (
	group   = "generators.external-secrets.io"
	version = "v1alpha1"

	clusterKind = "ClusterGenerator"
)

var (
	// ErrKind is of a generator that this build does not have.
	ErrKind = errors.New("the generator is not supported")
	// ErrAbsent is of one that is not in the cluster.
	ErrAbsent = errors.New("there is no such generator")
)

// Generators makes values by the objects of one cluster.
type Generators struct {
	// Objects reads them at the API server.
	Objects client.Reader
	// Makers by their kind.
	Makers map[string]Maker
	// Lenders by their kind, which is none of the Makers.
	Lenders map[string]Lender
	// Around is what a maker may use, for who asks.
	Around func(asking string) store.Around
}

// Generate makes the values that a reference of an object in a namespace names. Those of
// credentials that end are as they are: nobody renews them.
func (g Generators) Generate(ctx context.Context, namespace string, ref esv1.GeneratorRef) (map[string][]byte, error) {
	values, _, err := g.Lend(ctx, namespace, ref)
	return values, err
}

// found is a generator as it was read.
type found struct {
	name, kind string
	spec       json.RawMessage
}

// find reads the generator that a reference of an object in a namespace names.
func (g Generators) find(ctx context.Context, namespace string, ref esv1.GeneratorRef) (found, error) {
	at := group + "/" + version
	if ref.APIVersion != "" && ref.APIVersion != at {
		return found{}, fmt.Errorf("%w: %s of %s; generators are of %s", ErrKind, ref.Kind, ref.APIVersion, at)
	}
	one := &unstructured.Unstructured{}
	one.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: version, Kind: ref.Kind})
	name := types.NamespacedName{Namespace: namespace, Name: ref.Name}
	if ref.Kind == clusterKind {
		name.Namespace = ""
	} else if err := g.known(ref.Kind); err != nil {
		return found{}, err
	}
	err := g.Objects.Get(ctx, name, one)
	if apierrors.IsNotFound(err) {
		return found{}, fmt.Errorf("%w: %s %s", ErrAbsent, ref.Kind, name)
	}
	if err != nil {
		return found{}, fmt.Errorf("cannot read %s %s: %w", ref.Kind, name, err)
	}
	kind, spec, err := specOf(one)
	if err != nil {
		return found{}, fmt.Errorf("%s %s: %w", ref.Kind, name, err)
	}
	return found{fmt.Sprintf("%s %s", ref.Kind, name), kind, spec}, g.known(kind)
}

// known is an error of a kind that this build does not have.
func (g Generators) known(kind string) error {
	if g.Makers[kind] != nil || g.Lenders[kind] != nil {
		return nil
	}
	all := slices.Sorted(maps.Keys(g.Makers))
	all = append(all, slices.Sorted(maps.Keys(g.Lenders))...)
	return fmt.Errorf("%w: %s; this build has %s", ErrKind, kind, strings.Join(all, ", "))
}

// specOf is the kind of a generator and what it says; of a ClusterGenerator, those of
// the one in it.
func specOf(one *unstructured.Unstructured) (kind string, spec json.RawMessage, err error) {
	kind = one.GetKind()
	said, _, _ := unstructured.NestedFieldNoCopy(one.Object, "spec")
	if kind == clusterKind {
		if kind, _, _ = unstructured.NestedString(one.Object, "spec", "kind"); kind == "" {
			return "", nil, errors.New("spec.kind is empty")
		}
		field := fieldOf(kind)
		inner, found, _ := unstructured.NestedFieldNoCopy(one.Object, "spec", "generator", field)
		if !found {
			return "", nil, fmt.Errorf("spec.generator has no %s for the kind %s", field, kind)
		}
		said = inner
	}
	if said == nil {
		said = map[string]any{}
	}
	spec, err = json.Marshal(said)
	return kind, spec, err
}

// fieldOf is where a ClusterGenerator says what a kind is told: passwordSpec, uuidSpec,
// ecrAuthorizationTokenSpec.
func fieldOf(kind string) string {
	n := 0
	for n < len(kind) && kind[n] >= 'A' && kind[n] <= 'Z' {
		n++
	}
	if n > 1 && n < len(kind) {
		n-- // the last capital begins a word
	}
	return strings.ToLower(kind[:n]) + kind[n:] + "Spec"
}

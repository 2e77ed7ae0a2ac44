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

// ErrKind is of a generator that this build does not have.
var ErrKind = errors.New("the generator is not supported")

// Generators makes values by the objects of one cluster.
type Generators struct {
	// Objects reads them at the API server.
	Objects client.Reader
	// Makers by their kind.
	Makers map[string]Maker
	// Around is what a maker may use, for who asks.
	Around func(asking string) store.Around
}

// Generate makes the values that a reference of an object in a namespace names.
func (g Generators) Generate(ctx context.Context, namespace string, ref esv1.GeneratorRef) (map[string][]byte, error) {
	at := group + "/" + version
	if ref.APIVersion != "" && ref.APIVersion != at {
		return nil, fmt.Errorf("%w: %s of %s; generators are of %s", ErrKind, ref.Kind, ref.APIVersion, at)
	}
	one := &unstructured.Unstructured{}
	one.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: version, Kind: ref.Kind})
	name := types.NamespacedName{Namespace: namespace, Name: ref.Name}
	if ref.Kind == clusterKind {
		name.Namespace = ""
	} else if _, err := g.maker(ref.Kind); err != nil {
		return nil, err
	}
	err := g.Objects.Get(ctx, name, one)
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("%s %s does not exist", ref.Kind, name)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s %s: %w", ref.Kind, name, err)
	}
	kind, spec, err := specOf(one)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", ref.Kind, name, err)
	}
	maker, err := g.maker(kind)
	if err != nil {
		return nil, err
	}
	values, err := maker(ctx, spec, g.Around(namespace))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", ref.Kind, name, err)
	}
	return values, nil
}

func (g Generators) maker(kind string) (Maker, error) {
	maker, ok := g.Makers[kind]
	if !ok {
		return nil, fmt.Errorf("%w: %s; this build has %s", ErrKind, kind, strings.Join(slices.Sorted(maps.Keys(g.Makers)), ", "))
	}
	return maker, nil
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

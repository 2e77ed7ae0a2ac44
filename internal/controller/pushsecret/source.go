package pushsecret

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

var (
	// errNoSource is of a Secret that does not exist.
	errNoSource = errors.New("the Secret does not exist")
	errSelector = errors.New("set one of selector.secret and selector.generatorRef")
)

// source is a Secret, or what a generator made.
type source struct {
	name string
	data map[string][]byte
	provider.Source
}

// mostSecrets bounds how many Secrets labels may select.
const mostSecrets = 500

const secretsOfPage = 10

// sources are the Secrets that a PushSecret names.
func (t *turn) sources(ctx context.Context) ([]source, error) {
	selector := t.of.Spec.Selector
	switch {
	case (selector.Secret == nil) == (selector.GeneratorRef == nil):
		return nil, errSelector
	case selector.GeneratorRef != nil:
		data, err := t.r.Generate(ctx, t.of.Namespace, *selector.GeneratorRef)
		if err != nil {
			return nil, fmt.Errorf("selector.generatorRef: %w", err)
		}
		one, err := t.source(source{name: selector.GeneratorRef.Name, data: data})
		return []source{one}, err
	case (selector.Secret.Name == "") == (selector.Secret.Selector == nil):
		return nil, errors.New("set one of selector.secret.name and selector.secret.selector")
	case selector.Secret.Name != "":
		var secret corev1.Secret
		at := types.NamespacedName{Namespace: t.of.Namespace, Name: selector.Secret.Name}
		err := t.r.Live.Get(ctx, at, &secret)
		if apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("selector.secret: %w: %s", errNoSource, at)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read Secret %s: %w", at, err)
		}
		t.version = secret.ResourceVersion
		one, err := t.source(sourceOf(&secret))
		return []source{one}, err
	}
	return t.labelled(ctx)
}

// labelled are the Secrets that have the labels of the selector. They are read a few at a
// time: each may have more than a megabyte.
func (t *turn) labelled(ctx context.Context) ([]source, error) {
	selector := t.of.Spec.Selector
	labels, err := metav1.LabelSelectorAsSelector(selector.Secret.Selector)
	if err != nil {
		return nil, fmt.Errorf("selector.secret.selector: %w", err)
	}
	var out []source
	for next := ""; ; {
		var page corev1.SecretList
		if err := t.r.Live.List(ctx, &page, client.InNamespace(t.of.Namespace), client.MatchingLabelsSelector{Selector: labels}, client.Limit(secretsOfPage), client.Continue(next)); err != nil {
			return nil, fmt.Errorf("cannot list the Secrets of selector.secret.selector: %w", err)
		}
		for i := range page.Items {
			one, err := t.source(sourceOf(&page.Items[i]))
			if err != nil {
				return nil, fmt.Errorf("selector.secret.selector: %w", err)
			}
			out = append(out, one)
		}
		next = page.Continue
		if len(out) > mostSecrets || len(out) == mostSecrets && next != "" {
			return nil, fmt.Errorf("selector.secret.selector selects more than %d Secrets: select fewer", mostSecrets)
		}
		if next == "" {
			break
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("selector.secret.selector: %w: none has these labels", errNoSource)
	}
	return out, nil
}

// source notes the values of a source, which no error may show, and the room that it takes.
func (t *turn) source(one source) (source, error) {
	size := 0
	for key, value := range one.data {
		t.secrets = append(t.secrets, value)
		size += perEntry + len(key) + len(value)
	}
	for _, texts := range []map[string]string{one.Labels, one.Annotations} {
		for key, text := range texts {
			size += len(key) + len(text)
		}
	}
	return one, t.take(size)
}

func sourceOf(secret *corev1.Secret) source {
	annotations := maps.Clone(secret.Annotations)
	delete(annotations, corev1.LastAppliedConfigAnnotation) // it has the values in it
	return source{name: secret.Name, data: secret.Data, Source: provider.Source{Type: string(secret.Type), Labels: maps.Clone(secret.Labels), Annotations: annotations}}
}

// templated is a source as the template makes it.
func (t *turn) templated(ctx context.Context, from source) (source, error) {
	spec := t.of.Spec.Template
	if spec == nil {
		return from, nil
	}
	templates, err := t.r.Templates(ctx, t.of.Namespace, spec)
	if err != nil {
		return source{}, err
	}
	made, err := t.r.Compute.Do(ctx, compute.Job{
		From: []compute.Set{{Place: "selector", Data: from.data}}, Template: templates, Bare: true,
		Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": from.name, "namespace": t.of.Namespace}},
	})
	if err != nil {
		return source{}, fmt.Errorf("template: %w", err)
	}
	object := &unstructured.Unstructured{Object: made.Object}
	out := source{name: from.name, data: map[string][]byte{}, Source: from.Source}
	texts, _, _ := unstructured.NestedMap(made.Object, "data")
	for key, text := range texts {
		encoded, _ := text.(string)
		if out.data[key], err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return source{}, fmt.Errorf("template: the value of %q is none", key)
		}
	}
	if spec.Type != "" {
		out.Type = string(spec.Type)
	}
	if labels, annotations := object.GetLabels(), object.GetAnnotations(); len(labels)+len(annotations) > 0 {
		out.Labels, out.Annotations = labels, annotations
	}
	if out, err = t.source(out); err != nil {
		return source{}, fmt.Errorf("template: %w", err)
	}
	return out, nil
}

// keysOf are the keys of a source, for people.
func keysOf(data map[string][]byte) []string { return slices.Sorted(maps.Keys(data)) }

// cached is the resource version of a Secret in the cache; empty when it has none.
func (r *Reconciler) cached(ctx context.Context, at types.NamespacedName) string {
	var secret corev1.Secret
	if r.Objects.Get(ctx, at, &secret) != nil {
		return ""
	}
	return secret.ResourceVersion
}

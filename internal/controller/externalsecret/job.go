package externalsecret

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/fetch"
	"github.com/causeway-gitops/causeway/internal/secrets/template"
)

// job is what makes the object of an ExternalSecret of what was fetched.
func (r *Reconciler) job(ctx context.Context, one *esv1.ExternalSecret, fetched fetch.Fetched) (compute.Job, error) {
	policy := one.Spec.Target.DeletionPolicy
	job := compute.Job{
		From: fetched.From, Values: fetched.Values, Object: blank(one), Lenient: fetch.Lenient(policy), Bare: policy == esv1.DeleteKeys,
	}
	spec := one.Spec.Target.Template
	if spec == nil {
		return job, nil
	}
	made, err := r.templates(ctx, one.Namespace, spec)
	if err != nil {
		return compute.Job{}, err
	}
	job.Template = made
	return job, nil
}

// blank is the object before values and templates are put in.
func blank(one *esv1.ExternalSecret) map[string]any {
	at, spec := target(one), one.Spec.Target
	object := map[string]any{"apiVersion": "v1", "kind": "Secret"}
	if spec.Manifest != nil {
		object["apiVersion"], object["kind"] = spec.Manifest.APIVersion, spec.Manifest.Kind
	}
	metadata := map[string]any{"name": at.Name, "namespace": at.Namespace}
	object["metadata"] = metadata
	if spec.Template == nil {
		labels, annotations := maps.Clone(one.Labels), maps.Clone(one.Annotations)
		delete(annotations, corev1.LastAppliedConfigAnnotation)
		delete(annotations, esv1.AnnotationMetadata)
		put(metadata, "labels", labels)
		put(metadata, "annotations", annotations)
	}
	if t := spec.Template; t != nil {
		if t.Type != "" {
			object["type"] = string(t.Type)
		}
		if len(t.Metadata.Finalizers) > 0 {
			metadata["finalizers"] = anyOf(t.Metadata.Finalizers)
		}
	}
	return object
}

func put(metadata map[string]any, name string, texts map[string]string) {
	if len(texts) == 0 {
		return
	}
	all := make(map[string]any, len(texts))
	for key, text := range texts {
		all[key] = text
	}
	metadata[name] = all
}

func anyOf(texts []string) []any {
	all := make([]any, len(texts))
	for i, text := range texts {
		all[i] = text
	}
	return all
}

// templates are those of an ExternalSecret in the order in which they count.
func (r *Reconciler) templates(ctx context.Context, namespace string, spec *esv1.ExternalSecretTemplate) (*compute.Template, error) {
	out := &compute.Template{
		KeepValues: spec.MergePolicy == esv1.TemplateMergeValues || len(spec.Data) == 0 && len(spec.TemplateFrom) == 0,
	}
	for i, from := range spec.TemplateFrom {
		requests, err := r.from(ctx, namespace, fmt.Sprintf("target.template.templateFrom[%d]", i), from)
		if err != nil {
			return nil, err
		}
		out.Requests = append(out.Requests, requests...)
	}
	inline := func(place, target string, texts map[string]string) {
		if len(texts) > 0 {
			out.Requests = append(out.Requests, compute.Request{
				Place: place, Request: template.Request{Templates: texts, Scope: esv1.ScopeValues, Target: target},
			})
		}
	}
	inline("target.template.data", "Data", spec.Data)
	inline("target.template.metadata.labels", "Labels", spec.Metadata.Labels)
	inline("target.template.metadata.annotations", "Annotations", spec.Metadata.Annotations)
	return out, nil
}

// from are the templates that stand in another object, or in the spec as one text.
func (r *Reconciler) from(ctx context.Context, namespace, place string, from esv1.TemplateFrom) ([]compute.Request, error) {
	request := func(scope esv1.TemplateScope, key, text string) compute.Request {
		return compute.Request{Place: place, Request: template.Request{
			Templates: map[string]string{key: text}, Scope: scope, Target: from.Target, Decoding: from.ValueDecodingStrategy,
		}}
	}
	var out []compute.Request
	if from.Literal != nil {
		out = append(out, request(esv1.ScopeKeysAndValues, "literal", *from.Literal))
	}
	for _, ref := range []struct {
		kind string
		*esv1.TemplateRef
	}{{"ConfigMap", from.ConfigMap}, {"Secret", from.Secret}} {
		if ref.TemplateRef == nil {
			continue
		}
		texts, err := r.texts(ctx, ref.kind, types.NamespacedName{Namespace: namespace, Name: ref.Name})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		for _, item := range ref.Items {
			text, ok := texts[item.Key]
			if !ok {
				return nil, fmt.Errorf("%s: %s %s has no key %q; it has %v", place, ref.kind, ref.Name, item.Key, slices.Sorted(maps.Keys(texts)))
			}
			one := request(item.TemplateAs, item.Key, text)
			one.Hidden = ref.kind == "Secret"
			out = append(out, one)
		}
	}
	return out, nil
}

func (r *Reconciler) texts(ctx context.Context, kind string, name types.NamespacedName) (map[string]string, error) {
	texts := map[string]string{}
	var err error
	if kind == "Secret" {
		var secret corev1.Secret
		err = r.Cluster.Get(ctx, name, &secret)
		for key, text := range secret.Data {
			texts[key] = string(text)
		}
	} else {
		var config corev1.ConfigMap
		err = r.Cluster.Get(ctx, name, &config)
		texts = config.Data
	}
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("%s %s does not exist in the namespace %s", kind, name.Name, name.Namespace)
	}
	return texts, err
}

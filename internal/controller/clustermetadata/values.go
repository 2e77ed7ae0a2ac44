package clustermetadata

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/controller/watched"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

var secretKind = corev1.SchemeGroupVersion.WithKind("Secret")

func labelsOf(s *metav1.PartialObjectMetadata) labels.Set { return s.Labels }

// secretWith is what is applied to a cluster Secret: metadata alone.
func secretWith(s *metav1.PartialObjectMetadata, w bridge.Write) *unstructured.Unstructured {
	out := &unstructured.Unstructured{}
	out.SetGroupVersionKind(secretKind)
	out.SetNamespace(s.Namespace)
	out.SetName(s.Name)
	// A Secret that was deleted meanwhile is not to be made anew.
	out.SetUID(s.UID)
	if len(w.Labels) > 0 {
		out.SetLabels(w.Labels)
	}
	if len(w.Annotations) > 0 {
		out.SetAnnotations(w.Annotations)
	}
	return out
}

// values are those of a ClusterMetadata, as far as they are the same for all
// clusters.
type values struct {
	wanted   []bridge.Wanted
	facts    []causeway.MetadataValue
	problems []bridge.Problem
	again    time.Duration
}

func keyOf(v causeway.MetadataValue) bridge.Key {
	if v.As == causeway.PlaceLabel {
		return bridge.Key{In: bridge.Label, Name: v.Key}
	}
	return bridge.Key{In: bridge.Annotation, Name: v.Key}
}

// values reads all values. One that cannot be had is told of, unless it is
// optional, and its key keeps what it has.
func (r *Reconciler) values(ctx context.Context, object *causeway.ClusterMetadata) values {
	var out values
	s := states{read: r.secretData, namespace: object.Namespace}
	for _, v := range object.Spec.Values {
		if ofCluster(v) {
			out.facts = append(out.facts, v)
			out.again = shorter(out.again, factPause)
			continue
		}
		text, err := r.value(ctx, object.Namespace, v, &s)
		add(v, "", text, err, &out.problems, &out.wanted)
		switch {
		case errors.Is(err, bridge.ErrTorn):
			out.again = shorter(out.again, tornPause)
		case err != nil:
			out.again = shorter(out.again, r.Lost)
		}
	}
	return out
}

// ofCluster reports whether each cluster has a value of its own.
func ofCluster(v causeway.MetadataValue) bool {
	return v.From != nil && (v.From.Fact != "" || v.From.Serves != nil)
}

// AsksClusters reports whether an object has values that clusters tell of themselves.
func AsksClusters(object *causeway.ClusterMetadata) bool {
	return slices.ContainsFunc(object.Spec.Values, ofCluster)
}

func shorter(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// add takes a value, or the lack of it.
func add(v causeway.MetadataValue, cluster, text string, err error, problems *[]bridge.Problem, wanted *[]bridge.Wanted) {
	k := keyOf(v)
	if err == nil {
		err = bridge.CheckWanted(k, text)
	}
	switch {
	case err == nil:
		*wanted = append(*wanted, bridge.Wanted{Key: k, Value: text})
	case v.Optional && missing(err):
	default:
		*problems = append(*problems, bridge.Problem{Key: k, Cluster: cluster, Message: err.Error() + "; the key keeps what it had"})
		*wanted = append(*wanted, bridge.Wanted{Key: k, Lost: true})
	}
}

// of adds to the common values what one cluster tells of itself.
func (v *values) of(from reply, secret string, out *outcome) []bridge.Wanted {
	if len(v.facts) == 0 {
		return v.wanted
	}
	if from.again > 0 {
		out.again = shorter(out.again, from.again)
	}
	wanted := append([]bridge.Wanted(nil), v.wanted...)
	for _, f := range v.facts {
		text, why := "", from.err
		if why == nil {
			text, why = from.told.value(f.From)
		}
		add(f, secret, text, why, &out.problems, &wanted)
	}
	return wanted
}

// Told is what a cluster says of itself.
type Told struct {
	// Nodes are the facts that come from nodes, where one was asked for.
	Nodes map[causeway.ClusterFact]string
	// Version is as in 1.36.3; APIs are "group/version" and
	// "group/version/Kind", sorted.
	Version string
	APIs    []string
	// Silent are the APIs, "group/version", of which nobody knows what they
	// have: their servers have not answered yet.
	Silent []string
}

// value is "true" or "false" for an API. One whose server is away is neither:
// what is deployed where it is served must not go by an outage.
func (t *Told) value(from *causeway.MetadataOrigin) (string, error) {
	if s := from.Serves; s != nil {
		if slices.Contains(t.Silent, s.APIVersion) {
			return "", gitops.Problemf(gitops.Unreachable, "the cluster has %s, and what serves it does not answer", s.APIVersion)
		}
		_, served := slices.BinarySearch(t.APIs, strings.TrimSuffix(s.APIVersion+"/"+s.Kind, "/"))
		return strconv.FormatBool(served), nil
	}
	return t.Fact(from.Fact)
}

// Fact is one of those that the cluster tells, as a value of a key.
func (t *Told) Fact(fact causeway.ClusterFact) (string, error) {
	var text string
	switch fact {
	case causeway.FactKubernetesVersion:
		text = t.Version
	case causeway.FactAPIVersions:
		if len(t.Silent) > 0 {
			return "", gitops.Problemf(gitops.Unreachable, "what serves %s in the cluster does not answer", gitops.Listed(t.Silent, 3))
		}
		text = versions(t.APIs)
	default:
		text = t.Nodes[fact]
	}
	if text == "" {
		return "", gitops.Problemf(gitops.NotFound, "the cluster does not tell its %s", fact)
	}
	return text, nil
}

// versions joins those of APIs that have kinds, and are none: v1, apps/v1.
func versions(apis []string) string {
	kind := func(a string) bool {
		i, _ := slices.BinarySearch(apis, a+"/")
		return i == len(apis) || !strings.HasPrefix(apis[i], a+"/")
	}
	return strings.Join(slices.DeleteFunc(slices.Clone(apis), kind), ",")
}

// missing reports whether a value is not there, and not that it could not be read.
func missing(err error) bool {
	return gitops.IsProblem(err, gitops.NotFound)
}

func (r *Reconciler) value(ctx context.Context, namespace string, v causeway.MetadataValue, s *states) (string, error) {
	switch from := v.From; {
	case v.Value != nil:
		return *v.Value, nil
	case from == nil:
		return "", gitops.Problemf(gitops.Invalid, "it has neither a value nor a source").Do("set value or from")
	case from.ConfigMap != nil:
		return r.ofConfigMap(ctx, namespace, *from.ConfigMap)
	case from.Secret != nil:
		return r.ofSecret(ctx, namespace, *from.Secret)
	case from.Terraform != nil:
		return s.output(ctx, *from.Terraform)
	case from.Field != nil:
		return r.ofField(ctx, namespace, *from.Field)
	}
	return "", gitops.Problemf(gitops.Invalid, "it names no source").Do("set one of configMap, secret, field, terraform, fact and serves")
}

func (r *Reconciler) ofConfigMap(ctx context.Context, namespace string, ref causeway.KeyReference) (string, error) {
	m := &corev1.ConfigMap{}
	if err := r.Hub.Get(ctx, types.NamespacedName{Namespace: namespace, Name: ref.Name}, m); err != nil {
		return "", unread("ConfigMap", ref.Name, err)
	}
	value, ok := m.Data[ref.Key]
	if !ok {
		return "", gitops.Problemf(gitops.NotFound, "ConfigMap %s has no key %q", ref.Name, ref.Key)
	}
	return value, nil
}

// ofSecret gives a reference, and the value only where the owner of the
// ClusterMetadata says that it is none that must stay secret.
func (r *Reconciler) ofSecret(ctx context.Context, namespace string, ref causeway.SecretValue) (string, error) {
	data, err := r.secretData(ctx, namespace, ref.Name)
	if err != nil {
		return "", err
	}
	value, ok := data[ref.Key]
	if !ok {
		return "", gitops.Problemf(gitops.NotFound, "Secret %s has no key %q", ref.Name, ref.Key)
	}
	if ref.Reveal {
		return string(value), nil
	}
	return "secret://" + ref.Name + "/" + ref.Key, nil
}

func (r *Reconciler) secretData(ctx context.Context, namespace, name string) (map[string][]byte, error) {
	s := &corev1.Secret{}
	if err := r.Hub.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, s); err != nil {
		return nil, unread("Secret", name, err)
	}
	return s.Data, nil
}

func (r *Reconciler) ofField(ctx context.Context, namespace string, ref causeway.FieldReference) (string, error) {
	target, err := r.reference(namespace, ref)
	if err != nil {
		return "", err
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(target.Kind)
	if err := r.Hub.Get(ctx, types.NamespacedName{Namespace: target.Namespace, Name: target.Name}, object); err != nil {
		return "", unread(ref.Kind, ref.Name, err)
	}
	return bridge.Field(object.Object, ref.Path)
}

// reference is the object that a field is read from. Secrets have a source of
// their own, which does not give them away.
func (r *Reconciler) reference(namespace string, ref causeway.FieldReference) (watched.Target, error) {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return watched.Target{}, gitops.Problemf(gitops.Invalid, "cannot read the apiVersion: %w", err)
	}
	gvk := gv.WithKind(ref.Kind)
	if gvk.Group == "" && gvk.Kind == secretKind.Kind {
		return watched.Target{}, gitops.Problemf(gitops.Forbidden, "fields of Secrets are not read").Do("use from.secret, which writes a reference unless reveal is set")
	}
	mapping, err := r.Hub.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return watched.Target{}, unread(ref.Kind, ref.Name, err)
	}
	out := watched.Target{Kind: gvk, Name: ref.Name}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		out.Namespace = ref.Namespace
		if out.Namespace == "" {
			out.Namespace = namespace
		}
	}
	return out, nil
}

// unread tells why an object cannot be read.
func unread(kind, name string, err error) error {
	switch {
	case apierrors.IsNotFound(err):
		return gitops.Problemf(gitops.NotFound, "%s %s does not exist", kind, name)
	case meta.IsNoMatchError(err):
		return gitops.Problemf(gitops.NotFound, "the hub does not serve the kind %s", kind)
	case apierrors.IsForbidden(err):
		return gitops.Problemf(gitops.Refused, "cannot read %s %s: %w", kind, name, err).Do("let the engine's role get and watch it: see bridge.sources of the chart")
	}
	return gitops.Problemf(gitops.Unreachable, "cannot read %s %s: %w", kind, name, err)
}

// references are the objects that values are read from.
func (r *Reconciler) references(object *causeway.ClusterMetadata) []watched.Target {
	var out []watched.Target
	add := func(kind schema.GroupVersionKind, name string) {
		out = append(out, watched.Target{Kind: kind, Namespace: object.Namespace, Name: name})
	}
	for _, v := range object.Spec.Values {
		switch from := v.From; {
		case from == nil:
		case from.ConfigMap != nil:
			add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), from.ConfigMap.Name)
		case from.Secret != nil:
			add(secretKind, from.Secret.Name)
		case from.Terraform != nil:
			// The first part changes with every state.
			add(secretKind, bridge.StateSecret(from.Terraform.Workspace, from.Terraform.SecretSuffix, 0))
		case from.Field != nil:
			if t, err := r.reference(object.Namespace, *from.Field); err == nil {
				out = append(out, t)
			}
		}
	}
	return out
}

package clustersource

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/controller/watched"
)

// What Cluster API and vcluster call their Secrets.
const (
	capiName   = "cluster.x-k8s.io/cluster-name"
	capiType   = "cluster.x-k8s.io/secret"
	capiSuffix = "-kubeconfig"
	capiKey    = "value"
	vPrefix    = "vc-"
	vKey       = "config"
)

var capiCluster = schema.GroupKind{Group: "cluster.x-k8s.io", Kind: "Cluster"}

// scope is where kubeconfigs are looked for, and how one is known.
type scope struct {
	namespaces []string
	// secrets selects Secrets at the API server; owners what they are of.
	secrets, owners labels.Selector
	// name of the cluster of a Secret; false when it is no kubeconfig.
	name func(*corev1.Secret) (string, bool)
	keys []string
	capi bool
}

// scopeOf reads the one of the three ways that a ClusterSource has.
func scopeOf(object *causeway.ClusterSource) (scope, error) {
	spec := object.Spec
	switch {
	case spec.ClusterAPI != nil:
		named, err := labels.NewRequirement(capiName, "exists", nil)
		if err != nil {
			return scope{}, err
		}
		owners, err := selector(spec.ClusterAPI.Selector)
		return scope{
			namespaces: namespaces(object, spec.ClusterAPI.Namespaces), secrets: labels.NewSelector().Add(*named), owners: owners,
			keys: []string{capiKey}, capi: true,
			name: func(s *corev1.Secret) (string, bool) {
				name := s.Labels[capiName]
				return name, s.Type == capiType && s.Name == name+capiSuffix
			},
		}, err
	case spec.VCluster != nil:
		chosen, err := selector(spec.VCluster.Selector)
		return scope{
			namespaces: namespaces(object, spec.VCluster.Namespaces), secrets: chosen, keys: []string{vKey},
			name: func(s *corev1.Secret) (string, bool) {
				name, ok := strings.CutPrefix(s.Name, vPrefix)
				return name, ok && len(s.Data[vKey]) > 0
			},
		}, err
	case spec.Secrets != nil && spec.Secrets.Selector != nil:
		keys := []string{"kubeconfig", "config", "value"}
		if spec.Secrets.Key != "" {
			keys = []string{spec.Secrets.Key}
		}
		chosen, err := selector(spec.Secrets.Selector)
		if err == nil && chosen.Empty() {
			break // it chooses as little as none
		}
		return scope{
			namespaces: namespaces(object, spec.Secrets.Namespaces), secrets: chosen, keys: keys,
			name: func(s *corev1.Secret) (string, bool) { return s.Name, true },
		}, err
	}
	return scope{}, errors.New("spec.secrets needs a selector, and one that is not empty, as not every Secret has a kubeconfig: " +
		"label those that have, and name the label in spec.secrets.selector; until then the clusters that there are stay, and no new ones are made")
}

// targets are the Secrets that are to be watched.
func (s scope) targets() []watched.Target {
	out := make([]watched.Target, 0, len(s.namespaces))
	for _, namespace := range s.namespaces {
		out = append(out, watched.Target{Kind: corev1.SchemeGroupVersion.WithKind("Secret"), Namespace: namespace, Labels: s.secrets.String()})
	}
	return out
}

func selector(s *metav1.LabelSelector) (labels.Selector, error) {
	if s == nil {
		return labels.Everything(), nil
	}
	out, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return labels.Nothing(), fmt.Errorf("cannot use the selector: %w", err)
	}
	return out, nil
}

func namespaces(object *causeway.ClusterSource, named []string) []string {
	if len(named) == 0 {
		return []string{object.Namespace}
	}
	if slices.Contains(named, "") { // it stands for all: what others name would be found twice
		return []string{""}
	}
	out := slices.Clone(named)
	slices.Sort(out)
	return slices.Compact(out)
}

// found is a kubeconfig that was found, and by what.
type found struct {
	name, from          string // from is the Secret, NAMESPACE/NAME
	namespace           string
	text                []byte
	labels, annotations map[string]string
}

// Bounds of what is found. A Secret is read as it is, whoever wrote it and
// whatever else is in it.
const (
	// mostTaken are the clusters that a source has of a namespace: each costs
	// connections, and memory for what it serves. Those who keep many, as
	// management clusters of Cluster API do, have hundreds.
	mostTaken = 1000
	// mostFound are the kubeconfigs that are read of a namespace, chosen by their
	// Clusters or not: each Cluster is asked for by itself.
	mostFound = 10_000
	mostKept  = 128 << 20 // bytes of all of a source; each of its namespaces has the same part
	perFound  = 1 << 10   // bytes that each takes beside what it says
	perPage   = 25        // Secrets that are read at a time
)

// taken are the Secrets that a source has clusters of already: those stay its own,
// whatever comes before them in the order of names.
type taken map[string]struct{}

// byNamespace counts them by the namespaces of the Secrets.
func (t taken) byNamespace() map[string]int {
	out := map[string]int{}
	for secret := range t {
		namespace, _, _ := strings.Cut(secret, "/")
		out[namespace]++
	}
	return out
}

// find reads the kubeconfigs, in the order of their Secrets. A namespace that
// cannot be read, or has too many, is left out: it is in the error of its own.
// Left counts, by namespaces, those for which there is no place.
func (r *Reconciler) find(ctx context.Context, s scope, has taken) (all []found, left map[string]int, unread map[string]error) {
	left, unread = map[string]int{}, map[string]error{}
	for _, namespace := range s.namespaces {
		some, err := r.findIn(ctx, s, namespace, has, mostKept/int64(len(s.namespaces)))
		if err != nil {
			unread[namespace] = err
			continue
		}
		all = append(all, some.all...)
		maps.Copy(left, some.left)
	}
	return all, left, unread
}

// findIn reads those of one namespace, or of all where it has no name, of which
// so many bytes are kept at most.
func (r *Reconciler) findIn(ctx context.Context, s scope, namespace string, has taken, most int64) (*gathered, error) {
	out := &gathered{where: within(namespace), has: has, held: has.byNamespace(), left: map[string]int{}, most: most}
	served := sync.OnceValues(func() (*meta.RESTMapping, error) { return r.Hub.RESTMapper().RESTMapping(capiCluster) })
	for next := ""; ; {
		page := &corev1.SecretList{}
		listed := r.Hub.List(ctx, page, client.InNamespace(namespace), client.MatchingLabelsSelector{Selector: s.secrets}, client.Limit(perPage), client.Continue(next))
		if listed != nil {
			return nil, fmt.Errorf("cannot list Secrets %s: %w", out.where, listed)
		}
		for i := range page.Items {
			one, ok := s.read(&page.Items[i])
			if !ok {
				continue
			}
			if err := r.add(ctx, s, one, served, out); err != nil {
				return nil, err
			}
		}
		if next = page.Continue; next == "" {
			return out, nil
		}
	}
}

// add takes a kubeconfig, by what its Cluster says of it where it has one. Whoever
// writes Secrets makes the engine ask for no more Clusters than are read, nor
// for one that has no place whatever it says.
func (r *Reconciler) add(ctx context.Context, s scope, one found, served func() (*meta.RESTMapping, error), to *gathered) error {
	if err := to.count(); err != nil {
		return err
	}
	if s.capi && (to.hasPlace(one) || !s.owners.Empty()) {
		if err := r.owner(ctx, &one, served); err != nil {
			return err
		}
		if !s.owners.Matches(labels.Set(one.labels)) {
			return nil
		}
	}
	return to.take(one)
}

// within says where a list is of: the namespace without a name stands for all.
func within(namespace string) string {
	if namespace == "" {
		return "in all namespaces"
	}
	return "in namespace " + namespace
}

// gathered is what one list has.
type gathered struct {
	where string // in words
	has   taken
	all   []found
	// held and left count, by namespaces, the places that are taken and the
	// kubeconfigs that have none.
	held, left map[string]int
	read       int
	// kept are the bytes of all, most how many they may be.
	kept, most int64
}

// count counts a kubeconfig that is read; an error where there are too many.
func (g *gathered) count() error {
	if g.read++; g.read > mostFound {
		return tooMuch(g.where, "there are more than %d", mostFound)
	}
	return nil
}

// hasPlace reports whether there is a place for a kubeconfig, or it has one.
func (g *gathered) hasPlace(one found) bool {
	_, old := g.has[one.from]
	return old || g.held[one.namespace] < mostTaken
}

// take takes a kubeconfig where there is a place for it; an error where the list
// is beyond a bound.
func (g *gathered) take(one found) error {
	if !g.hasPlace(one) {
		g.left[one.namespace]++
		return nil
	}
	if _, old := g.has[one.from]; !old {
		g.held[one.namespace]++
	}
	if g.kept += one.takes(); g.kept > g.most {
		return tooMuch(g.where, "with their labels and annotations they take more than %d MiB, its part of %d MiB", g.most>>20, int64(mostKept>>20))
	}
	g.all = append(g.all, one)
	return nil
}

// tooMuch names the bound that a list is beyond.
func tooMuch(where, format string, args ...any) error {
	return fmt.Errorf("there are too many kubeconfigs %s, or too large ones: %s; choose fewer with a selector; until then its clusters stay as they are",
		where, fmt.Sprintf(format, args...))
}

// read takes what is needed of a Secret; false where it is no kubeconfig of the scope.
func (s scope) read(secret *corev1.Secret) (found, bool) {
	name, ok := s.name(secret)
	if !ok || !secret.DeletionTimestamp.IsZero() {
		return found{}, false
	}
	one := found{name: name, from: secret.Namespace + "/" + secret.Name, namespace: secret.Namespace, labels: secret.Labels, annotations: secret.Annotations}
	for _, key := range s.keys {
		if text := secret.Data[key]; len(text) > 0 {
			one.text = text
			break
		}
	}
	return one, true
}

// takes is what is kept of a kubeconfig, in bytes.
func (k *found) takes() int64 {
	w := bounded.Weigh([]any{k.labels, k.annotations})
	return perFound + int64(len(k.text)) + w.Parts + w.Texts
}

// owner takes labels and annotations from the Cluster of a kubeconfig; where
// there is none, those of the Secret stay.
func (r *Reconciler) owner(ctx context.Context, k *found, served func() (*meta.RESTMapping, error)) error {
	mapping, err := served()
	if meta.IsNoMatchError(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot tell how Clusters are served: %w", err)
	}
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(mapping.GroupVersionKind)
	err = r.Hub.Get(ctx, client.ObjectKey{Namespace: k.namespace, Name: k.name}, object)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read Cluster %s/%s: %w", k.namespace, k.name, err)
	}
	k.labels, k.annotations = object.Labels, object.Annotations
	return nil
}

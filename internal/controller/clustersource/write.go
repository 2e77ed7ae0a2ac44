package clustersource

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/fleet/kubeconfig"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// manager is the field manager of the cluster Secrets that sources make.
const manager = "causeway-clustersource"

// wanted is a cluster Secret that is to be.
type wanted struct {
	secret string // its name
	from   string // the Secret with the kubeconfig
	// contested tells that several ask for the name.
	contested  bool
	kubeconfig found
	// object is what is written. It is made when its turn comes, so that not all
	// are held beside their kubeconfigs.
	object *corev1.Secret
	// fresh tells that it is not there yet.
	fresh bool
}

// written is what was applied, the version that came of it, and what others
// must not take.
type written struct {
	sum                           [32]byte
	version, server, from, source string
}

// wanted gives kubeconfigs the names of their cluster Secrets. A name stays with the kubeconfig
// that had it first: else who may write one in another namespace could put
// itself in the place of a cluster. Of several that ask for a name that nobody
// has none is written.
func (r *Reconciler) wanted(source *causeway.ClusterSource, kubeconfigs []found, origins map[string]string, out *outcome) []wanted {
	first := map[string]int{}
	var all []wanted
	for _, k := range kubeconfigs {
		name := k.name
		if source.Spec.ClusterName != "" {
			name = expand(source.Spec.ClusterName, k)
		}
		if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
			out.problemf("Secret %s: cluster name %q: %s", k.from, gitops.First(name, validation.DNS1123SubdomainMaxLength), problems[0])
			continue
		}
		if origin := origins[name]; origin != "" && origin != k.from {
			out.problemf("cluster name %q of Secret %s is that of Secret %s: tell them apart with spec.clusterName, or delete cluster Secret %s if it is to be made of the other one", name, k.from, origin, name)
			out.waits = true
			continue
		}
		if i, taken := first[name]; taken {
			out.problemf("cluster name %q is that of Secret %s and of Secret %s: tell them apart with spec.clusterName", name, all[i].from, k.from)
			all[i].contested, all[i].kubeconfig = true, found{}
			continue
		}
		first[name] = len(all)
		all = append(all, wanted{secret: name, from: k.from, kubeconfig: k})
	}
	return all
}

// make makes the cluster Secret; false where it stays as it is, because nobody
// could tell whose it is, or until its kubeconfig can be read.
func (r *Reconciler) make(source *causeway.ClusterSource, w *wanted, out *outcome) bool {
	if w.contested {
		return false
	}
	object, err := r.secret(source, w.secret, w.kubeconfig)
	if err != nil {
		out.problemf("Secret %s: %v", w.from, err)
		return false
	}
	w.object = object
	return true
}

func (r *Reconciler) secret(source *causeway.ClusterSource, name string, k found) (*corev1.Secret, error) {
	server, conn, err := kubeconfig.Parse(k.text)
	if err != nil {
		return nil, fmt.Errorf("its kubeconfig cannot be used: %w", err)
	}
	if err := trusted(server, conn, source.Spec.Proxies); err != nil {
		return nil, err
	}
	config, err := json.Marshal(conn) //nolint:gosec // it goes to a Secret
	if err != nil {
		return nil, err
	}
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: r.Namespace,
			Labels:      metadata(source.Spec.Labels, source.Spec.CopyLabels, k.labels, k),
			Annotations: metadata(source.Spec.Annotations, source.Spec.CopyAnnotations, k.annotations, k),
		},
		Data: map[string][]byte{"name": []byte(name), "server": []byte(server), "config": config},
	}
	if source.Spec.Project != "" {
		s.Data["project"] = []byte(source.Spec.Project)
	}
	s.Labels[v1alpha1.LabelSecretType], s.Labels[causeway.LabelClusterSource] = v1alpha1.SecretTypeCluster, source.Name
	s.Annotations[causeway.AnnotationFoundIn] = k.from
	for key, value := range s.Labels {
		if problems := validation.IsValidLabelValue(value); len(problems) > 0 {
			return nil, fmt.Errorf("label %s: %s", key, problems[0])
		}
	}
	return s, r.Check(s)
}

// trusted refuses what would use the engine's own rights, or lead what goes to
// a cluster through somebody else's hands: whoever may write a kubeconfig in
// some namespace is not who may do that.
func trusted(server string, conn fleet.Connection, proxies []string) error {
	switch {
	case gitops.ReachesHub(server):
		return errors.New("its server is the hub's own address: name the address by which others reach it")
	case conn.Borrows() != nil:
		return conn.Borrows()
	case conn.ProxyURL != "" && !slices.Contains(proxies, conn.ProxyURL):
		return errors.New("it has a proxy (proxy-url) that spec.proxies does not list")
	case !conn.HasCredentials():
		return errors.New("its user has no credentials")
	}
	return nil
}

// metadata joins what is copied with what is said; the latter counts. Keys that
// steer Argo CD or the engine are not copied: they would be the word of whoever
// may label a cluster.
func metadata(said map[string]string, copied []string, from map[string]string, k found) map[string]string {
	out := map[string]string{}
	for key, value := range from {
		for _, pattern := range copied {
			prefix, open := strings.CutSuffix(pattern, "*")
			if (key == pattern || open && strings.HasPrefix(key, prefix)) && !steers(key) {
				out[key] = value
			}
		}
	}
	for key, value := range said {
		out[key] = expand(value, k)
	}
	return out
}

func steers(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	for _, own := range []string{v1alpha1.Group, causeway.Group} {
		if domain == own || strings.HasSuffix(domain, "."+own) {
			return true
		}
	}
	return key == corev1.LastAppliedConfigAnnotation
}

var reference = regexp.MustCompile(`\$\(([^()]+)\)`)

// expand fills in $(name), $(namespace), $(labels.KEY) and $(annotations.KEY);
// what is not there is empty.
func expand(text string, k found) string {
	return reference.ReplaceAllStringFunc(text, func(m string) string {
		what := m[2 : len(m)-1]
		if key, ok := strings.CutPrefix(what, "labels."); ok {
			return k.labels[key]
		}
		if key, ok := strings.CutPrefix(what, "annotations."); ok {
			return k.annotations[key]
		}
		switch what {
		case "name":
			return k.name
		case "namespace":
			return k.namespace
		}
		return m
	})
}

// write applies one cluster Secret, if it is not so already.
func (r *Reconciler) write(ctx context.Context, source string, w wanted, out *outcome) error {
	live := &metav1.PartialObjectMetadata{}
	live.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	err := r.Hub.Get(ctx, client.ObjectKeyFromObject(w.object), live)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot read Secret %s: %w", w.secret, err)
	}
	w.fresh = err != nil
	if err := w.takes(live, source); err != nil {
		return err
	}
	text, err := json.Marshal(w.object)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	r.mu.Lock()
	last := r.written[w.secret]
	r.mu.Unlock()
	if last.sum == sum && last.version != "" && last.version == live.ResourceVersion {
		return nil
	}
	return r.apply(ctx, source, w, sum, out)
}

// takes tells why a Secret must not be made, or is somebody else's. A cluster
// that has a reserved name already goes on, but not with what the engine goes by.
func (w wanted) takes(live *metav1.PartialObjectMetadata, source string) error {
	if why := gitops.Reserved(w.secret); why != "" && (w.fresh || gitops.OwnSecret(w.secret)) {
		return fmt.Errorf("cluster name %q of Secret %s cannot be used: %s; choose another one with spec.clusterName", w.secret, w.from, why)
	}
	if w.fresh {
		return nil
	}
	if live.Labels[causeway.LabelClusterSource] != source {
		return fmt.Errorf("cluster name %q of Secret %s is taken: Secret %s/%s is not of this ClusterSource; choose another one with spec.clusterName",
			w.secret, w.from, w.object.Namespace, w.secret)
	}
	if origin := live.Annotations[causeway.AnnotationFoundIn]; origin != "" && origin != w.from {
		return fmt.Errorf("cluster name %q of Secret %s is that of Secret %s; choose another one with spec.clusterName", w.secret, w.from, origin)
	}
	return nil
}

func (r *Reconciler) apply(ctx context.Context, source string, w wanted, sum [32]byte, out *outcome) error {
	s := w.object
	c := applycorev1.Secret(s.Name, s.Namespace).WithLabels(s.Labels).WithAnnotations(s.Annotations).WithData(s.Data)
	err := r.Hub.Apply(ctx, c, client.FieldOwner(manager))
	if apierrors.IsConflict(err) {
		out.problemf("cluster Secret %s: somebody else wrote to what its kubeconfig says: %v", w.secret, err)
		return nil
	}
	if apierrors.IsInvalid(err) {
		out.problemf("cluster Secret %s of Secret %s is refused: its metadata is too large, or not valid", w.secret, w.from)
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot write cluster Secret %s: %w", s.Name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	version := ""
	if c.ResourceVersion != nil {
		version = *c.ResourceVersion
	}
	if w.fresh {
		out.clusters++
	}
	r.written[w.secret] = written{sum: sum, version: version, server: string(s.Data["server"]), from: w.from, source: source}
	return nil
}

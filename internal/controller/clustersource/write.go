package clustersource

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
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
	// object is nil when the kubeconfig cannot be used.
	object *corev1.Secret
}

// written is what was applied, and the version that came of it.
type written struct {
	sum     [32]byte
	version string
}

// wanted makes cluster Secrets of kubeconfigs. Of several with one name none
// is written.
func (r *Reconciler) wanted(source *causeway.ClusterSource, kubeconfigs []found, out *outcome) []wanted {
	first := map[string]int{}
	var all []wanted
	for _, k := range kubeconfigs {
		name := k.name
		if source.Spec.ClusterName != "" {
			name = expand(source.Spec.ClusterName, k)
		}
		w := wanted{secret: name, from: k.from}
		if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
			out.problemf("Secret %s: cluster name %q: %s", k.from, name, problems[0])
			continue
		}
		if i, taken := first[name]; taken {
			out.problemf("cluster name %q is that of Secret %s and of Secret %s: tell them apart with spec.clusterName", name, all[i].from, k.from)
			all[i].object = nil
			continue
		}
		first[name] = len(all)
		object, err := r.secret(source, name, k)
		if err != nil {
			out.problemf("Secret %s: %v", k.from, err)
		} else {
			w.object = object
		}
		all = append(all, w)
	}
	return all
}

func (r *Reconciler) secret(source *causeway.ClusterSource, name string, k found) (*corev1.Secret, error) {
	server, conn, err := kubeconfig.Parse(k.text)
	if err != nil {
		return nil, fmt.Errorf("its kubeconfig cannot be used: %w", err)
	}
	if err := trusted(server, conn); err != nil {
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
	for key, value := range s.Labels {
		if problems := validation.IsValidLabelValue(value); len(problems) > 0 {
			return nil, fmt.Errorf("label %s: %s", key, problems[0])
		}
	}
	return s, r.Check(s)
}

// trusted refuses what would use the engine's own rights: whoever may write a
// kubeconfig in some namespace is not who may do that.
func trusted(server string, conn fleet.Connection) error {
	switch {
	case strings.TrimRight(server, "/") == gitops.HubServer:
		return errors.New("its server is the hub's own address: name the address by which others reach it")
	case conn.Exec != nil:
		return fmt.Errorf("it has a program (exec) that gets its credential: write a token or a certificate, or describe the cluster in a cluster Secret, where programs may run that %s allows", v1alpha1.SettingExecAllow)
	case !conn.HasCredentials():
		return errors.New("its user has no credentials")
	}
	return nil
}

// metadata joins what is copied with what is said; the latter counts.
func metadata(said map[string]string, copied []string, from map[string]string, k found) map[string]string {
	out := map[string]string{}
	for key, value := range from {
		for _, pattern := range copied {
			prefix, open := strings.CutSuffix(pattern, "*")
			if key == pattern || open && strings.HasPrefix(key, prefix) {
				out[key] = value
			}
		}
	}
	delete(out, corev1.LastAppliedConfigAnnotation)
	for key, value := range said {
		out[key] = expand(value, k)
	}
	return out
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
	if err == nil && live.Labels[causeway.LabelClusterSource] != source {
		out.problemf("cluster name %q of Secret %s is taken: Secret %s/%s is not of this ClusterSource; choose another one with spec.clusterName",
			w.secret, w.from, r.Namespace, w.secret)
		return nil
	}
	for _, c := range r.Clusters() {
		if c.Name == w.secret && c.Secret != w.secret && c.Secret != "" {
			out.problemf("cluster name %q of Secret %s is taken by cluster Secret %s; choose another one with spec.clusterName", w.secret, w.from, c.Secret)
			return nil
		}
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
	return r.apply(ctx, w, sum, out)
}

func (r *Reconciler) apply(ctx context.Context, w wanted, sum [32]byte, out *outcome) error {
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
	r.written[w.secret] = written{sum, version}
	return nil
}

package bootstrap

import (
	"encoding/base64"
	"maps"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// labelName is the label that has a cluster's name, by which the roots find the hub.
const labelName = "cluster_name"

// Hub is the hub as a cluster of its fleet.
type Hub struct {
	Namespace string
	// Name of the cluster; that of the Secret, too, where there is none yet.
	Name string
	// URL and Revision of the repository, and the folder of the layout in it.
	URL, Revision, Path string
	// Roots are the root applications that are made.
	Roots []string
	// Metadata is what is asked for besides.
	Metadata Metadata
}

// HubSecret finds the Secret that describes the hub; nil where there is none.
func HubSecret(all []corev1.Secret) (*corev1.Secret, error) {
	var found []*corev1.Secret
	var names []string
	for i := range all {
		if gitops.IsHub(clustersecret.Describe(&all[i]).Server) {
			found = append(found, &all[i])
			names = append(names, all[i].Name)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	}
	return nil, gitops.Problemf(gitops.Invalid, "the Secrets %s all describe the hub", strings.Join(names, ", ")).Do("delete all but one")
}

// Secret is what is written of the hub's Secret. live is the one that is
// there: its keys stay, those that are asked for change, and none goes.
func (h Hub) Secret(live *corev1.Secret) *unstructured.Unstructured {
	name := h.Name
	if live == nil {
		live = &corev1.Secret{}
	} else {
		name = live.Name
	}
	entries := live.ManagedFields
	asked := h.asked()
	labels := merged(live.Labels, ours(entries, "f:metadata", "f:labels"), asked.Labels, map[string]string{
		labelName: h.Name, "cluster_type": "hub", "environment": "hub", "enable_argocd": "true",
	})
	annotations := public(merged(live.Annotations, ours(entries, "f:metadata", "f:annotations"), asked.Annotations, h.places()))
	data := merged(live.Data, ours(entries, "f:data"), nil, map[string][]byte{
		"name": []byte(h.Name), "server": []byte(gitops.HubServer), "config": []byte(`{"tlsClientConfig":{"insecure":false}}`),
	})
	return secret(h.Namespace, name, labels, annotations, data)
}

// asked are the keys that this run decides, whoever wrote them.
func (h Hub) asked() Metadata {
	own := Metadata{
		Labels:      map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster},
		Annotations: map[string]string{},
	}
	for _, root := range h.Roots {
		own.Annotations[root+"_repo_url"] = h.URL
		if h.Revision != "" {
			own.Annotations[root+"_repo_revision"] = h.Revision
		}
		if h.Path != "" {
			own.Annotations[root+"_repo_basepath"] = basepath(h.Path)
		}
	}
	return own.Over(h.Metadata)
}

// places are the keys about the repository that a Secret may say otherwise.
func (h Hub) places() map[string]string {
	out := map[string]string{labelName: h.Name, "environment": "hub"}
	for _, root := range h.Roots {
		out[root+"_repo_revision"] = "HEAD"
		out[root+"_repo_basepath"] = basepath(h.Path)
		out[root+"_repo_path"] = folderOf(root)
	}
	return out
}

// basepath is a folder as templates put it before another path.
func basepath(folder string) string {
	if folder = path.Clean("/" + folder)[1:]; folder == "" {
		return ""
	}
	return folder + "/"
}

// NameIn is the name by which the roots find the hub: what the label of its
// Secret will be, or is and stays.
func NameIn(secret *unstructured.Unstructured, live *corev1.Secret) string {
	if name, ok := secret.GetLabels()[labelName]; ok || live == nil {
		return name
	}
	return live.Labels[labelName]
}

// Place is where a root application's folder is.
type Place struct{ Root, URL, Revision, Path string }

// Places are where the root applications find their folders, as the hub's
// Secret says.
func Places(secret *unstructured.Unstructured, live *corev1.Secret, roots []string) []Place {
	all := map[string]string{}
	if live != nil {
		maps.Copy(all, live.Annotations)
	}
	maps.Copy(all, secret.GetAnnotations())
	var out []Place
	for _, root := range roots {
		out = append(out, Place{
			Root: root, URL: all[root+"_repo_url"], Revision: all[root+"_repo_revision"], Path: path.Clean(all[root+"_repo_basepath"] + all[root+"_repo_path"]),
		})
	}
	return slices.Clip(out)
}

// secret is a Secret of the control namespace as it is applied.
func secret(namespace, name string, labels, annotations map[string]string, data map[string][]byte) *unstructured.Unstructured {
	// The type is left out: that of a Secret that is there cannot change, and
	// the default is right for a new one.
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetAPIVersion("v1")
	o.SetKind("Secret")
	o.SetNamespace(namespace)
	o.SetName(name)
	o.SetLabels(labels)
	o.SetAnnotations(annotations)
	if len(data) > 0 {
		encoded := make(map[string]any, len(data))
		for key, value := range data {
			encoded[key] = base64.StdEncoding.EncodeToString(value)
		}
		o.Object["data"] = encoded
	}
	return o
}

// Check tells what the API server would refuse.
func (h Hub) Check() error {
	if texts := validation.IsDNS1123Subdomain(h.Name); len(texts) > 0 {
		return gitops.Problemf(gitops.Invalid, "cannot name the hub %q: %s", h.Name, texts[0]).Do("correct --cluster")
	}
	if texts := validation.IsValidLabelValue(h.Name); len(texts) > 0 {
		return gitops.Problemf(gitops.Invalid, "cannot name the hub %q: %s", h.Name, texts[0]).Do("correct --cluster")
	}
	asked := h.asked()
	if err := asked.Check(); err != nil {
		return gitops.Problemf(gitops.Invalid, "cannot use the metadata of the hub: %w", err).Do("correct --metadata, --label or --annotation")
	}
	if keys := Secretive(asked.Annotations); len(keys) > 0 {
		return gitops.Problemf(gitops.Invalid, "the address in the annotation %s has a user, a password or a query in it, which may be a secret", keys[0]).
			Do("leave it out: a repository Secret is the place for it")
	}
	return nil
}

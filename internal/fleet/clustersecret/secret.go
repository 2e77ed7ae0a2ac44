// Package clustersecret reads what a cluster Secret says of a cluster, but for how to
// connect to it: that much is known without any cluster.
package clustersecret

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// IsCluster reports whether an object describes a cluster: a Secret does by its label.
func IsCluster(o client.Object) bool {
	return o.GetLabels()[v1alpha1.LabelSecretType] == v1alpha1.SecretTypeCluster
}

// Describe returns the description of a cluster. Of data and stringData the
// latter wins, as it does at an API server. A cluster without a name is known
// by its server.
func Describe(s *corev1.Secret) gitops.Cluster {
	text := func(key string) string { return textOf(s, key) }
	server, _ := withoutUser(text("server"))
	d := gitops.Cluster{
		Name: text("name"), Server: server, Secret: s.Name, Project: text("project"),
		Source: s.Labels[causeway.LabelClusterSource], Labels: s.Labels, Annotations: s.Annotations,
	}
	if gitops.IsHub(d.Server) {
		d.Server = gitops.HubServer // what is the hub's own is found by it
	}
	if d.Name == "" {
		d.Name = d.Server
	}
	for name := range strings.SplitSeq(text("namespaces"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			d.Namespaces = append(d.Namespaces, name)
		}
	}
	d.ClusterResources, _ = strconv.ParseBool(text("clusterResources"))
	return d
}

// HasUser reports whether the address of the server has a user in it, and perhaps
// a password. The description, which everybody sees, has neither.
func HasUser(s *corev1.Secret) bool {
	_, has := withoutUser(textOf(s, "server"))
	return has
}

// withoutUser takes an address apart as a text: one that is no URL may have a
// password in it as well.
func withoutUser(address string) (string, bool) {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address, false
	}
	end := len(rest)
	if slash := strings.IndexAny(rest, "/?#"); slash >= 0 {
		end = slash
	}
	at := strings.LastIndex(rest[:end], "@")
	if at < 0 {
		return address, false
	}
	return scheme + "://" + rest[at+1:], true
}

func textOf(s *corev1.Secret, key string) string {
	if v, ok := s.StringData[key]; ok {
		return strings.TrimSpace(v)
	}
	return strings.TrimSpace(string(s.Data[key]))
}

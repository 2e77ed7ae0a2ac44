package gitops

import (
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// reserved begin the names of Secrets that the engine, Argo CD and Helm keep
// their own things in. Some are made only when they are needed: who could have
// one of these names given to a Secret before would have it used, and could have
// it deleted later.
var reserved = []string{"causeway-", "argocd-", "sh.helm.release."}

// Reserved tells why nothing that describes a cluster may be a Secret of a name
// that others choose; empty where it may.
func Reserved(secret string) string {
	i := slices.IndexFunc(reserved, func(prefix string) bool { return strings.HasPrefix(secret, prefix) })
	if i < 0 {
		return ""
	}
	return "names that begin with " + reserved[i] + " are for Secrets of the engine, of Argo CD and of Helm"
}

// own are the Secrets of the control namespace by their whole names that have
// what the engine goes by, its own and those of Argo CD.
var own = []string{
	"causeway-history", "causeway-keys", "causeway-server", "causeway-server-tls", "causeway-sessions",
	"argocd-initial-admin-secret", "argocd-redis", "argocd-secret", "argocd-server-tls",
}

// OwnSecret reports whether a Secret is one of the engine's or of Argo CD's own,
// whatever its labels say that it describes.
func OwnSecret(name string) bool { return slices.Contains(own, name) }

// Misused tells why the engine must not keep its own things in a Secret: it is
// one that describes a cluster or a repository, by its label, so that others
// write it and take it away.
func Misused(secret string, labels map[string]string) error {
	kind := labels[v1alpha1.LabelSecretType]
	if kind == "" {
		return nil
	}
	return Problemf(Invalid, "Secret %s has the label %s: %s, so it is not the engine's to use", secret, v1alpha1.LabelSecretType, kind).
		Do("delete the Secret, or take the label off it where it has what it is to have")
}

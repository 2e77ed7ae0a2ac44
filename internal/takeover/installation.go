package takeover

import (
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// The components of Argo CD, by the label app.kubernetes.io/component.
const (
	ApplicationController    = "application-controller"
	ApplicationSetController = "applicationset-controller"
	RepoServer               = "repo-server"
	Server                   = "server"
	Notifications            = "notifications-controller"
)

// components are all that are looked for by name where the label is missing,
// each before one that it ends with.
var components = []string{ApplicationSetController, ApplicationController, RepoServer, Notifications, "dex-server", "commit-server", Server, "redis"}

// Workload is a Deployment or StatefulSet of Argo CD.
type Workload struct {
	// Kind is Deployment or StatefulSet.
	Kind, Name string
	// Component is one of the constants, or another word of Argo CD's.
	Component string
	// Version is the tag of the image; empty when it is named by digest alone.
	Version string
	// Owner is the tracking name of the application that deploys it; empty for none.
	Owner string
	// Replicas that are wanted.
	Replicas int32
	// Plugins are the containers that run config management plugins.
	Plugins []string
	// Restraint is what an applicationset-controller is started with.
	Restraint Restraint
}

// String is how kubectl names it.
func (w Workload) String() string { return strings.ToLower(w.Kind) + "/" + w.Name }

// Engine reports whether the workload writes to Applications or to what they
// deploy, so that it must not run beside this engine.
func (w Workload) Engine() bool {
	return w.Component == ApplicationController || w.Component == ApplicationSetController
}

// ComponentOf tells what part of Argo CD a workload is; empty when it is none.
// The name counts where labels do not tell, as in old manifests.
func ComponentOf(name string, labels map[string]string) string {
	if labels["app.kubernetes.io/part-of"] != "argocd" && !strings.Contains(name, "argocd-") {
		return ""
	}
	if c := labels["app.kubernetes.io/component"]; c != "" {
		return c
	}
	for _, c := range components {
		if strings.HasSuffix(name, "argocd-"+c) {
			return c
		}
	}
	return ""
}

// VersionOf is the tag of an image; empty when there is none.
func VersionOf(image string) string {
	image, _, _ = strings.Cut(image, "@")
	slash, colon := strings.LastIndex(image, "/"), strings.LastIndex(image, ":")
	if colon <= slash {
		return ""
	}
	return image[colon+1:]
}

// Installation is what a hub has of Argo CD.
type Installation struct {
	Namespace string
	Workloads []Workload
	// Settings, Params and RBAC are the ConfigMaps argocd-cm,
	// argocd-cmd-params-cm and argocd-rbac-cm; nil where there is none.
	Settings, Params, RBAC map[string]string
	// Repositories, Templates and Clusters count the Secrets of each type.
	Repositories, Templates, Clusters int
	// Unreadable are Secrets that cannot be used, each with its reason.
	Unreadable   []string
	Projects     []v1alpha1.AppProject
	Sets         []v1alpha1.ApplicationSet
	Applications []v1alpha1.Application
}

// Version of Argo CD, by its application controller; empty when it is not known.
func (i *Installation) Version() string {
	for _, w := range i.Workloads {
		if w.Component == ApplicationController {
			return w.Version
		}
	}
	return ""
}

// Engines are the workloads that make way for this engine.
func (i *Installation) Engines() []Workload {
	var out []Workload
	for _, w := range i.Workloads {
		if w.Engine() {
			out = append(out, w)
		}
	}
	return out
}

package examples

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// clusterScoped are the cluster-scoped kinds that the example uses.
var clusterScoped = []string{
	"CSIDriver", "ClusterIssuer", "ClusterRole", "ClusterRoleBinding", "ClusterSecretStore",
	"CustomResourceDefinition", "Guardrail", "IngressClass", "Namespace", "PriorityClass", "StorageClass",
}

// The engine has its own check; this one knows exact names and a lone * only,
// which is all that the example's projects use.
func TestProjectsPermitEverything(t *testing.T) {
	f := example(t)
	for name, app := range f.apps {
		project, ok := f.projects[app.Spec.Project]
		if !ok {
			t.Errorf("%s: there is no project %q", name, app.Spec.Project)
			continue
		}
		for _, s := range app.Spec.GetSources() {
			if !slices.Contains(project.Spec.SourceRepos, s.RepoURL) {
				t.Errorf("%s: project %s does not permit the source %s", name, project.Name, s.RepoURL)
			}
		}
		if !reaches(project, app.Spec.Destination.Name, app.Spec.Destination.Namespace) {
			t.Errorf("%s: project %s does not permit %s/%s", name, project.Name, app.Spec.Destination.Name, app.Spec.Destination.Namespace)
		}
		for _, o := range f.made[name] {
			if why := refused(project, app, o); why != "" {
				t.Errorf("%s: project %s refuses %s %s: %s", name, project.Name, o.GetKind(), o.GetName(), why)
			}
		}
	}
}

func TestProjectsAreNarrow(t *testing.T) {
	f := example(t)
	web := f.apps["workload-prod-storefront-web"]
	foreign := &unstructured.Unstructured{}
	foreign.SetAPIVersion("v1")
	foreign.SetKind("ConfigMap")
	foreign.SetNamespace("payments")
	role := &unstructured.Unstructured{}
	role.SetAPIVersion("rbac.authorization.k8s.io/v1")
	role.SetKind("ClusterRole")
	app := &unstructured.Unstructured{}
	app.SetAPIVersion("argoproj.io/v1alpha1")
	app.SetKind("Application")
	cases := map[string]struct {
		reason, project string
		object          *unstructured.Unstructured
	}{
		"ForeignNamespace": {"a team stays in its own namespace", "team-storefront", foreign},
		"ClusterRole":      {"a team gets no rights on a cluster", "team-storefront", role},
		"Application":      {"an addon makes no applications", "addons", app},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if refused(f.projects[c.project], web, c.object) == "" {
				t.Errorf("%s: project %s permits it", c.reason, c.project)
			}
		})
	}
	if reaches(f.projects["team-storefront"], "hub", "storefront") {
		t.Error("a team may deploy to the hub")
	}
}

func reaches(p v1alpha1.AppProject, cluster, namespace string) bool {
	return slices.ContainsFunc(p.Spec.Destinations, func(d v1alpha1.ApplicationDestination) bool {
		return (d.Name == "*" || d.Name == cluster) && (d.Namespace == "*" || d.Namespace == namespace)
	})
}

func refused(p v1alpha1.AppProject, app v1alpha1.Application, o *unstructured.Unstructured) string {
	group, kind := o.GroupVersionKind().Group, o.GetKind()
	if slices.Contains(clusterScoped, kind) {
		if slices.ContainsFunc(p.Spec.ClusterResourceWhitelist, func(r v1alpha1.ClusterResourceRestrictionItem) bool {
			return r.Group == group && r.Kind == kind && (r.Name == "" || r.Name == o.GetName())
		}) {
			return ""
		}
		return "the kind is not in clusterResourceWhitelist"
	}
	namespace := o.GetNamespace()
	if namespace == "" {
		namespace = app.Spec.Destination.Namespace
	}
	if !reaches(p, app.Spec.Destination.Name, namespace) {
		return "the namespace " + namespace + " is no destination"
	}
	for _, r := range p.Spec.NamespaceResourceBlacklist {
		if r.Group == group && (r.Kind == "*" || r.Kind == kind) {
			return "the kind is in namespaceResourceBlacklist"
		}
	}
	for _, r := range p.Spec.NamespaceResourceWhitelist {
		if r.Group == group && r.Kind == kind {
			return ""
		}
	}
	if p.Spec.NamespaceResourceWhitelist != nil {
		return "the kind is not in namespaceResourceWhitelist"
	}
	return ""
}

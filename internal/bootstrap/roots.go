package bootstrap

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// RootNames are the root applications, in the order in which they are made.
func RootNames() []string { return []string{"addons", "workloads", "clusters"} }

// folderOf is where the layout has what a root deploys.
func folderOf(root string) string { return "control-plane/" + root }

// CheckRoots refuses names that are no root's.
func CheckRoots(names []string) error {
	if len(names) == 0 {
		return gitops.Problemf(gitops.Invalid, "no root application is asked for").Do("name some of " + strings.Join(RootNames(), ", "))
	}
	for _, name := range names {
		if !slices.Contains(RootNames(), name) {
			return gitops.Problemf(gitops.Invalid, "there is no root application %q%s", name, gitops.DidYouMean(name, RootNames())).
				Do("name some of " + strings.Join(RootNames(), ", "))
		}
	}
	return nil
}

// Root is the ApplicationSet of a root application: one application, on the
// hub alone, whose source is what the annotations of the hub's Secret say.
func Root(namespace, name, hub string) *unstructured.Unstructured {
	read := func(key string) string { return "{{.metadata.annotations." + name + "_repo_" + key + "}}" }
	o := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"goTemplate":        true,
		"goTemplateOptions": []any{"missingkey=error"},
		// Losing the set must never empty a fleet.
		"syncPolicy": map[string]any{"preserveResourcesOnDeletion": true},
		"generators": []any{map[string]any{"clusters": map[string]any{"selector": map[string]any{"matchLabels": map[string]any{
			v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster, labelName: hub,
		}}}}},
		"template": map[string]any{
			"metadata": map[string]any{"name": name},
			"spec": map[string]any{
				"project": "default",
				"source": map[string]any{
					"repoURL": read("url"), "path": read("basepath") + read("path"), "targetRevision": read("revision"),
					"directory": map[string]any{"recurse": true, "exclude": "exclude/*"},
				},
				"destination": map[string]any{"name": "{{.name}}", "namespace": namespace},
				"syncPolicy":  map[string]any{"automated": map[string]any{"prune": true, "selfHeal": true}},
			},
		},
	}}}
	o.SetGroupVersionKind(v1alpha1.ApplicationSetGVK)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

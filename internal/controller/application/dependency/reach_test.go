package dependency

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/depend"
)

func TestReach(t *testing.T) {
	app := func(namespace, project string) *v1alpha1.Application {
		return &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: namespace}, Spec: v1alpha1.ApplicationSpec{Project: project}}
	}
	r := &Checker{Namespace: "argocd"}
	written, files := r.reachOf, r.reachOfFiles
	cases := map[string]struct {
		reason string
		of     func(*v1alpha1.Application) reach
		from   *v1alpha1.Application
		to     *v1alpha1.Application
		want   bool
	}{
		"own namespace":          {"who writes Applications there sees them all", written, app("red-apps", "red"), app("red-apps", "other"), true},
		"own project":            {"a project may have several namespaces", written, app("red-apps", "red"), app("more-apps", "red"), true},
		"another's":              {"that is the other team's business", written, app("red-apps", "red"), app("blue-apps", "blue"), false},
		"the operator's":         {"the control namespace is nobody's own", written, app("red-apps", "red"), app("argocd", "platform"), false},
		"of the project there":   {"but what is of the project is", written, app("red-apps", "red"), app("argocd", "red"), true},
		"no project":             {"none is the default one", written, app("red-apps", ""), app("blue-apps", "default"), true},
		"operator":               {"an operator may know everything", written, app("argocd", "platform"), app("blue-apps", "blue"), true},
		"files":                  {"files name what is in their Application's namespace", files, app("red-apps", "red"), app("red-apps", "other"), true},
		"files to another's":     {"and nobody else's", files, app("red-apps", "red"), app("blue-apps", "blue"), false},
		"files of an operator's": {"an operator has written the Application, and not what is in its repository", files, app("argocd", "red"), app("blue-apps", "blue"), false},
		"files beside":           {"the control namespace has all teams' Applications", files, app("argocd", "red"), app("argocd", "blue"), false},
		"files within":           {"those of the project are the team's own", files, app("argocd", "red"), app("argocd", "red"), true},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			within := c.of(c.from)
			if got := within.app(c.to); got != c.want {
				t.Errorf("%s: within reach: %t, want %t", c.reason, got, c.want)
			}
			set := &v1alpha1.ApplicationSet{ObjectMeta: c.to.ObjectMeta, Spec: v1alpha1.ApplicationSetSpec{Template: v1alpha1.ApplicationSetTemplate{Spec: c.to.Spec}}}
			if got := within.set(set); got != c.want {
				t.Errorf("%s: a set is within reach: %t, want %t", c.reason, got, c.want)
			}
			if got := wakes(within, c.from, c.to); got != c.want {
				t.Errorf("%s: it is woken: %t, want %t", c.reason, got, c.want)
			}
		})
	}
}

// wakes reports whether who depends on all of a namespace's is woken by one of them.
func wakes(within reach, from, to *v1alpha1.Application) bool {
	name, w := types.NamespacedName{Namespace: from.Namespace, Name: "a"}, NewRegister()
	ref := depend.Ref{Group: v1alpha1.Group, Kind: v1alpha1.ApplicationKind, Namespace: to.Namespace}
	w.Set(name, within.watched(ref, from.Namespace))
	key := gitops.Key{Group: v1alpha1.Group, Kind: v1alpha1.ApplicationKind, Namespace: to.Namespace, Name: "b"}
	return slices.Contains(w.On(gitops.HubServer, key, to.Spec.GetProject()), name)
}

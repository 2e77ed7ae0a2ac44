package hub

import (
	"context"
	"errors"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// projectsByName are projects; a nil one cannot be read.
type projectsByName map[string]*v1alpha1.AppProject

func (p projectsByName) Project(_ context.Context, name string) (*v1alpha1.AppProject, error) {
	found, there := p[name]
	switch {
	case !there:
		return nil, gitops.Problemf(gitops.NotFound, "there is no project %q", name)
	case found == nil:
		return nil, errors.New("the hub is away")
	}
	return found, nil
}

// oneCluster is a fleet of one.
type oneCluster struct{ gitops.Cluster }

func (c oneCluster) Meant(d v1alpha1.ApplicationDestination) []gitops.Cluster {
	if d.Server == c.Server || d.Name == c.Name {
		return []gitops.Cluster{c.Cluster}
	}
	return nil
}

func (c oneCluster) OfProject(project string) []gitops.Cluster {
	if project == c.Project {
		return []gitops.Cluster{c.Cluster}
	}
	return nil
}

// Whether an Application leads to a cluster decides what stays deployed: not to know it
// is no no.
func TestWhereApplicationsLead(t *testing.T) {
	project := func(namespaces ...string) *v1alpha1.AppProject {
		p := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{
			SourceNamespaces: namespaces, SourceRepos: []string{"https://git.example.com/shop"},
			Destinations: []v1alpha1.ApplicationDestination{{Server: "https://dev", Namespace: "shop"}},
		}}
		p.Name = "shop"
		return p
	}
	d := Destinations{Projects: projectsByName{"shop": project("team"), "away": nil}, Fleet: oneCluster{gitops.Cluster{Name: "dev", Server: "https://dev"}}}
	to := func(server, namespace string) v1alpha1.ApplicationDestination {
		return v1alpha1.ApplicationDestination{Server: server, Namespace: namespace}
	}
	for name, tc := range map[string]struct {
		reason, namespace, project string
		to                         v1alpha1.ApplicationDestination
		leads, fails               bool
	}{
		"Permitted":  {"the project permits it", "argocd", "shop", to("https://dev", "shop"), true, false},
		"By name":    {"the same cluster by its name", "argocd", "shop", v1alpha1.ApplicationDestination{Name: "dev", Namespace: "shop"}, true, false},
		"Elsewhere":  {"it permits no other namespace", "argocd", "shop", to("https://dev", "kube-system"), false, false},
		"Own":        {"a namespace that the project lets it be in", "team", "shop", to("https://dev", "shop"), true, false},
		"Foreign":    {"one that it does not", "other", "shop", to("https://dev", "shop"), false, false},
		"No project": {"without a project nothing is deployed", "argocd", "gone", to("https://dev", "shop"), false, false},
		"Not known":  {"nobody knows what the project says", "argocd", "away", to("https://dev", "shop"), false, true},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Project: tc.project, Destination: tc.to}}
			app.Namespace = tc.namespace
			if leads, err := d.LeadsTo(t.Context(), app, "argocd"); leads != tc.leads || (err != nil) != tc.fails {
				t.Errorf("%s: got %t, %v", tc.reason, leads, err)
			}
		})
	}
	for name, tc := range map[string]struct {
		reason, project, repo string
		to                    v1alpha1.ApplicationDestination
		kind                  gitops.ProblemKind
		permits               bool
	}{
		"Both":    {"repository and destination are permitted", "shop", "https://git.example.com/shop", to("https://dev", "shop"), 0, true},
		"Neither": {"none is", "shop", "https://git.example.com/other", to("https://dev", "other"), gitops.Forbidden, false},
		"Missing": {"a generator is told that the project is missing", "gone", "https://git.example.com/shop", to("https://dev", "shop"), gitops.NotFound, false},
	} {
		permits, err := d.Permits(t.Context(), tc.project, tc.to)
		if permits != tc.permits || (err != nil) != (tc.kind == gitops.NotFound) {
			t.Errorf("%s: %s: the destination: %t, %v", name, tc.reason, permits, err)
		}
		if err := d.PermitsSource(t.Context(), tc.project, tc.repo); (err == nil) != tc.permits || err != nil && !gitops.IsProblem(err, tc.kind) {
			t.Errorf("%s: %s: the repository: %v", name, tc.reason, err)
		}
	}
}

// Generators read what is signed as the project asks, by the revision that they read.
func TestSignedReadsOfGenerators(t *testing.T) {
	unsigned := errors.New("not signed")
	keys := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{SignatureKeys: []v1alpha1.SignatureKey{{KeyID: "A"}}}}
	s := Signed{Projects: projectsByName{"strict": keys, "open": {}, "away": nil}, Verify: func(_ context.Context, ref gitops.SourceRef, revision string, rule gitops.SignatureRule) error {
		if ref.Revision != "main" || len(rule.Keys) != 1 || rule.Keys[0] != "A" {
			t.Errorf("asked for %v by %v", ref, rule)
		}
		if revision == "good" {
			return nil
		}
		return unsigned
	}}
	for name, tc := range map[string]struct {
		reason, project, revision string
		fails                     bool
	}{
		"Signed":    {"as the project asks", "strict", "good", false},
		"Unsigned":  {"no key of the project's", "strict", "bad", true},
		"No rule":   {"the project asks for nothing", "open", "bad", false},
		"Not known": {"nobody knows what it asks", "away", "good", true},
	} {
		t.Run(name, func(t *testing.T) {
			err := s.Signed(t.Context(), tc.project, gitops.SourceRef{RepoURL: "https://git.example.com/shop", Revision: "main"}, tc.revision)
			if (err != nil) != tc.fails || tc.project == "strict" && tc.fails && !errors.Is(err, unsigned) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

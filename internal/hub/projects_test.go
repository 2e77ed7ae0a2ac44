package hub

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// written is what a hub has, by name; an error is what it answers instead.
type written struct {
	client.Reader

	projects map[string]*v1alpha1.AppProject
	maps     map[string]map[string]string
	broken   map[string]error
}

func (w written) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if err := w.broken[key.Name]; err != nil {
		return err
	}
	switch into := into.(type) {
	case *v1alpha1.AppProject:
		if p := w.projects[key.Name]; p != nil && key.Namespace == "argocd" {
			p.DeepCopyInto(into)
			return nil
		}
	case *corev1.ConfigMap:
		if data, there := w.maps[key.Name]; there && key.Namespace == "argocd" {
			into.Data = data
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: "things"}, key.Name)
}

// projectOf is a project with labels that permits repositories.
func projectOf(name, label string, repos ...string) *v1alpha1.AppProject {
	p := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{SourceRepos: repos}}
	p.Name, p.Namespace, p.Labels = name, "argocd", map[string]string{"tier": label}
	return p
}

const globalsOfGold = `
- projectName: base
  labelSelector: {matchLabels: {tier: gold}}
- projectName: missing
  labelSelector: {matchLabels: {tier: gold}}
`

// A project has the rules that others lay on it, and what belongs to it.
func TestProjectsHaveRulesFromElsewhere(t *testing.T) {
	away := errors.New("the hub is away")
	hub := written{projects: map[string]*v1alpha1.AppProject{
		"shop": projectOf("shop", "gold", "https://git/shop"), "plain": projectOf("plain", "tin", "https://git/plain"), "base": projectOf("base", "", "https://git/base"),
	}}
	baseAway := hub
	baseAway.broken = map[string]error{"base": away}
	for name, tc := range map[string]struct {
		reason, project, globals string
		hub                      written
		repos                    []string
		says                     string
	}{
		"Global":    {"that of the selector is inherited, and one that is not there is not", "shop", globalsOfGold, hub, []string{"https://git/shop", "https://git/own", "https://git/base"}, ""},
		"Others":    {"the selector does not have it", "plain", globalsOfGold, hub, []string{"https://git/plain"}, ""},
		"None":      {"the installation lays no rules on others", "shop", "", hub, []string{"https://git/shop", "https://git/own"}, ""},
		"Unread":    {"rules that are not known are no rules to go on without", "shop", globalsOfGold, baseAway, nil, "the hub is away"},
		"Malformed": {"nor are those that cannot be read", "shop", "{", hub, nil, "globalProjects"},
		"Selector":  {"nor those of which nobody knows whose they are", "shop", "- projectName: base\n  labelSelector: {matchExpressions: [{key: a, operator: Like}]}", hub, nil, "Like"},
		"Missing":   {"who names it is told what to do", "nowhere", "", hub, nil, `cannot find AppProject "nowhere" in namespace argocd`},
	} {
		t.Run(name, func(t *testing.T) {
			p := Projects{
				StoredProjects: StoredProjects{tc.hub, "argocd"}, Settings: func() map[string]string { return map[string]string{v1alpha1.SettingGlobals: tc.globals} },
				Clusters: func(string) []gitops.Cluster { return nil },
				Repos: func(project string) []string {
					return map[string][]string{"shop": {"https://git/own"}}[project]
				},
			}
			got, err := p.Project(t.Context(), tc.project)
			if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if err != nil {
				return
			}
			// What belongs to the project is marked, as no pattern.
			repos := strings.Split(strings.ReplaceAll(strings.Join(got.Spec.SourceRepos, " "), "\x00", ""), " ")
			if diff := cmp.Diff(tc.repos, repos); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// A project that is not there is another thing than a hub that does not answer: of the
// latter nobody may conclude anything.
func TestMissingProjects(t *testing.T) {
	stored := StoredProjects{written{projects: map[string]*v1alpha1.AppProject{"shop": projectOf("shop", "")}, broken: map[string]error{"away": errors.New("away")}}, "argocd"}
	for name, tc := range map[string]struct {
		reason        string
		there, fails  bool
		missesProject bool
	}{
		"shop":    {"it is there", true, false, false},
		"nowhere": {"it is not", false, false, true},
		"away":    {"nobody knows", false, true, false},
	} {
		there, err := stored.HasProject(t.Context(), name)
		if there != tc.there || (err != nil) != tc.fails {
			t.Errorf("%s: %s: got %t, %v", name, tc.reason, there, err)
		}
		if _, err := stored.get(t.Context(), name); gitops.IsProblem(err, gitops.NotFound) != tc.missesProject {
			t.Errorf("%s: %s: it is told as %v", name, tc.reason, err)
		}
	}
}

// Whoever reads one project for a look gets it without the global ones, where the
// settings are not to be read.
func TestReadProjectWithoutSettings(t *testing.T) {
	hub := written{
		projects: map[string]*v1alpha1.AppProject{"shop": projectOf("shop", "gold", "a"), "base": projectOf("base", "", "b")},
		maps:     map[string]map[string]string{v1alpha1.SettingsName: {v1alpha1.SettingGlobals: globalsOfGold}},
	}
	closed := hub
	closed.broken = map[string]error{v1alpha1.SettingsName: errors.New("forbidden")}
	for name, tc := range map[string]struct {
		reason string
		hub    written
		want   []string
	}{
		"Read":   {"they are there", hub, []string{"a", "b"}},
		"Closed": {"they may not be read", closed, []string{"a"}},
	} {
		p, err := ReadProject(t.Context(), tc.hub, "argocd", "shop")
		if err != nil {
			t.Fatalf("%s: %v", tc.reason, err)
		}
		if diff := cmp.Diff(tc.want, p.Spec.SourceRepos); diff != "" {
			t.Errorf("%s: %s: -want +got:\n%s", name, tc.reason, diff)
		}
	}
}

// A project that others inherit from concerns more than its own Applications.
func TestGlobalProjects(t *testing.T) {
	settings := map[string]string{v1alpha1.SettingGlobals: globalsOfGold}
	for name, want := range map[string]bool{"base": true, "missing": true, "shop": false, "": false} {
		if got := IsGlobal(settings, name); got != want {
			t.Errorf("%q is global: %t", name, got)
		}
	}
	if IsGlobal(map[string]string{v1alpha1.SettingGlobals: "{"}, "base") || IsGlobal(nil, "base") {
		t.Error("what cannot be read makes a project a global one")
	}
}

package journal

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
)

const (
	oursURL  = "https://git.example.com/ours/web"
	baseURL  = "https://git.example.com/base/web"
	chartURL = "oci://registry.example.com"
)

// What a sync notes of its manifests stays with those who go back to it.
func TestOrigin(t *testing.T) {
	remote := func(urls ...string) *gitops.Rendering {
		out := &gitops.Rendering{}
		for _, url := range urls {
			out.Remotes = append(out.Remotes, gitops.SourceRef{RepoURL: url})
		}
		return out
	}
	ours, denies := &v1alpha1.AppProject{}, &v1alpha1.AppProject{}
	ours.Spec.SourceRepos, denies.Spec.SourceRepos = []string{oursURL}, []string{"*", "!" + baseURL}
	chart := &gitops.Rendering{Remotes: []gitops.SourceRef{{RepoURL: chartURL, Chart: "shop", Revision: "1.0.0"}}}
	then := &history.Origin{Besides: []history.Beside{{RepoURL: baseURL}}}
	cases := map[string]struct {
		reason    string
		project   *v1alpha1.AppProject
		brought   *state.Brought
		rendering *gitops.Rendering
		want      *history.Origin
	}{
		"alone":    {"nothing was read besides", ours, nil, remote(), &history.Origin{}},
		"besides":  {"each with how it was read", ours, nil, remote(oursURL, baseURL), &history.Origin{Besides: []history.Beside{{RepoURL: oursURL}, {RepoURL: baseURL, Open: true}}}},
		"chart":    {"with the name of a chart", ours, nil, chart, &history.Origin{Besides: []history.Beside{{RepoURL: chartURL, Chart: "shop", Open: true}}}},
		"denied":   {"what was denied meanwhile is not known to be open", denies, nil, remote(baseURL), &history.Origin{Besides: []history.Beside{{RepoURL: baseURL}}}},
		"secret":   {"an address with a password is not kept, so nothing is known", ours, nil, remote("https://ann:secret@git.example.com/base"), nil},
		"rollback": {"what came back came from where it came", ours, &state.Brought{ID: "then", Origin: then}, remote(), then},
		"old":      {"what was not known is not known then", ours, &state.Brought{ID: "then"}, remote(), nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tg := &state.Target{Subject: state.Subject{Project: tc.project}, Brought: tc.brought}
			if diff := cmp.Diff(tc.want, Origin(tg, tc.rendering)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

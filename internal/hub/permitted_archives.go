package hub

import (
	"context"
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/source"
)

// archives is what a project permits of a chart repository's host besides that
// repository. It is a value of what the project says at one time: what was read
// by it is no answer for the project as it is later.
type archives struct{ project, repos string }

// rule implements source.Options.Permits.
func (p Projects) rule(ctx context.Context, project string) (source.Rule, error) {
	found, err := p.Project(ctx, project)
	if err != nil {
		return nil, err
	}
	return archivesOf(found)
}

func archivesOf(p *v1alpha1.AppProject) (archives, error) {
	repos, err := json.Marshal(p.Spec.SourceRepos)
	return archives{p.Name, string(repos)}, err
}

// of is the project, as far as it says what may be read.
func (a archives) of() (*v1alpha1.AppProject, error) {
	p := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: a.project}}
	return p, json.Unmarshal([]byte(a.repos), &p.Spec.SourceRepos)
}

// Admits implements source.Rule.
func (a archives) Admits(ref gitops.SourceRef) (bool, error) {
	p, err := a.of()
	if err != nil {
		return false, err
	}
	return policy.Besides(p, ref)
}

// Permits implements source.Rule. The root of a host is a repository, and no
// word on all that lies below it.
func (a archives) Permits(address string) (bool, error) {
	p, err := a.of()
	if err != nil {
		return false, err
	}
	file, _, _ := strings.Cut(address, "?")
	places := placesOf(file)
	if len(places) == 0 {
		return false, inTooManyFolders(file, a.project)
	}
	if n := len(places); n > 2 {
		places = places[:n-1]
	}
	return permitsOne(p, append(places, address))
}

// Key implements source.Rule.
func (a archives) Key() string { return a.project + " " + a.repos }

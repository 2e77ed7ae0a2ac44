package estate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/source"
)

func secretOf(name, url string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeRepository}},
		Data:       map[string][]byte{"url": []byte(url)},
	}
}

// TestTokensInAddresses has Secrets whose addresses hold a token.
func TestTokensInAddresses(t *testing.T) {
	for _, url := range []string{"https://hunter2@github.com/o/r", "https://me:hunter2@github.com/o/r", "https://github.com/o/r?private_token=hunter2"} {
		one := repositoryOf(secretOf("r", url))
		if one.URL != "https://github.com/o/r" || one.Written != url {
			t.Errorf("%s is shown as %s, and held to be %s", url, one.URL, one.Written)
		}
		if text, err := json.Marshal(one); err != nil || strings.Contains(string(text), "hunter2") {
			t.Errorf("who asks is told %s (%v)", text, err)
		}
		want := api.RepositoryWish{RepositoryFields: one.RepositoryFields}
		want.Name = "called otherwise"
		s := (&Repositories{}).wished(secretOf("r", url), &want)
		if got := string(s.Data["url"]); got != url {
			t.Errorf("what was sent back as it was shown becomes %s", got)
		}
		want.Insecure = true
		unfit := &api.Unfit{}
		checkMoved(secretOf("r", url), (&Repositories{}).wished(secretOf("r", url), &want), &want, unfit)
		if len(unfit.Fields) != 1 {
			t.Errorf("%s is sent to whoever claims to be its host: %v", url, unfit.Fields)
		}
	}
}

// TestCountTellsAddressesApart counts at addresses that are shown alike.
func TestCountTellsAddressesApart(t *testing.T) {
	all := []api.Repository{repositoryOf(secretOf("a", "https://host/r?id=a")), repositoryOf(secretOf("b", "https://host/r?id=b"))}
	used := []api.Repository{{RepositoryFields: api.RepositoryFields{URL: "https://me@host/r?id=b"}, Applications: 2}}
	if others := (&Repositories{}).Count(all, used); len(others) != 0 || all[0].Applications != 0 || all[1].Applications != 2 {
		t.Errorf("counted as %v and %v, besides %v", all[0].Applications, all[1].Applications, others)
	}
}

// looked is an opener whose looks failed, one for each project.
type looked struct{ Opener }

func (looked) State(url string, of func(project string) bool) (source.State, bool) {
	for _, project := range []string{"blue", "red"} {
		if of(project) {
			return source.State{Err: fmt.Errorf("%s is not there for %s", url, project)}, true
		}
	}
	return source.State{}, false
}

// TestLooksOfOtherProjects has repositories of one address, one of a project.
func TestLooksOfOtherProjects(t *testing.T) {
	everybody := func(*api.Repository, string) bool { return true }
	red, all := secretOf("a", "https://host/r"), secretOf("b", "https://host/r")
	red.Data["project"] = []byte("red")
	got := []api.Repository{repositoryOf(red), repositoryOf(all)}
	(&Repositories{Opener: looked{}}).Look(got, everybody)
	if got[0].LookProblem != "https://host/r is not there for red" || got[1].LookProblem != "https://host/r is not there for blue" {
		t.Errorf("red's tells %q, the other one %q", got[0].LookProblem, got[1].LookProblem)
	}
	got = []api.Repository{repositoryOf(red), repositoryOf(all)}
	(&Repositories{Opener: looked{}}).Look(got, func(*api.Repository, string) bool { return false })
	if got[0].LookProblem+got[1].LookProblem != "" {
		t.Errorf("who may know of none is told %q and %q", got[0].LookProblem, got[1].LookProblem)
	}
}

package estate

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/server/api"
)

// says are the texts of what does not fit, by field.
func says(unfit *api.Unfit) string {
	var all []string
	for _, f := range unfit.Fields {
		all = append(all, f.Field+": "+f.Message)
	}
	return strings.Join(all, "; ")
}

// TestAddressesAreNoPatterns has addresses that would be patterns in a project.
func TestAddressesAreNoPatterns(t *testing.T) {
	for server, want := range map[string]string{
		"https://*": "server: the address has the sign * of patterns", "https://{a,b}": "the sign { of patterns", "https://a/[bc]": "the sign [ of patterns",
		"https://a?": "the sign ? of patterns", "https://[::1]:6443": "", "https://spoke.example.com:6443/k8s/clusters/c-1": "",
	} {
		unfit := &api.Unfit{}
		checkMember(&api.MemberWish{MemberFields: api.MemberFields{Name: "x", Server: server}}, unfit)
		if got := says(unfit); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("cluster %s: got %q", server, got)
		}
	}
	for url, want := range map[string]string{
		"https://git.example.com/team/app*": "url: the address has the sign * of patterns", "https://git.example.com/{a,b}": "the sign { of patterns",
		"https://git.example.com/!a": "the sign ! of patterns", "https://[::1]:8443/team/app": "", "git@git.example.com:team/app.git": "", "https://git.example.com/r?id=a": "",
	} {
		unfit := &api.Unfit{}
		checkRepository(&api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: url}}, unfit)
		if got := says(unfit); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("repository %s: got %q", url, got)
		}
	}
}

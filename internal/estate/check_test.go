package estate

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestAddressesAreNoPatterns has addresses that would be patterns in a project.
func TestAddressesAreNoPatterns(t *testing.T) {
	for server, want := range map[string]string{
		"https://*": "server: it has the sign * of patterns", "https://{a,b}": "the sign { of patterns", "https://a/[bc]": "the sign [ of patterns",
		"https://a?": "the sign ? of patterns", "https://[::1]:6443": "", "https://spoke.example.com:6443/k8s/clusters/c-1": "",
	} {
		unfit := &api.Unfit{}
		checkMember(&api.MemberWish{MemberFields: api.MemberFields{Name: "x", Server: server}}, unfit)
		if got := unfit.Error(); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("cluster %s: got %q", server, got)
		}
	}
	for url, want := range map[string]string{
		"https://git.example.com/team/app*": "url: it has the sign * of patterns", "https://git.example.com/{a,b}": "the sign { of patterns",
		"https://git.example.com/!a": "the sign ! of patterns", "https://[::1]:8443/team/app": "", "git@git.example.com:team/app.git": "", "javascript:alert(1)": `url: "javascript:" begins an address of another kind`, "ftp://git.example.com/r": `url: scheme "ftp" is not one of`, "https://git.example.com/r?id=a": "",
	} {
		unfit := &api.Unfit{}
		checkRepository(&api.RepositoryWish{RepositoryFields: api.RepositoryFields{URL: url}}, unfit)
		if got := unfit.Error(); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("repository %s: got %q", url, got)
		}
	}
}

// TestNameOfHubIsNoOthers has clusters that are called as the hub is.
func TestNameOfHubIsNoOthers(t *testing.T) {
	for server, refused := range map[string]bool{"https://spoke.example.com:6443": true, gitops.HubServer: false, "https://kubernetes.default.svc.cluster.local": false} {
		unfit := &api.Unfit{}
		checkMember(&api.MemberWish{MemberFields: api.MemberFields{Name: gitops.HubName, Server: server}}, unfit)
		if got := strings.Contains(unfit.Error(), "name: it is the hub's"); got != refused {
			t.Errorf("%s as %s: %v", server, gitops.HubName, unfit)
		}
		one := (&Clusters{}).memberOf(member(gitops.HubName, server, "", ""))
		if got := strings.Contains(one.Problem, "destinations by this name lead to the hub"); got != refused {
			t.Errorf("of what is stored for %s, people are told %q", server, one.Problem)
		}
	}
}

// member is the Secret of a cluster as somebody wrote it.
func member(name, server, project, config string) *corev1.Secret {
	return &corev1.Secret{Data: map[string][]byte{"name": []byte(name), "server": []byte(server), "project": []byte(project), "config": []byte(config)}}
}

// TestHubBelongsToNoProject has clusters that whoever may add some to project red asks for.
func TestHubBelongsToNoProject(t *testing.T) {
	const spoke, token, none = "https://spoke.example.com:6443", `{"bearerToken":"t"}`, `{"tlsClientConfig":{"insecure":false}}`
	given, gone := "t", ""
	cases := map[string]struct {
		reason          string
		before          *corev1.Secret
		server, project string
		secrets         api.MemberSecrets
		refused         bool
	}{
		"Hub":         {"without credentials the engine's own are used", nil, gitops.HubServer, "red", api.MemberSecrets{}, true},
		"Spelled":     {"however it is spelled", nil, "https://Kubernetes.Default.svc.:443/", "red", api.MemberSecrets{}, true},
		"Short":       {"by a name that only programs in it know", nil, "https://kubernetes", "red", api.MemberSecrets{}, true},
		"Long":        {"or by the whole of its name", nil, "https://kubernetes.default.svc.cluster.local", "red", api.MemberSecrets{}, true},
		"Credentials": {"they can be taken away afterwards", nil, gitops.HubServer, "red", api.MemberSecrets{BearerToken: &given}, true},
		"NoProject":   {"it belongs to all of them", nil, gitops.HubServer, "", api.MemberSecrets{}, false},
		"Spoke":       {"another cluster", nil, spoke, "red", api.MemberSecrets{}, false},
		"Moved":       {"a cluster becomes the hub", member("x", spoke, "red", none), gitops.HubServer, "red", api.MemberSecrets{}, true},
		"Given":       {"the hub is given to a project", member("x", gitops.HubServer, "", none), gitops.HubServer, "red", api.MemberSecrets{}, true},
		"Kept":        {"what an operator wrote stays so", member("x", gitops.HubServer, "red", none), gitops.HubServer, "red", api.MemberSecrets{}, false},
		"KeptToken":   {"with its credentials", member("x", gitops.HubServer, "red", token), gitops.HubServer, "red", api.MemberSecrets{}, false},
		"TokenGone":   {"not without them", member("x", gitops.HubServer, "red", token), gitops.HubServer, "red", api.MemberSecrets{BearerToken: &gone}, true},
		"Unreadable":  {"nor where nobody can read them", member("x", gitops.HubServer, "red", "{"), gitops.HubServer, "red", api.MemberSecrets{}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want := &api.MemberWish{MemberFields: api.MemberFields{Name: "x", Server: tc.server, Project: tc.project}, Secrets: tc.secrets}
			c := &Clusters{Writer: &Writer{Namespace: "argocd"}}
			_, err := c.fitting(tc.before, want)
			var unfit *api.Unfit
			refused := errors.As(err, &unfit) && strings.Contains(unfit.Error(), "server: it is the hub's own address")
			if refused != tc.refused || !refused && err != nil {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

package estate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestAddressesAreNoPatterns has addresses that would be patterns in a project.
func TestAddressesAreNoPatterns(t *testing.T) {
	for server, want := range map[string]string{
		"https://*": "server: the address has the sign * of patterns", "https://{a,b}": "the sign { of patterns", "https://a/[bc]": "the sign [ of patterns",
		"https://a?": "the sign ? of patterns", "https://[::1]:6443": "", "https://spoke.example.com:6443/k8s/clusters/c-1": "",
	} {
		unfit := &api.Unfit{}
		checkMember(&api.MemberWish{MemberFields: api.MemberFields{Name: "x", Server: server}}, unfit)
		if got := unfit.Error(); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("cluster %s: got %q", server, got)
		}
	}
	for url, want := range map[string]string{
		"https://git.example.com/team/app*": "url: the address has the sign * of patterns", "https://git.example.com/{a,b}": "the sign { of patterns",
		"https://git.example.com/!a": "the sign ! of patterns", "https://[::1]:8443/team/app": "", "git@git.example.com:team/app.git": "", "https://git.example.com/r?id=a": "",
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

// TestProjectsBorrowNothing: a program, or an identity of the engine, is for
// clusters of the installation.
func TestProjectsBorrowNothing(t *testing.T) {
	const spoke, program = "https://spoke.example.com:6443", `{"execProviderConfig":{"command":"kubelogin","apiVersion":"v1","args":["get-token"]},"tlsClientConfig":{"insecure":false}}`
	args := []string{"get-token"}
	cases := map[string]struct {
		reason  string
		before  *corev1.Secret
		server  string
		project string
		command string
		aws     *api.MemberAWS
		args    *[]string
		want    string
	}{
		"Program":   {"it runs on the engine's machine", nil, spoke, "red", "kubelogin", nil, &args, "command: a cluster of a project may not have a program"},
		"Identity":  {"it opens clusters of others", nil, spoke, "red", "", &api.MemberAWS{ClusterName: "victim"}, nil, "aws.clusterName: a cluster of a project may not have the engine's identity"},
		"NoProject": {"who speaks for the installation may", nil, spoke, "", "kubelogin", nil, &args, ""},
		"Kept":      {"what an operator wrote stays so", member("x", spoke, "red", program), spoke, "red", "kubelogin", nil, nil, ""},
		"Args":      {"with other arguments it does something else", member("x", spoke, "red", program), spoke, "red", "kubelogin", nil, &[]string{"x"}, "command: a cluster of a project"},
		"Moved":     {"its token goes to another server", member("x", spoke, "red", program), "https://evil.example.com", "red", "kubelogin", nil, nil, "command: a cluster of a project"},
		"Given":     {"a cluster of the installation is given to a project", member("x", spoke, "", program), spoke, "red", "kubelogin", nil, nil, "command: a cluster of a project"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want := &api.MemberWish{MemberFields: api.MemberFields{Name: "x", Server: tc.server, Project: tc.project, Command: tc.command, AWS: tc.aws}, Secrets: api.MemberSecrets{Args: tc.args}}
			if tc.command != "" {
				want.CommandVersion = "v1"
			}
			c := &Clusters{Writer: &Writer{Namespace: "argocd"}}
			s, err := c.wished(tc.before, want)
			if err != nil {
				t.Fatal(err)
			}
			unfit := &api.Unfit{}
			checkBorrowed(tc.before, s, want, unfit)
			if got := unfit.Error(); !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
				t.Errorf("%s: %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestWhatAProgramIsToldMovesItsSecrets: with other variables it sends what its
// arguments have elsewhere, and the other way round.
func TestWhatAProgramIsToldMovesItsSecrets(t *testing.T) {
	const spoke = "https://spoke.example.com:6443"
	before := member("x", spoke, "", `{"execProviderConfig":{"command":"kubelogin","apiVersion":"v1","args":["--client-secret","hunter2"],"env":{"A":"hunter3"}},"tlsClientConfig":{"insecure":false}}`)
	args, env := []string{"--client-secret", "hunter2"}, map[string]string{"AZURE_AUTHORITY_HOST": "https://evil.example.org"}
	for name, tc := range map[string]struct {
		secrets api.MemberSecrets
		version string
		want    []string
	}{
		"Kept":    {api.MemberSecrets{}, "v1", nil},
		"Env":     {api.MemberSecrets{Env: &env}, "v1", []string{"secrets.args"}},
		"Args":    {api.MemberSecrets{Args: &[]string{"-v"}}, "v1", []string{"secrets.env"}},
		"Version": {api.MemberSecrets{}, "v1beta1", []string{"secrets.args", "secrets.env"}},
		"Both":    {api.MemberSecrets{Args: &args, Env: &env}, "v1", nil},
	} {
		t.Run(name, func(t *testing.T) {
			want := &api.MemberWish{MemberFields: api.MemberFields{Name: "x", Server: spoke, Command: "kubelogin", CommandVersion: tc.version}, Secrets: tc.secrets}
			after, err := (&Clusters{Writer: &Writer{Namespace: "argocd"}}).wished(before, want)
			if err != nil {
				t.Fatal(err)
			}
			unfit := &api.Unfit{}
			checkMemberMoved(before, after, want, unfit)
			var asked []string
			for _, f := range unfit.Fields {
				asked = append(asked, f.Field)
			}
			if slices.Sort(asked); !slices.Equal(asked, tc.want) {
				t.Errorf("asked for %q, want %q", asked, tc.want)
			}
		})
	}
}

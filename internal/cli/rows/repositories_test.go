package rows

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// What applications use is listed as the page has it: a repository once, in
// whatever way its address is written, and charts with the registry they are in.
func TestRepositoriesThatAreUsed(t *testing.T) {
	views := map[string]*Repository{
		"https://git.example.com/shop":   {URL: "https://git.example.com/shop", Type: "git", Secret: "repo-shop"},
		"oci://registry.example.com/all": {URL: "oci://registry.example.com/all", Type: "oci", Secret: "repo-oci"},
	}
	known := placedOf(views)
	for _, url := range []string{"https://git.example.com/shop.git", "https://git.example.com/shop", "oci://registry.example.com/all/web", "https://me:hunter2@git.example.com/other", "https://git.example.com/other.git", "https://hunter2@git.example.com/third", "https://git.example.com/fourth?token=hunter2"} {
		known.use(&v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{RepoURL: url}}})
	}
	apps := map[string]int{}
	for _, view := range views {
		apps[view.URL] = view.Apps
	}
	want := map[string]int{"https://git.example.com/shop": 2, "oci://registry.example.com/all": 1, "https://git.example.com/other": 2, "https://git.example.com/third": 1, "https://git.example.com/fourth": 1}
	if d := cmp.Diff(want, apps); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A Secret may have a token where others have a user, or in a query.
func TestRepositoriesTellNoToken(t *testing.T) {
	for written, want := range map[string]string{
		"https://hunter2@github.com/o/r":         "https://github.com/o/r",
		"https://host/o/r?private_token=hunter2": "https://host/o/r",
		"git@github.com:o/r":                     "git@github.com:o/r",
	} {
		view := repositoryOf(&corev1.Secret{Data: map[string][]byte{"url": []byte(written)}})
		if view.URL != want {
			t.Errorf("%s is shown as %s", written, view.URL)
		}
	}
}

// A Secret opens a repository by whatever it has for that, also by what only Argo CD reads, and by its address.
func TestWhatCountsAsCredentials(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		data   map[string]string
		want   bool
	}{
		"None":        {"an address alone opens nothing", map[string]string{"url": "https://git.example.com/shop"}, false},
		"User":        {"a user of SSH is no secret", map[string]string{"url": "ssh://git@git.example.com/shop"}, false},
		"Username":    {"who signs in has something to sign in with", map[string]string{"username": "ann"}, true},
		"Password":    {"it is one", map[string]string{"password": "hunter2"}, true},
		"Key":         {"a key of SSH", map[string]string{"sshPrivateKey": "hunter2"}, true},
		"Bearer":      {"a token", map[string]string{"bearerToken": "hunter2"}, true},
		"GitHub":      {"the key of an App", map[string]string{"githubAppPrivateKey": "hunter2"}, true},
		"Google":      {"the key of a service account", map[string]string{"gcpServiceAccountKey": "hunter2"}, true},
		"Client":      {"the key of a client's certificate", map[string]string{"tlsClientCertKey": "hunter2"}, true},
		"Certificate": {"a certificate without its key is public", map[string]string{"tlsClientCertData": "public"}, false},
		"Empty":       {"a key without a value is none", map[string]string{"password": ""}, false},
		"Address":     {"a token in the address opens it", map[string]string{"url": "https://hunter2@git.example.com/shop"}, true},
		"Query":       {"so does one behind it", map[string]string{"url": "https://git.example.com/shop?private_token=hunter2"}, true},
		"Blanks":      {"what is around an address is no part of it", map[string]string{"url": " https://git.example.com/shop\n"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			secret := secretOf(v1alpha1.SecretTypeRepository, "repo", tc.data, nil)
			if view := repositoryOf(&secret); view.Credentials != tc.want || strings.Contains(view.URL, "hunter2") {
				t.Errorf("%s: %+v", tc.reason, view)
			}
		})
	}
}

// Charts are in the innermost registry that a Secret describes, as they are read from the nearest mirror.
func TestChartsAreInTheInnermostRegistry(t *testing.T) {
	oci := func(url string) *Repository {
		return &Repository{written: url, URL: url, Type: "oci", Secret: "of-" + url}
	}
	for name, tc := range map[string]struct{ reason, url, want string }{
		"Outer":    {"it is below one alone", "oci://registry.example.com/charts/web", "oci://registry.example.com/charts"},
		"Inner":    {"the longer one is nearer", "oci://registry.example.com/charts/team/web", "oci://registry.example.com/charts/team"},
		"Itself":   {"the registry's own address", "oci://registry.example.com/charts/team", "oci://registry.example.com/charts/team"},
		"Namesake": {"a name is not a folder", "oci://registry.example.com/charts/team-blue", "oci://registry.example.com/charts"},
		"Sibling":  {"nor is the beginning of one", "oci://registry.example.com/charts-old/web", ""},
		"Git":      {"a Git repository holds no others", "https://git.example.com/shop/more", ""},
		"Bare":     {"what Secrets do not describe holds nothing", "oci://used.example.com/all/web", ""},
		"NoPlace":  {"what is no address is nowhere", "https://[", ""},
	} {
		t.Run(name, func(t *testing.T) {
			views := map[string]*Repository{"used": {written: "oci://used.example.com/all", URL: "oci://used.example.com/all", Type: "oci"}}
			for _, v := range []*Repository{
				oci("oci://registry.example.com/charts"), oci("oci://registry.example.com/charts/team"),
				{written: "https://git.example.com/shop", URL: "https://git.example.com/shop", Type: "git", Secret: "repo"},
			} {
				views[v.URL] = v
			}
			got := ""
			if view := placedOf(views).at(tc.url); view != nil {
				got = view.URL
			}
			if got != tc.want {
				t.Errorf("%s: %s is in %q, want %q", tc.reason, tc.url, got, tc.want)
			}
		})
	}
}

// What applications use is told with its kind, and each of them counts once, whichever of its sources are there.
func TestAnApplicationCountsOnce(t *testing.T) {
	views := map[string]*Repository{}
	known := placedOf(views)
	for _, app := range []v1alpha1.Application{
		reading("values", v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/shop", Ref: "values"}, v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/shop.git", Path: "web"},
			v1alpha1.ApplicationSource{RepoURL: "https://charts.example.com", Chart: "shop"}),
		reading("oci", v1alpha1.ApplicationSource{RepoURL: "oci://registry.example.com/shop"}, v1alpha1.ApplicationSource{}),
		reading("again", v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/shop"}),
		reading("nothing"),
	} {
		known.use(&app)
	}
	type told struct {
		Type string
		Apps int
	}
	got := map[string]told{}
	for _, v := range views {
		got[v.URL] = told{v.Type, v.Apps}
	}
	want := map[string]told{"https://git.example.com/shop": {"git", 2}, "https://charts.example.com": {"helm", 1}, "oci://registry.example.com/shop": {"oci", 1}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A hub tells of what Secrets describe and of what applications use, in the order of their addresses; where a template has
// the address of a repository, it is shown, as a server shows it.
func TestRepositoriesOfAHub(t *testing.T) {
	hub := &target.Hub{Namespace: "argocd", Client: &kept{
		secrets: []corev1.Secret{
			secretOf(v1alpha1.SecretTypeRepository, "shop", map[string]string{"url": "https://git.example.com/shop", "project": "red", "password": "hunter2", "name": "Shop"}, map[string]string{"tier": "one"}),
			secretOf(v1alpha1.SecretTypeRepository, "same", map[string]string{"url": "https://git.example.com", "type": "git"}, nil),
			secretOf(v1alpha1.SecretTypeRepoCreds, "all", map[string]string{"url": "https://git.example.com", "project": "blue"}, nil),
			secretOf(v1alpha1.SecretTypeCluster, "prod", map[string]string{"url": "https://prod.example.com"}, nil),
		},
		apps: []v1alpha1.Application{reading("web", v1alpha1.ApplicationSource{RepoURL: "git@git.example.com:other.git"}), reading("shop", v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/shop.git"})},
	}}
	none := []string{"git@git.example.com:other.git git 1 - - - -"}
	for name, tc := range map[string]struct {
		reason string
		query  Query
		want   []string
	}{
		"All":      {"whoever asks for nothing gets all", Query{}, append(none, "https://git.example.com git 0 - - blue all", "https://git.example.com/shop git 1 yes - red shop")},
		"Project":  {"a project's own, and not those of everybody", Query{Projects: []string{"red"}}, []string{"https://git.example.com/shop git 1 yes - red shop"}},
		"Projects": {"of any of several", Query{Projects: []string{"green", "blue"}}, []string{"https://git.example.com git 0 - - blue all"}},
		"Label":    {"labels are of Secrets; what has none is used all the same", Query{Selector: selecting(t, "tier=one")}, append(none, "https://git.example.com/shop git 1 yes - red shop")},
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := Repositories(t.Context(), hub, tc.query)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, row := range rows {
				got = append(got, strings.Join(append(row.Cells, row.Wide...), " "))
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
		})
	}
	away := errors.New("the hub is away")
	if _, err := Repositories(t.Context(), &target.Hub{Client: &kept{err: away}}, Query{}); !errors.Is(err, away) {
		t.Errorf("what cannot be listed is answered with %v", err)
	}
}

// A server tells the same of a repository and a template with one address, whichever it tells first.
func TestRepositoriesOfAServer(t *testing.T) {
	template := api.Repository{ID: "all", RepositoryFields: api.RepositoryFields{URL: "https://git.example.com", Template: true, Type: "helm", Username: "ann"}}
	one := api.Repository{ID: "one", RepositoryFields: api.RepositoryFields{URL: "https://git.example.com", Project: "red"}, Credentials: []string{"password"}}
	bare := api.Repository{ID: "bare", RepositoryFields: api.RepositoryFields{URL: "https://user:hunter2@other.example.com/x"}}
	for name, list := range map[string][]api.Repository{"first": {template, one, bare}, "last": {bare, one, template}} {
		t.Run("the template is "+name, func(t *testing.T) {
			hub := served(t, map[string]any{"GET /api/v1/repositories": list, clitest.AppsRoute: clitest.Applications()})
			rows, err := Repositories(t.Context(), hub, Query{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, row := range rows {
				got = append(got, strings.Join(append(row.Cells, row.Wide...), " "))
			}
			want := []string{"https://git.example.com helm 0 yes - - all", "https://other.example.com/x git 0 - - - bare"}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if _, err := Repositories(t.Context(), hub, Query{Selector: selecting(t, "tier=one")}); err == nil || !strings.Contains(err.Error(), "--selector") {
				t.Errorf("labels, which it does not tell, are answered with %v", err)
			}
			if _, err := Repositories(t.Context(), hub, Query{Selector: labels.Everything()}); err != nil {
				t.Errorf("a selector of all is none: %v", err)
			}
		})
	}
}

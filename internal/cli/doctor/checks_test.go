package doctor

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/rows"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local"
)

func configOf(d *clitest.Desk) *rest.Config {
	return &rest.Config{Host: d.URL, BearerToken: clitest.Token}
}

// TestGitHasToBeNewEnough, and one whose version cannot be told is no failure.
func TestGitHasToBeNewEnough(t *testing.T) {
	cases := map[string]struct{ reason, says, state, fix string }{
		"new":     {"it has all that is asked of it", "git version 2.50.1", fine, ""},
		"least":   {"this is the oldest", "git version 2.32.0", fine, ""},
		"old":     {"an option is missing", "git version 2.31.9 (Apple Git-130)", fail, "install git 2.32 or newer"},
		"older":   {"the first number counts first", "git version 1.99.0", fail, "install git 2.32 or newer"},
		"next":    {"and here", "git version 3.0.0", fine, ""},
		"strange": {"it may do", "git of somebody", warn, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\necho '"+c.says+"'\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir)
			if got := checkGit(t.Context()); got.State != c.state || got.Fix != c.fix || !strings.Contains(got.Detail, c.says) {
				t.Errorf("%s: %+v", c.reason, got)
			}
		})
	}
	t.Setenv("PATH", t.TempDir())
	if got := checkGit(t.Context()); got.State != fail || got.Fix != "install git and put it into PATH" {
		t.Errorf("there is none: %+v", got)
	}
}

// TestFoldersThatCanKeepFleets: one that is not there yet is made in one that is, and nothing is left behind.
func TestFoldersThatCanKeepFleets(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, state := range map[string]string{dir: fine, filepath.Join(dir, "not", "yet"): fine, file: fail, filepath.Join(file, "below"): fail} {
		if got := checkStateDir(path); got.State != state || state == fail && got.Fix != "name another with --state-dir" {
			t.Errorf("%s: %+v", path, got)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("it left %v, %v", left, err)
	}
}

// TestFleetsOfThisMachineAreTold, with how a stopped one goes on.
func TestFleetsOfThisMachineAreTold(t *testing.T) {
	state := t.TempDir()
	for _, name := range []string{"a", "b"} {
		home, err := local.HomeOf(state, name)
		if err != nil {
			t.Fatal(err)
		}
		lock, err := home.Lock()
		if err != nil {
			t.Fatal(err)
		}
		if name == "a" {
			t.Cleanup(func() { _ = lock.Release() })
			continue
		}
		if err := lock.Release(); err != nil {
			t.Fatal(err)
		}
	}
	found := checkFleets(state)
	if len(found) != 2 || found[0].Detail != "running" || !strings.Contains(found[1].Detail, "`causeway up` starts it again") {
		t.Errorf("%+v", found)
	}
}

// TestKindsThatAreMissing are named, with how they are installed.
func TestKindsThatAreMissing(t *testing.T) {
	served := func(kinds ...string) metav1.APIResourceList {
		list := metav1.APIResourceList{GroupVersion: v1alpha1.GroupVersion.String()}
		for _, kind := range kinds {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: strings.ToLower(kind) + "s", Kind: kind})
		}
		return list
	}
	cases := map[string]struct {
		reason string
		answer any
		state  string
		detail string
	}{
		"all":     {"it can begin", served("Application", "ApplicationSet", "AppProject"), fine, "are served"},
		"some":    {"each that is missing", served("Application"), fail, "missing: ApplicationSet, AppProject"},
		"nothing": {"the whole group", clitest.Refusal{Status: http.StatusNotFound}, fail, "argoproj.io/v1alpha1 is not served"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := clitest.NewDesk(t, map[string]any{"GET /apis/argoproj.io/v1alpha1": c.answer})
			got := checkKinds(configOf(d))
			if len(got) != 1 || got[0].State != c.state || !strings.Contains(got[0].Detail, c.detail) || c.state == fail && !strings.Contains(got[0].Fix, "--install-crds") {
				t.Errorf("%s: %+v", c.reason, got)
			}
		})
	}
}

// TestRightsThatAreMissing are named: a hub that does not tell is no failure.
func TestRightsThatAreMissing(t *testing.T) {
	review := func(allowed bool) authorizationv1.SelfSubjectAccessReview {
		return authorizationv1.SelfSubjectAccessReview{
			TypeMeta: metav1.TypeMeta{APIVersion: authorizationv1.SchemeGroupVersion.String(), Kind: "SelfSubjectAccessReview"}, Status: authorizationv1.SubjectAccessReviewStatus{Allowed: allowed},
		}
	}
	cases := map[string]struct {
		reason string
		answer any
		state  string
		detail string
	}{
		"all":    {"it may", review(true), fine, "this account may do what the engine needs in namespace argocd"},
		"none":   {"what it may not", review(false), fail, "not allowed in namespace argocd: list applications, watch applications, patch applications, list applicationsets"},
		"silent": {"nobody can tell", clitest.Refusal{Status: http.StatusForbidden, Detail: "no"}, warn, "cannot ask: "},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := clitest.NewDesk(t, map[string]any{"POST /apis/" + authorizationv1.SchemeGroupVersion.String() + "/selfsubjectaccessreviews": c.answer})
			got := checkAccess(t.Context(), &target.Hub{Config: configOf(d), Namespace: "argocd"})
			if len(got) != 1 || got[0].State != c.state || !strings.HasPrefix(got[0].Detail, c.detail) {
				t.Errorf("%s: %+v", c.reason, got)
			}
		})
	}
}

// TestClustersThatAreNotWell have what to do about it; one that tells no version answers all the same.
func TestClustersThatAreNotWell(t *testing.T) {
	cases := map[string]struct {
		reason string
		answer any
		state  string
		detail string
		fix    string
	}{
		"well":    {"it tells its version", map[string]string{"gitVersion": "v1.36.3"}, fine, "Kubernetes v1.36.3", ""},
		"quiet":   {"the version is not for everybody", clitest.Refusal{Status: http.StatusForbidden}, fine, "https://dev answers", ""},
		"refuses": {"the credentials are old", clitest.Refusal{Status: http.StatusUnauthorized}, fail, "https://dev refuses the credentials", "renew data.config of Secret s-dev"},
		"broken":  {"it cannot be used", clitest.Refusal{Status: http.StatusInternalServerError}, fail, "https://dev: ", "check that it runs, and data.server of Secret s-dev"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := clitest.NewDesk(t, map[string]any{"GET /version": c.answer})
			got := checkCluster(t.Context(), &target.Spoke{Cluster: gitops.Cluster{Name: "dev", Server: "https://dev", Secret: "s-dev"}, Config: configOf(d)})
			if got.State != c.state || !strings.Contains(got.Detail, c.detail) || got.Fix != c.fix {
				t.Errorf("%s: %+v", c.reason, got)
			}
		})
	}
	same := []target.Spoke{{Cluster: gitops.Cluster{Name: "a", Server: "https://x", Secret: "s-1"}}, {Cluster: gitops.Cluster{Name: "a", Server: "https://y", Secret: "s-2"}}}
	if got := checkClashes(same); len(got) != 1 || got[0].State != fail || !strings.Contains(got[0].Detail, "s-1, s-2") || !strings.HasSuffix(got[0].Fix, "data.name") {
		t.Errorf("two of a name: %+v", got)
	}
}

// TestRepositoriesAreReached as little as tells that somebody is there: any answer does.
func TestRepositoriesAreReached(t *testing.T) {
	d := clitest.NewDesk(t, nil) // refuses who has no token
	folder := t.TempDir()
	cases := map[string]struct {
		reason string
		view   rows.Repository
		state  string
		detail string
	}{
		"answers": {"it may want credentials", rows.Repository{URL: d.URL + "/shop"}, fine, "its host answers"},
		"folder":  {"a file is looked for", rows.Repository{URL: "file://" + folder}, fine, "its host answers"},
		"missing": {"and told of", rows.Repository{URL: "file://" + folder + "/not"}, fail, "no such file"},
		"silent":  {"nobody is there", rows.Repository{URL: "ssh://git@127.0.0.1:1/shop"}, fail, "refused"},
		"mirror":  {"nobody is asked", rows.Repository{URL: "https://127.0.0.1:1/shop", Mirror: "mirrors/shop"}, fine, "served from mirrors/shop"},
	}
	for name, c := range cases {
		got := checkRepository(t.Context(), &c.view)
		if got.State != c.state || !strings.Contains(got.Detail, c.detail) || c.state == fail && !strings.Contains(got.Fix, "serve it from a folder with --mirror") {
			t.Errorf("%s: %s: %+v", name, c.reason, got)
		}
	}
}

// TestDoctorWithoutAHub checks what there is, and is no failure for that alone.
func TestDoctorWithoutAHub(t *testing.T) {
	got := clitest.Run(t, New, "-o", "json")
	got.Says(t, "there is no fleet", got.Code, `"check": "hub",`, `"state": "warn"`, `"check": "git"`, `"detail": "1.2.3"`)
	clitest.Run(t, New, "-o", "name").Says(t, "output", command.ExitUsage, "use one of table, wide, json, yaml")
	clitest.Run(t, New, "shop").Says(t, "argument", command.ExitUsage, `cannot take the argument "shop"`)
}

package preview

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// application is one at dev.
func application(name, source string) string {
	return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: " + name + ", namespace: argocd}\nspec:\n  project: default\n" +
		"  source: {" + source + "}\n  destination: {name: dev, namespace: web}\n---\n"
}

// untold are applications and sets that cannot be told without a network.
func untold() map[string]string {
	app := func(name, sources string) string {
		return strings.Replace(application(name, "SOURCE"), "  source: {SOURCE}", "  "+sources, 1)
	}
	own := func(path string) string {
		return "source: {repoURL: '" + clitest.FleetURL + "', targetRevision: HEAD, path: " + path + "}"
	}
	cm := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {key: old}\n"
	set := func(name, generators string) string {
		return "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: " + name + ", namespace: argocd}\nspec:\n  generators: [" + generators + "]\n" +
			"  template:\n    metadata: {name: '{{path.basename}}'}\n    spec: {project: default, " + own("'{{path}}'") + ", destination: {name: dev, namespace: a}}\n"
	}
	foreign := "{git: {repoURL: 'https://git.example.com/acme/other', revision: main, directories: [{path: '*'}]}}"
	return map[string]string{
		"base.yaml": app("base", own("base")), "base/cm.yaml": cm,
		"base/kustomization.yaml": "resources: [cm.yaml, 'https://git.example.com/acme/bases//web?ref=v1']\n",
		"own.yaml":                app("own", own("own")), "own/cm.yaml": cm, "shared/cm.yaml": cm, "shared/kustomization.yaml": "resources: [cm.yaml]\n",
		"own/kustomization.yaml": "resources: ['https://git.example.com/acme/bases//web?ref=v1']\n",
		"umbrella.yaml":          app("umbrella", own("umbrella")), "umbrella/values.yaml": "a: 1\n",
		"umbrella/Chart.yaml": "apiVersion: v2\nname: umbrella\nversion: 1.0.0\ndependencies: [{name: db, version: 1.0.0, repository: 'https://charts.example.com'}]\n",
		"values.yaml":         app("values", "sources: [{repoURL: '"+clitest.FleetURL+"', targetRevision: HEAD, ref: own}, {repoURL: 'https://charts.example.com', chart: db, targetRevision: 1.2.3, helm: {valueFiles: ['$own/values/prod.yaml']}}]"),
		"values/prod.yaml":    "a: 1\n", "values/dev.yaml": "a: 1\n",
		"elsewhere.yaml": strings.Replace(app("elsewhere", own("elsewhere")), "name: dev", "name: nobody", 1), "elsewhere/cm.yaml": cm,
		"plain.yaml": app("plain", own("plain")), "plain/cm.yaml": cm, "plain/kustomization.yaml": "resources: [cm.yaml]\n",
		"foreign.yaml":   set("foreign", foreign),
		"clustered.yaml": set("clustered", "{matrix: {generators: [{clusters: {}}, "+foreign+"]}}"),
		"both.yaml":      set("both", foreign+", {git: {repoURL: '"+clitest.FleetURL+"', revision: HEAD, directories: [{path: 'parts/*'}]}}"), "parts/a/cm.yaml": cm,
	}
}

// TestPreviewOfWhatCannotBeTold: nothing is known of these applications before and
// after the change. That is fine where the change does not touch what is read for
// them, and no answer where it does.
func TestPreviewOfWhatCannotBeTold(t *testing.T) {
	files := untold()
	changed := func(names ...string) map[string]string {
		out := map[string]string{}
		for _, name := range names {
			out[name] = strings.NewReplacer("key: old", "key: new", "a: 1", "a: 2").Replace(files[name])
		}
		return out
	}
	dir := clitest.NewFleet(t)
	clitest.Commit(t, dir, files)
	eachPreview(t, dir, map[string]edited{
		"Nothing":    {"nobody reads it", map[string]string{"README.md": "x\n"}, command.ExitFine},
		"NotRead":    {"of one folder another file is read", changed("values/dev.yaml"), command.ExitFine},
		"Told":       {"what changes can be told", changed("plain/cm.yaml"), command.ExitChanges},
		"Base":       {"a file beside a base that is not here", changed("base/cm.yaml"), command.ExitFailed},
		"Umbrella":   {"values of a chart with one that is not here", changed("umbrella/values.yaml"), command.ExitFailed},
		"ValueFile":  {"a value file for a chart that is not here", changed("values/prod.yaml"), command.ExitFailed},
		"Elsewhere":  {"a file for a cluster that nobody knows", changed("elsewhere/cm.yaml"), command.ExitFailed},
		"Breaks":     {"one that could be told", map[string]string{"plain/kustomization.yaml": files["base/kustomization.yaml"]}, command.ExitFailed},
		"New":        {"another application of a chart that was not here before", map[string]string{"new.yaml": strings.Replace(files["values.yaml"], "name: values", "name: new", 1)}, command.ExitFailed},
		"Mends":      {"one that could not be told", map[string]string{"base/kustomization.yaml": "resources: [cm.yaml]\n"}, command.ExitChanges},
		"OwnBase":    {"a base that is the checkout's", map[string]string{"own/kustomization.yaml": "resources: ['" + clitest.FleetURL + "//shared?ref=main', 'https://git.example.com/acme/bases//web?ref=v1']\n"}, command.ExitFailed},
		"Set":        {"a set that cannot be expanded", map[string]string{"foreign.yaml": strings.Replace(files["foreign.yaml"], "namespace: a", "namespace: b", 1)}, command.ExitFailed},
		"SetFolder":  {"what such a set looks into", map[string]string{"parts/b/cm.yaml": files["parts/a/cm.yaml"]}, command.ExitFailed},
		"Cluster":    {"the clusters that such a set reads", movedCluster(t, dir), command.ExitFailed},
		"Everything": {"also with what can be told", changed("plain/cm.yaml", "base/cm.yaml"), command.ExitFailed},
	})
}

// edited is a commit, and with what the preview of it ends.
type edited struct {
	reason string
	edit   map[string]string
	code   int
}

// eachPreview makes each commit on its own, and looks at it, with flags more.
func eachPreview(t *testing.T, dir string, rows map[string]edited, flags ...string) {
	t.Helper()
	cache := t.TempDir()
	for name, tc := range rows {
		t.Run(name, func(t *testing.T) {
			clitest.Commit(t, dir, tc.edit)
			defer clitest.Git(t, dir, "reset", "-q", "--hard", "HEAD~1")
			got := clitest.Run(t, New, append([]string{
				"--repo", dir, "--base", "HEAD~1", "--head", "HEAD", "--branch", "main", "--clusters", filepath.Join(dir, "clusters"),
				"--no-fetch", "--credentials", "none", "--cache-dir", cache,
			}, flags...)...)
			if got.Code != tc.code {
				t.Errorf("%s: exit %d, want %d: %s%s", tc.reason, got.Code, tc.code, got.Out, got.Errors)
			}
		})
	}
}

// movedCluster is the cluster of a repository with another region.
func movedCluster(t *testing.T, dir string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "clusters/dev.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"clusters/dev.yaml": strings.Replace(string(text), "region: eu", "region: us", 1)}
}

// TestPreviewOfSetsThatAskHosts: no preview can expand them, which makes no pull request fail.
func TestPreviewOfSetsThatAskHosts(t *testing.T) {
	all := untold()
	set := strings.Replace(all["foreign.yaml"], "{git: {repoURL: 'https://git.example.com/acme/other', revision: main, directories: [{path: '*'}]}}", "{scmProvider: {github: {organization: acme}}}", 1)
	dir := clitest.NewFleet(t)
	clitest.Commit(t, dir, map[string]string{"plain.yaml": all["plain.yaml"], "plain/cm.yaml": all["plain/cm.yaml"], "plain/kustomization.yaml": all["plain/kustomization.yaml"], "forge.yaml": set, "foreign.yaml": all["both.yaml"], "parts/a/cm.yaml": all["parts/a/cm.yaml"]})
	eachPreview(t, dir, map[string]edited{
		"Cluster": {"none of them reads the clusters", movedCluster(t, dir), command.ExitChanges},
		"Set":     {"what the set would give is another thing now", map[string]string{"forge.yaml": strings.Replace(set, "namespace: a", "namespace: b", 1)}, command.ExitChanges},
		"NewSet":  {"a set comes that cannot be expanded here", map[string]string{"new.yaml": strings.Replace(set, "name: foreign", "name: new", 1)}, command.ExitFailed},
		"Told":    {"what changes beside it is told", map[string]string{"plain/cm.yaml": strings.Replace(all["plain/cm.yaml"], "key: old", "key: new", 1)}, command.ExitChanges},
	})
}

// TestPreviewOfACheckoutByAnotherAddress: where Applications name none of the addresses of
// the checkout, what they read may be in it, and no change is certain to touch nothing.
func TestPreviewOfACheckoutByAnotherAddress(t *testing.T) {
	dir := clitest.NewFleet(t)
	set, err := os.ReadFile(filepath.Join(dir, "set.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	clitest.Commit(t, dir, map[string]string{"set.yaml": strings.Replace(string(set), clitest.FleetURL, "git@ssh.git.example.com:v3/acme/everything", 1)})
	clitest.Commit(t, dir, map[string]string{"web/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {key: new}\n"})
	flags := []string{"--repo", dir, "--base", "HEAD~1", "--head", "HEAD", "--branch", "main", "--clusters", filepath.Join(dir, "clusters"), "--no-fetch", "--credentials", "none", "--cache-dir", t.TempDir()}
	if got := clitest.Run(t, New, flags...); got.Code != command.ExitFailed {
		t.Errorf("exit %d: %s%s", got.Code, got.Out, got.Errors)
	}
	if got := clitest.Run(t, New, append(flags, "--repo-url", "git@ssh.git.example.com:v3/acme/everything")...); got.Code != command.ExitChanges {
		t.Errorf("by its address: exit %d: %s%s", got.Code, got.Out, got.Errors)
	}
}

// TestPreviewOfBasesThatMove: a tree that no change of the checkout reaches may name a base
// that lies in the checkout, in whatever way its address is spelled. What people and CI
// read of it names no base.
func TestPreviewOfBasesThatMove(t *testing.T) {
	const (
		moving   = "'" + clitest.FleetURL + "//shared?ref=main'"
		spelled  = "https://git.example.com/acme/fl%65et"
		unread   = "'https://git.example.com/acme/bases//web?ref=v1'"
		another  = "https://git.example.com/other/apps"
		cm       = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {key: old}\n"
		unheeded = "transformers: [t.yaml]\nresources: [" + unread + "]\n"
	)
	changed := map[string]string{"shared/cm.yaml": strings.Replace(cm, "old", "new", 1)}
	for name, tc := range map[string]struct {
		reason, repo, revision string
		// path is that of the source, kustomization what stands there, besides what t.yaml.
		path, kustomization, besides string
		code                         int
	}{
		"Tag":        {"the tag stays, and a base of it does not", clitest.FleetURL, "v1", "app", "resources: [" + moving + ", " + unread + "]\n", "", command.ExitFailed},
		"TagSpelled": {"a letter of the address is escaped", clitest.FleetURL, "v1", "app", "resources: ['" + spelled + "//shared?ref=main', " + unread + "]\n", "", command.ExitFailed},
		"TagAlone":   {"what is read at the tag stays", clitest.FleetURL, "v1", "app", "resources: [" + unread + "]\n", "", command.ExitFine},
		"Other":      {"another repository has a base in the checkout", another, "HEAD", "app", "resources: [" + moving + ", " + unread + "]\n", "", command.ExitFailed},
		"OtherFile":  {"a file that nobody follows has it", another, "HEAD", "app", unheeded, "a: " + moving + "\n", command.ExitFailed},
		"OtherAlone": {"no file of the other repository names the checkout", another, "HEAD", "app", unheeded, "a: " + unread + "\n", command.ExitFine},
		"OtherDocs":  {"another repository has a name that begins so", another, "HEAD", "app", unheeded, "a: '" + clitest.FleetURL + "-docs'\n", command.ExitFine},
		"Spelled":    {"the source is the checkout", spelled, "HEAD", "shared", "resources: [" + unread + "]\n", "", command.ExitFailed},
		"Told":       {"the same, and it is told what changes", spelled, "HEAD", "shared", "resources: [cm.yaml]\n", "", command.ExitChanges},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{tc.path + "/kustomization.yaml": tc.kustomization, tc.path + "/t.yaml": tc.besides}
			dir, other := clitest.NewFleet(t), t.TempDir()
			clitest.Git(t, other, "init", "-q", "-b", "main")
			clitest.Commit(t, other, files)
			clitest.Commit(t, other, map[string]string{"README.md": "See " + clitest.FleetURL + "\n", ".github/workflows/test.yml": "run: git clone " + clitest.FleetURL + "\n"})
			files["shared/cm.yaml"], files["known.yaml"] = cm, application("known", "repoURL: '"+clitest.FleetURL+"', path: web")
			files["app.yaml"] = application("app", "repoURL: '"+tc.repo+"', targetRevision: "+tc.revision+", path: "+tc.path)
			clitest.Commit(t, dir, files)
			clitest.Git(t, dir, "tag", "v1")
			eachPreview(t, dir, map[string]edited{"Preview": {tc.reason, changed, tc.code}}, "--mirror", another+"="+other)
		})
	}
}

func TestPreviewOfUncommittedEdits(t *testing.T) {
	dir := clitest.NewFleet(t)
	if got := clitest.Look(t, New, dir, "--base", "HEAD"); got.Code != 0 {
		t.Errorf("without edits the code is %d: %s%s", got.Code, got.Out, got.Errors)
	}
	if err := os.WriteFile(filepath.Join(dir, "web", "cm.yaml"), []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {key: new}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := clitest.Look(t, New, dir, "--base", "HEAD")
	if got.Code != 3 || !strings.Contains(got.Out, "web on dev and prod") {
		t.Errorf("code %d: %s%s", got.Code, got.Out, got.Errors)
	}
}

package preview_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/preview/declared"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// repoURL is how Applications of the tests name the checkout.
const repoURL = "https://git.example.com/acme/fleet"

// checkout is a real repository with the real stages over it.
type checkout struct {
	t       *testing.T
	dir     string
	roster  roster.Roster
	options preview.Options
	offline *offline.Stages
	// config is changed before the first look.
	config offline.Config
}

// newCheckout commits files to a new repository.
func newCheckout(t *testing.T, files treetest.Files) *checkout {
	t.Helper()
	c := emptyCheckout(t)
	c.write(files)
	c.commit()
	return c
}

func emptyCheckout(t *testing.T) *checkout {
	t.Helper()
	c := &checkout{t: t, dir: t.TempDir(), roster: clusters("hub", "dev")}
	c.config = offline.Config{Repo: c.dir, NoFetch: true, CacheDir: t.TempDir()}
	c.git("init", "-q", "-b", "main")
	c.git("remote", "add", "origin", repoURL+".git")
	return c
}

func (c *checkout) git(args ...string) string {
	c.t.Helper()
	return gitIn(c.t, c.dir, args...)
}

func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// write writes files; an empty text removes one.
func (c *checkout) write(files treetest.Files) {
	c.t.Helper()
	writeFiles(c.t, c.dir, files)
}

func writeFiles(t testing.TB, dir string, files treetest.Files) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if text == "" {
			if err := os.Remove(full); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (c *checkout) commit() {
	c.t.Helper()
	c.git("add", "-A")
	c.git("commit", "-q", "--allow-empty", "-m", "a change")
}

// change commits an edit on top.
func (c *checkout) change(files treetest.Files) *checkout {
	c.t.Helper()
	c.write(files)
	c.commit()
	return c
}

func (c *checkout) open() *offline.Stages {
	c.t.Helper()
	if c.offline == nil {
		o, err := offline.Open(c.t.Context(), c.config)
		if err != nil {
			c.t.Fatal(err)
		}
		c.offline = o
		c.t.Cleanup(o.Close)
	}
	return c.offline
}

func (c *checkout) side(revision string, fleet roster.Roster) preview.Side {
	c.t.Helper()
	side, err := c.open().Side(c.t.Context(), revision, fleet, "main")
	if err != nil {
		c.t.Fatal(err)
	}
	return side
}

// preview compares the commit before the last with the last.
func (c *checkout) preview() *forecast.Forecast { return c.compare("HEAD~1", "HEAD") }

func (c *checkout) compare(base, head string) *forecast.Forecast {
	c.t.Helper()
	return c.make(c.side(base, c.roster), c.side(head, c.roster))
}

func (c *checkout) make(base, head preview.Side) *forecast.Forecast {
	c.t.Helper()
	out, err := preview.Make(c.t.Context(), base, head, c.options)
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

func (c *checkout) expand() *preview.State {
	c.t.Helper()
	out, err := preview.Expand(c.t.Context(), c.side("HEAD", c.roster), c.options)
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

func (c *checkout) lint() *preview.Report {
	c.t.Helper()
	out, err := preview.Lint(c.t.Context(), c.side("HEAD", c.roster), c.options)
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

// clusters makes Secrets of names in the form name or name/label=value,…; hub
// is the hub.
func clusters(names ...string) roster.Roster {
	var text strings.Builder
	for _, n := range names {
		name, rest, _ := strings.Cut(n, "/")
		server := "https://" + name + ".example.com"
		if name == "hub" {
			server = gitops.HubServer
		}
		fmt.Fprintf(&text, "---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: %s\n  labels:\n    argocd.argoproj.io/secret-type: cluster\n", name)
		var notes []string
		for pair := range strings.SplitSeq(rest, ",") {
			key, value, ok := strings.Cut(pair, "=")
			if note, is := strings.CutPrefix(key, "@"); is {
				notes = append(notes, fmt.Sprintf("    %s: %q\n", note, value))
			} else if ok {
				fmt.Fprintf(&text, "    %s: %q\n", key, value)
			}
		}
		if len(notes) > 0 {
			text.WriteString("  annotations:\n" + strings.Join(notes, ""))
		}
		fmt.Fprintf(&text, "stringData: {name: %s, server: %q}\n", name, server)
	}
	secrets, err := declared.Secrets("clusters.yaml", []byte(text.String()))
	if err != nil {
		panic(err)
	}
	out, err := roster.FromFiles(secrets, roster.Builtin("1.36.3"))
	if err != nil {
		panic(err)
	}
	return out
}

// application declares an Application of a folder.
func application(name, folder, cluster string) string {
	return fmt.Sprintf(`apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: %s
  namespace: argocd
  finalizers: [resources-finalizer.argocd.argoproj.io]
spec:
  project: default
  source: {repoURL: %s, path: %s, targetRevision: HEAD}
  destination: {name: %s, namespace: %s}
`, name, repoURL, folder, cluster, name)
}

// setOf declares an ApplicationSet for the clusters with a label: web-<cluster>
// of a chart, with a value file for each environment.
func setOf(name, selector string) string {
	return fmt.Sprintf(`apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: %[1]s, namespace: argocd}
spec:
  generators:
    - clusters:
        selector: {matchLabels: {%[2]s}}
  template:
    metadata: {name: '%[1]s-{{name}}'}
    spec:
      project: default
      source:
        repoURL: %[3]s
        path: charts/web
        targetRevision: HEAD
        helm:
          ignoreMissingValueFiles: true
          valueFiles: [../../values/all.yaml, '../../values/{{metadata.labels.env}}.yaml']
          values: 'region: "{{metadata.annotations.region}}"'
      destination: {name: '{{name}}', namespace: %[1]s}
`, name, selector, repoURL)
}

// web is a small chart with its value files.
func web() treetest.Files {
	return treetest.Files{
		"charts/web/Chart.yaml":  "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"charts/web/values.yaml": "replicas: 1\ntag: \"1\"\nregion: none\n",
		"charts/web/templates/deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "example.com/web:{{ .Values.tag }}", env: [{name: REGION, value: {{ .Values.region | quote }}}]}]
`,
		"values/all.yaml":  "replicas: 2\n",
		"values/prod.yaml": "replicas: 3\n",
		"values/dev.yaml":  "replicas: 1\n",
	}
}

func with(files treetest.Files, more treetest.Files) treetest.Files {
	for k, v := range more {
		files[k] = v
	}
	return files
}

// configMap is a manifest.
func configMap(name, value string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {key: %q}\n", name, value)
}

// appNames of a state, with what tells them apart.
func appNames(s *preview.State) []string {
	out := []string{}
	for _, a := range s.Applications() {
		name := a.Name
		if a.ID.Of != "" {
			name += " of " + a.ID.Of
		}
		out = append(out, name)
	}
	return out
}

// told is what a forecast says of its groups, a line each.
func told(f *forecast.Forecast) []string {
	out := []string{}
	for _, g := range f.Groups {
		var line strings.Builder
		fmt.Fprintf(&line, "%s %s", g.Change, g.Title)
		for _, o := range g.Objects {
			fmt.Fprintf(&line, "; %s %s/%s", o.Change, o.Kind, o.Name)
			for _, d := range o.Fields {
				fmt.Fprintf(&line, " %s: %v → %v", d.Path, d.Old, d.New)
			}
		}
		out = append(out, line.String())
	}
	return out
}

func causes(f *forecast.Forecast) []string {
	out := []string{}
	for _, g := range f.Groups {
		for _, c := range g.Causes {
			out = append(out, strings.TrimSuffix(fmt.Sprintf("%s %s %s:%d", c.Kind, c.What, c.File, c.Line), " :0"))
		}
	}
	return out
}

// findings in short: reason, place, clusters.
func findings(all []forecast.Finding) []string {
	out := []string{}
	for _, f := range all {
		line := fmt.Sprintf("%s %s:%d", f.Reason, f.File, f.Line)
		if len(f.Clusters) > 0 {
			line += " on " + strings.Join(f.Clusters, ", ")
		}
		out = append(out, line)
	}
	return out
}

func messages(all []forecast.Finding) string {
	var out []string
	for _, f := range all {
		out = append(out, f.Reason+" "+f.Message)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

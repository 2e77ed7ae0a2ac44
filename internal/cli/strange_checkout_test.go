package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/host/hosttest"
	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/source"
)

const machineSecret = "c4n4ry-of-the-machine"

// stranger is somebody else's checkout beside the home of who looks at it.
type stranger struct {
	t         *testing.T
	dir, home string
}

const fleetOfOne = "apiVersion: causeway.io/v1alpha1\nkind: LocalFleet\nmetadata: {name: f}\nspec:\n  clusters: [{name: dev, hub: true}]\n"

func newStranger(t *testing.T) *stranger {
	t.Helper()
	top := t.TempDir()
	s := &stranger{t, filepath.Join(top, "checkout"), filepath.Join(top, "home")}
	s.write(s.home, map[string]string{"token": machineSecret + "\n", "kept/token": machineSecret + "\n"})
	s.write(s.dir, map[string]string{"causeway.yaml": fleetOfOne, "charts/README.md": "x"})
	s.git(s.dir, "init", "-q", "-b", "main")
	s.git(s.dir, "remote", "add", "origin", offlineURL)
	s.save()
	return s
}

func (s *stranger) write(dir string, files map[string]string) {
	s.t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o600)); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *stranger) link(to, name string) {
	s.t.Helper()
	if err := os.Symlink(to, name); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stranger) git(dir string, args ...string) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("git %v: %v %s", args, err, out)
	}
}

func (s *stranger) save() {
	s.t.Helper()
	s.git(s.dir, "add", "-A")
	s.git(s.dir, "commit", "-q", "-m", "change")
}

// TestMirrorsOfAFleetFile: a file of the checkout gives folders of the checkout
// alone; what the person names, and what is the person's own file, counts.
func TestMirrorsOfAFleetFile(t *testing.T) {
	tests := map[string]struct {
		reason, folder string
		// clusters and repo are in the folder above both; the checkout's own when empty.
		clusters, repo string
		links          map[string]string
		flag, refused  bool
		taken, part    string
	}{
		"Folder":     {reason: "a folder of the checkout", folder: "charts", taken: "checkout/charts", part: "charts"},
		"Itself":     {reason: "the checkout", folder: ".", taken: "checkout", part: "."},
		"Link":       {reason: "a link that stays in it", folder: "link", links: map[string]string{"checkout/link": "charts"}, taken: "checkout/link", part: "link"},
		"Outside":    {reason: "a folder of the machine", folder: "../home", refused: true},
		"Root":       {reason: "all of the machine", folder: "../../../../../../../../..", refused: true},
		"LinkOut":    {reason: "a link to a folder of the machine", folder: "link", links: map[string]string{"checkout/link": "../home"}, refused: true},
		"BelowLink":  {reason: "a folder below such a link", folder: "link/kept", links: map[string]string{"checkout/link": "../home"}, refused: true},
		"Git":        {reason: "the checkout's own credentials", folder: ".git", refused: true},
		"GitAsFiles": {reason: "the same, as files", folder: ".git?worktree", refused: true},
		"GitByLink":  {reason: "the same, by a link", folder: "link?worktree", links: map[string]string{"checkout/link": ".git"}, refused: true},
		"State":      {reason: "the credentials of a local fleet", folder: ".causeway/f", refused: true},
		"Alias":      {reason: "all of it by another name", folder: "charts", clusters: "link/causeway.yaml", repo: "link", links: map[string]string{"link": "checkout"}, taken: "link/charts", part: "charts"},
		"AliasTop":   {reason: "all of it by another name", folder: ".", clusters: "link/causeway.yaml", repo: "link", links: map[string]string{"link": "checkout"}, taken: "link", part: "."},
		"Flag":       {reason: "the person says where it is", folder: "../home", flag: true, taken: "home"},
		"FlagFirst":  {reason: "the person's word is before the file's", folder: "charts", flag: true, taken: "home"},
		"Own":        {reason: "a file of the person's own", folder: "../home", clusters: "home/fleet.yaml", taken: "home"},
		"OwnIsLink":  {reason: "a link to the file of the checkout", folder: "../home", clusters: "home/link", links: map[string]string{"home/link": "../checkout/causeway.yaml"}, refused: true},
		"OtherName":  {reason: "the checkout by another name", folder: "../home", repo: "link", links: map[string]string{"link": "checkout"}, refused: true},
		"FileOut":    {reason: "a file of the checkout that is a link to one elsewhere", folder: "../home", clusters: "checkout/link", links: map[string]string{"checkout/link": "../home/fleet.yaml"}, refused: true},
		"Embedded":   {reason: "a repository that lies in the checkout as files", folder: "../home", repo: "checkout/bare", refused: true},
		"OwnToLink":  {reason: "the person's own file, and a link of the checkout", folder: "../checkout/link", clusters: "home/fleet.yaml", links: map[string]string{"checkout/link": "../home"}, refused: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := newStranger(t)
			top := filepath.Dir(s.dir)
			fleet := fleetOfOne + "  mirrors: {'https://m.example.com': '" + tc.folder + "'}\n"
			s.write(s.dir, map[string]string{"causeway.yaml": fleet, "bare/HEAD": "x", "bare/refs/x": "x", "bare/objects/x": "x", ".causeway/f/kubeconfig": "x"})
			s.write(s.home, map[string]string{"fleet.yaml": fleet})
			for name, to := range tc.links {
				s.link(to, filepath.Join(top, name))
			}
			o := &offlineFlags{global: &global{}, repo: s.dir, clusters: filepath.Join(s.dir, "causeway.yaml")}
			if tc.clusters != "" {
				o.clusters = filepath.Join(top, tc.clusters)
			}
			if tc.repo != "" {
				o.repo = filepath.Join(top, tc.repo)
			}
			cfg := &offline.Config{RepoURLs: map[string]string{}}
			if tc.flag {
				cfg.Mirrors = []source.Mirror{{URL: "https://m.example.com/", Path: s.home}}
			}
			err := o.fleetFile(cfg)
			if tc.refused {
				if err == nil || len(cfg.Mirrors)+len(cfg.RepoURLs) > 0 {
					t.Errorf("%s: %v %v %v", tc.reason, cfg.Mirrors, cfg.RepoURLs, err)
				}
				return
			}
			if err != nil || len(cfg.Mirrors) != 1 || cfg.Mirrors[0].Path != filepath.Join(top, tc.taken) {
				t.Errorf("%s: %v %v", tc.reason, cfg.Mirrors, err)
			}
			if got := cfg.RepoURLs["https://m.example.com"]; got != tc.part {
				t.Errorf("%s: it is %q of the checkout", tc.reason, got)
			}
		})
	}
}

// TestACheckoutShowsNothingOfTheMachine: whatever addresses a checkout names,
// a preview of it has no file from outside of it, and no credential in it.
func TestACheckoutShowsNothingOfTheMachine(t *testing.T) {
	values := func(repo, file string) map[string]string {
		return map[string]string{
			"chart/Chart.yaml":        "apiVersion: v2\nname: c\nversion: 1.0.0\n",
			"chart/templates/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {it: {{ .Values.t | quote }}}\n",
			"app.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\nspec:\n  project: default\n" +
				"  destination: {name: dev, namespace: web}\n  sources:\n  - {repoURL: '" + repo + "', targetRevision: HEAD, ref: m}\n" +
				"  - repoURL: " + offlineURL + "\n    path: chart\n    targetRevision: HEAD\n    helm: {fileParameters: [{name: t, path: $m/" + file + "}]}\n",
		}
	}
	tests := map[string]struct {
		reason string
		repo   func(s *stranger) string
		mirror string
		file   string
		says   string
	}{
		"Mirror": {"a folder of the machine as a mirror", func(*stranger) string { return "https://m.example.com" }, "../home", "token", "--mirror"},
		"Link":   {"a link below a mirror", func(*stranger) string { return "https://m.example.com/out" }, ".", "token", "--mirror"},
		"State":  {"the state of a local fleet below a mirror", func(*stranger) string { return "https://m.example.com/.causeway/f" }, ".", "kubeconfig", "--mirror"},
		"Git":    {"what Git keeps, below a mirror of files", func(*stranger) string { return "https://m.example.com/kept" }, ".?worktree", "credentials", "--mirror"},
		"Folder": {"a repository of the machine by its path", func(s *stranger) string { return "file://" + s.home }, ".", "token", "--mirror"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := newStranger(t)
			s.git(s.home, "init", "-q", "-b", "main")
			s.git(s.home, "add", "-A")
			s.git(s.home, "commit", "-q", "-m", "mine")
			s.link("../home", filepath.Join(s.dir, "out"))
			s.link(".git", filepath.Join(s.dir, "kept"))
			s.write(s.dir, values(tc.repo(s), tc.file))
			s.write(s.dir, map[string]string{"causeway.yaml": fleetOfOne + "  mirrors: {'https://m.example.com': '" + tc.mirror + "'}\n", ".gitignore": ".causeway\n"})
			s.save()
			s.write(s.dir, map[string]string{".causeway/f/kubeconfig": machineSecret, ".git/credentials": machineSecret})
			got := command(t, "preview", "--repo", s.dir, "--base", "HEAD~1", "--clusters", filepath.Join(s.dir, "causeway.yaml"), "-o", "yaml",
				"--credentials", "none", "--no-fetch", "--cache-dir", t.TempDir())
			if all := got.out + got.errors; strings.Contains(all, machineSecret) || !strings.Contains(all, tc.says) || got.code != exitFailed {
				t.Errorf("%s: exit %d: %s", tc.reason, got.code, all)
			}
		})
	}
}

// TestFilesThatFlagsName: in a checkout they are regular files of it, and what
// a link leads to is neither read nor told.
func TestFilesThatFlagsName(t *testing.T) {
	s := newStranger(t)
	s.write(s.home, map[string]string{"app.yaml": machineSecret + "\n", "mirror/mirror.lock.yaml": "version: 1\n"})
	s.write(s.dir, map[string]string{".git/token": machineSecret, "app.yaml": plantedApplication("web", "repoURL: '"+offlineURL+"', path: web")})
	if err := os.Mkdir(filepath.Join(s.dir, "plugins"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"out.yaml": "../home/token", "folder": "../home", "device": "/dev/zero", "git.md": ".git/token", "environ.md": "/proc/self/environ", "plugins/out.yaml": "../../home/token"} {
		s.link(to, filepath.Join(s.dir, name))
	}
	lint := []string{"lint", "--repo", s.dir, "--no-fetch", "--credentials", "none", "--cache-dir", t.TempDir()}
	preview := append([]string{"preview", "--base", "HEAD"}, lint[1:]...)
	k := talks[hostGitHub](t)
	job(t, k.URL, jobs[hostGitHub], map[string]string{variableCommentToken: machineSecret})
	at := func(name string) string { return filepath.Join(s.dir, name) }
	apps := []string{"get", "apps", "--server", "https://causeway.example.com"}
	boot := []string{"bootstrap", "--repo", offlineURL, "--dry-run", "--kubeconfig", file(t, "kubeconfig", "{apiVersion: v1, kind: Config, current-context: a, contexts: [{name: a, context: {cluster: a}}], clusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'}}]}")}
	tests := map[string]struct {
		reason string
		args   []string
	}{
		"Clusters":       {"a file of clusters", append(lint, "--clusters", at("out.yaml"))},
		"ClustersFolder": {"a folder of them", append(lint, "--clusters", at("folder"))},
		"ClustersBelow":  {"a file below a link", append(lint, "--clusters", at("folder/token"))},
		"ClustersDevice": {"what never ends", append(lint, "--clusters", at("device"))},
		"Schema":         {"a schema of metadata", append(lint, "--metadata-schema", at("out.yaml"))},
		"SchemaDevice":   {"what never ends", append(lint, "--metadata-schema", at("device"))},
		"Secret":         {"a Secret as it would be", append(preview, "--secret-change", at("out.yaml"))},
		"Mirror":         {"a folder that stands for an address", append(lint, "--mirror", "https://m.example.com="+at("folder"))},
		"MirrorBelow":    {"one below a link", append(lint, "--mirror", "https://m.example.com="+at("folder/kept"))},
		"MirrorDir":      {"a folder of causeway mirror", append(lint, "--mirror-dir", at("folder/mirror"))},
		"To":             {"where causeway mirror writes", []string{"mirror", "--repo", s.dir, "--verify", "--to", at("folder/mirror")}},
		"Render":         {"a file with Applications", []string{"render", "--file", at("folder/app.yaml")}},
		"RenderDevice":   {"what never ends", []string{"render", "--file", at("device")}},
		"DiffMirror":     {"a mirror of a command at the hub", []string{"diff", "web", "--mirror", "https://m.example.com=" + at("folder")}},
		"ImportMirror":   {"one of a takeover", []string{"import", "argocd", "--mirror", "https://m.example.com=" + at("folder/kept")}},
		"WhyMirror":      {"one of a look at values", []string{"why", "web", "--values", "--mirror", "https://m.example.com=" + at("folder")}},
		"Credentials":    {"a repository Secret", append(lint, "--credentials", at("out.yaml"))},
		"CredentialsDir": {"a folder of them", append(lint, "--credentials", at("folder"))},
		"Key":            {"a key of SOPS", append(lint, "--sops-age-key-file", at("out.yaml"))},
		"RenderKey":      {"one of a file's application", []string{"render", "--file", at("app.yaml"), "--sops-age-key-file", at("folder/token")}},
		"Plugins":        {"a folder of plugins", append(lint, "--plugin-dir", at("folder"))},
		"Plugin":         {"one of them", append(lint, "--plugin-dir", at("plugins"))},
		"Comment":        {"what everybody is told", []string{"comment", "--file", at("out.yaml")}},
		"CommentJob":     {"the variables of the job", []string{"comment", "--file", at("environ.md")}},
		"CommentGit":     {"what Git keeps for itself", []string{"comment", "--file", at("git.md")}},
		"CommentDevice":  {"what never ends", []string{"comment", "--file", at("device")}},
		"CommentToken":   {"what the host is sent", []string{"comment", "--file", at("causeway.yaml"), "--token-file", at("out.yaml")}},
		"ServerToken":    {"what a server is sent", append(apps, "--token-file", at("out.yaml"))},
		"ServerDevice":   {"what never ends", append(apps, "--token-file", at("device"))},
		"ServerCA":       {"who vouches for a server", append(apps, "--token-file", filepath.Join(s.home, "token"), "--server-ca", at("out.yaml"))},
		"Values":         {"values of the engine's chart", append(boot, "--values", at("out.yaml"))},
		"Metadata":       {"metadata of the hub", append(boot, "--metadata", at("folder/token"))},
		"Password":       {"what opens the fleet's repository", append(boot, "--repo-password-file", at("git.md"))},
		"Export":         {"an export of the audit", []string{"audit", "verify", "--export", at("out.yaml")}},
		"ExportGit":      {"what Git keeps for itself", []string{"audit", "verify", "--export", at("git.md")}},
		"RenderMirror":   {"a mirror", []string{"render", "--file", at("causeway.yaml"), "--mirror", "https://m.example.com=" + at("folder")}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := command(t, tc.args...)
			if got.code == exitFine || !strings.Contains(got.errors, "a link leads from there to") || strings.Contains(got.out+got.errors, machineSecret[:6]) {
				t.Errorf("%s: exit %d: %s%s", tc.reason, got.code, got.out, got.errors)
			}
		})
	}
	if got := k.all(); len(got) != 1 {
		t.Errorf("there are comments: %q", got)
	}
}

// TestFilesOfThePersonsOwn: what lies in no checkout may be a link or a pipe, and what
// is named as what Git keeps for itself is meant.
func TestFilesOfThePersonsOwn(t *testing.T) {
	s := newStranger(t)
	s.write(s.dir, map[string]string{".git/text.md": "of Git", "text.md": "of the checkout"})
	s.write(s.home, map[string]string{"text.md": "of the person", "key": hosttest.Token})
	s.link("text.md", filepath.Join(s.home, "link.md"))
	s.link("text.md", filepath.Join(s.dir, "link.md"))
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	if _, err := to.WriteString("of a pipe"); err != nil || to.Close() != nil {
		t.Fatal(err)
	}
	k := talks[hostGitHub](t)
	job(t, k.URL, jobs[hostGitHub])
	for name, want := range map[string]string{
		filepath.Join(s.home, "link.md"): "of the person", filepath.Join(s.dir, "link.md"): "of the checkout",
		filepath.Join(s.dir, ".git", "text.md"): "of Git", fmt.Sprintf("/dev/fd/%d", from.Fd()): "of a pipe",
	} {
		got := command(t, "comment", "--file", name, "--token-file", filepath.Join(s.home, "key"))
		if all := k.all(); got.code != exitFine || !strings.HasSuffix(all[len(all)-1], "\n"+want) {
			t.Errorf("%s: exit %d, %q: %s", name, got.code, all, got.errors)
		}
	}
}

// TestNamedFiles: files are read as a whole, or as they come, through links that leave no
// checkout, and from pipes that lie in none.
func TestNamedFiles(t *testing.T) {
	s := newStranger(t)
	s.write(s.home, map[string]string{"text": "of the person"})
	s.write(s.dir, map[string]string{"text": "of the checkout"})
	s.link("text", filepath.Join(s.home, "link"))
	s.link("charts/../text", filepath.Join(s.dir, "link"))
	s.link("../home/text", filepath.Join(s.dir, "out"))
	streamed := func(name string, _ int64) ([]byte, error) {
		f, err := openNamed(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		return io.ReadAll(f)
	}
	for name, read := range map[string]func(string, int64) ([]byte, error){"Whole": readNamed, "Streamed": streamed} {
		t.Run(name, func(t *testing.T) {
			from, to, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = from.Close() }()
			if _, err := to.WriteString("of a pipe"); err != nil || to.Close() != nil {
				t.Fatal(err)
			}
			for path, want := range map[string]string{
				filepath.Join(s.home, "link"): "of the person", filepath.Join(s.dir, "link"): "of the checkout", fmt.Sprintf("/dev/fd/%d", from.Fd()): "of a pipe",
				filepath.Join(s.dir, "out"): "", filepath.Join(s.dir, "charts"): "",
			} {
				if got, err := read(path, 1<<10); string(got) != want || (err == nil) != (want != "") {
					t.Errorf("%s has %q, want %q: %v", path, got, want, err)
				}
			}
		})
	}
}

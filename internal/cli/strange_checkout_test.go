package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/host/hosttest"
)

// TestFilesThatFlagsName: in a checkout they are regular files of it, and what
// a link leads to is neither read nor told.
func TestFilesThatFlagsName(t *testing.T) {
	s := clitest.NewStranger(t)
	s.Write(s.Home, map[string]string{"app.yaml": clitest.MachineSecret + "\n", "mirror/mirror.lock.yaml": "version: 1\n"})
	s.Write(s.Dir, map[string]string{".git/token": clitest.MachineSecret, "app.yaml": plantedApplication("web", "repoURL: '"+offlineURL+"', path: web")})
	if err := os.Mkdir(filepath.Join(s.Dir, "plugins"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"out.yaml": "../home/token", "folder": "../home", "device": "/dev/zero", "git.md": ".git/token", "environ.md": "/proc/self/environ", "plugins/out.yaml": "../../home/token"} {
		s.Link(to, filepath.Join(s.Dir, name))
	}
	lint := []string{"lint", "--repo", s.Dir, "--no-fetch", "--credentials", "none", "--cache-dir", t.TempDir()}
	preview := append([]string{"preview", "--base", "HEAD"}, lint[1:]...)
	k := hosttest.NewServer(t)
	for name, value := range map[string]string{
		"GITEA_ACTIONS": "", "FORGEJO_ACTIONS": "", "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/fleet", "GITHUB_REF": "refs/pull/7/merge",
		"GITHUB_API_URL": k.URL, "CAUSEWAY_COMMENT_TOKEN": clitest.MachineSecret,
	} {
		t.Setenv(name, value)
	}
	at := func(name string) string { return filepath.Join(s.Dir, name) }
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
		"To":             {"where causeway mirror writes", []string{"mirror", "--repo", s.Dir, "--verify", "--to", at("folder/mirror")}},
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
		"ServerCA":       {"who vouches for a server", append(apps, "--token-file", filepath.Join(s.Home, "token"), "--server-ca", at("out.yaml"))},
		"Values":         {"values of the engine's chart", append(boot, "--values", at("out.yaml"))},
		"Metadata":       {"metadata of the hub", append(boot, "--metadata", at("folder/token"))},
		"Password":       {"what opens the fleet's repository", append(boot, "--repo-password-file", at("git.md"))},
		"Export":         {"an export of the audit", []string{"audit", "verify", "--export", at("out.yaml")}},
		"ExportGit":      {"what Git keeps for itself", []string{"audit", "verify", "--export", at("git.md")}},
		"RenderMirror":   {"a mirror", []string{"render", "--file", at("causeway.yaml"), "--mirror", "https://m.example.com=" + at("folder")}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := invoke(t, tc.args...)
			if got.code == command.ExitFine || !strings.Contains(got.errors, "a link leads from there to") || strings.Contains(got.out+got.errors, clitest.MachineSecret[:6]) {
				t.Errorf("%s: exit %d: %s%s", tc.reason, got.code, got.out, got.errors)
			}
		})
	}
	if got := k.Asked(); len(got) > 0 {
		t.Errorf("the host was asked: %q", got)
	}
}

// TestNamedFiles: files are read as a whole, or as they come, through links that leave no
// checkout, and from pipes that lie in none.
func TestNamedFiles(t *testing.T) {
	s := clitest.NewStranger(t)
	s.Write(s.Home, map[string]string{"text": "of the person"})
	s.Write(s.Dir, map[string]string{"text": "of the checkout"})
	s.Link("text", filepath.Join(s.Home, "link"))
	s.Link("charts/../text", filepath.Join(s.Dir, "link"))
	s.Link("../home/text", filepath.Join(s.Dir, "out"))
	streamed := func(name string, _ int64) ([]byte, error) {
		f, err := command.OpenNamed(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		return io.ReadAll(f)
	}
	for name, read := range map[string]func(string, int64) ([]byte, error){"Whole": command.ReadNamed, "Streamed": streamed} {
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
				filepath.Join(s.Home, "link"): "of the person", filepath.Join(s.Dir, "link"): "of the checkout", fmt.Sprintf("/dev/fd/%d", from.Fd()): "of a pipe",
				filepath.Join(s.Dir, "out"): "", filepath.Join(s.Dir, "charts"): "",
			} {
				if got, err := read(path, 1<<10); string(got) != want || (err == nil) != (want != "") {
					t.Errorf("%s has %q, want %q: %v", path, got, want, err)
				}
			}
		})
	}
}

package breakout

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/causeway-gitops/causeway/test/await"
)

// checkout is one that somebody else looks at, on a machine of its own.
type checkout struct {
	t *testing.T
	// dir is the checkout, and home the folder of who looks at it.
	dir, home string
	// trap runs a program, which leaves a file; canary is a file of the machine, with a word that must not be shown.
	trap, ran, canary string
	host              *host
}

const canaryWord = "c4n4ry-of-the-machine"

// fleet is what each checkout declares: one Application of a folder of its own, on one cluster.
func (c *checkout) fleet() map[string]string {
	return map[string]string{
		"app.yaml": `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec: {project: default, source: {repoURL: "` + c.host.repo() + `", path: web, targetRevision: HEAD}, destination: {name: dev, namespace: web}}
`,
		"cluster.yaml": "{apiVersion: v1, kind: Secret, metadata: {name: dev, namespace: argocd, labels: {argocd.argoproj.io/secret-type: cluster}}, stringData: {name: dev, server: \"https://dev.test\"}}\n",
		"web/a.yaml":   harmless,
	}
}

// newCheckout makes one with two commits, and a machine that has credentials: a netrc, a helper, and a file. Its git reads
// github.com at the host.
func newCheckout(t *testing.T) *checkout {
	t.Helper()
	c := &checkout{t: t, dir: filepath.Join(t.TempDir(), "checkout"), home: t.TempDir(), host: newHost(t, "red", "needed")}
	c.trap, c.ran = setTrap(t, c.home)
	c.canary = filepath.Join(c.home, "canary")
	machine := map[string]string{
		c.canary:                                        canaryWord + "\n",
		filepath.Join(c.home, ".netrc"):                 "machine 127.0.0.1 login red password needed\n",
		filepath.Join(c.home, ".gitconfig"):             "[credential]\n\thelper = \"!" + c.trap + "\"\n[url \"" + c.host.URL + "/\"]\n\tinsteadOf = https://github.com/\n",
		filepath.Join(c.home, ".docker", "config.json"): `{"auths": {"127.0.0.1": {"auth": "cmVkOm5lZWRlZA=="}}}`,
	}
	for path, text := range machine {
		if err := place(path, text); err != nil {
			t.Fatal(err)
		}
	}
	git(t, c.home, "init", "-q", "-b", "main", c.dir)
	git(t, c.dir, "remote", "add", "origin", c.host.repo())
	c.write(c.fleet())
	c.save()
	return c
}

func (c *checkout) write(files map[string]string) {
	c.t.Helper()
	for name, text := range files {
		path := filepath.Join(c.dir, name)
		if err := errors.Join(os.RemoveAll(path), place(path, text)); err != nil {
			c.t.Fatal(err)
		}
	}
}

// save commits, with none of the machine's configuration.
func (c *checkout) save() {
	c.t.Helper()
	git(c.t, c.dir, "add", "-A")
	git(c.t, c.dir, "commit", "-q", "--allow-empty", "-m", "change")
}

// looked runs the commands that look at a checkout, and returns all that they print.
func (c *checkout) looked(clusters string) string {
	c.t.Helper()
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	commands := [][]string{
		{"lint", "--repo", c.dir}, {"preview", "--repo", c.dir, "--base", "HEAD~1"}, {"preview", "--repo", c.dir, "--base", "HEAD~1", "-o", "markdown"},
		{"render", "--file", filepath.Join(c.dir, "app.yaml"), "--mirror", c.host.repo() + "=" + c.dir}, {"mirror", "--repo", c.dir, "--to", filepath.Join(c.home, "mirror")},
	}
	var all bytes.Buffer
	for _, args := range commands {
		if clusters != "" && args[0] != "render" {
			args = append(args, "--clusters", clusters)
		}
		cmd := exec.Command(self, args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = c.dir, &all, &all, await.Limit
		cmd.Env = []string{asProgram + "=1", "HOME=" + c.home, "PATH=" + os.Getenv("PATH"), "XDG_CACHE_HOME=" + filepath.Join(c.home, "cache"), "SECRET_OF_THE_JOB=" + canaryWord, "CI=true"}
		if err := cmd.Run(); err != nil {
			all.WriteString(err.Error() + "\n") // that it refuses is no fault
		}
	}
	return all.String()
}

// judge tells what the checkout has done to who looked at it.
func (c *checkout) judge(printed string) []string {
	touches := sprung(c.ran)
	for _, asked := range c.host.take() {
		if strings.Contains(asked, signedIn) {
			touches = append(touches, "a credential of the machine was sent: "+asked)
		}
	}
	if strings.Contains(printed, canaryWord) || strings.Contains(printed, "root:x:0") {
		touches = append(touches, "something of the machine is shown")
	}
	if i := strings.IndexFunc(printed, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
		touches = append(touches, "a control character is printed: "+printed[max(0, i-20):min(len(printed), i+20)])
	}
	return touches
}

// look is an attempt of whose checkout somebody looks at.
type look struct {
	reason string
	files  func(c *checkout) map[string]string
	arm    func(c *checkout)
	// clusters are in a file of this name.
	clusters string
}

// TestCheckouts has somebody look at checkouts of strangers.
func TestCheckouts(t *testing.T) {
	t.Run("Configured", func(t *testing.T) { looked(t, configured()) })
	t.Run("Declared", func(t *testing.T) { looked(t, declared()) })
}

// looked judges what looks at checkouts have done.
func looked(t *testing.T, all map[string]look) {
	for name, l := range all {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t)
			if l.files != nil {
				c.write(l.files(c))
				c.save()
			}
			if l.arm != nil {
				l.arm(c)
			}
			// What git itself did while the checkout was made does not count.
			sprung(c.ran)
			clusters := ""
			if l.clusters != "" {
				clusters = filepath.Join(c.dir, l.clusters)
			}
			printed := c.looked(clusters)
			for _, touch := range c.judge(printed) {
				t.Errorf("lost: %s: %s", l.reason, touch)
			}
			if !strings.Contains(printed, "harmless") && !strings.Contains(strings.ToLower(printed), "error") || strings.Contains(printed, "panic:") {
				t.Errorf("%s: nobody has looked at it: %s", l.reason, printed)
			}
		})
	}
}

// TestCheckoutsAreCaught has the judge see what it must.
func TestCheckoutsAreCaught(t *testing.T) {
	tests := map[string]struct {
		reason string
		touch  func(c *checkout) (printed string)
		want   string
	}{
		"Program": {"a program of the checkout runs", func(c *checkout) string {
			return git(c.t, c.dir, "-c", "alias.x=!"+c.trap+" </dev/null", "x")
		}, "a program ran"},
		"Credential": {"somebody signs in", func(c *checkout) string {
			git(c.t, c.dir, "ls-remote", strings.Replace(c.host.URL, "://", "://red:needed@", 1)+"/red.git")
			return ""
		}, "a credential"},
		"File":    {"a file of the machine is shown", func(*checkout) string { return "x " + canaryWord }, "of the machine is shown"},
		"Control": {"a terminal is told something", func(*checkout) string { return "x \x1b[2J" }, "a control character"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t)
			if got := strings.Join(c.judge(tc.touch(c)), "\n"); !strings.Contains(got, tc.want) {
				t.Errorf("%s, and the judge says %q", tc.reason, got)
			}
		})
	}
}

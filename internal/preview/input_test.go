package preview_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

func asJSON(t *testing.T, f *forecast.Forecast) string {
	t.Helper()
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOddFilesHarmNothing(t *testing.T) {
	sound := treetest.Files{"a.yaml": application("a", "a", "dev"), "a/cm.yaml": configMap("a", "1")}
	declaration := "apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
	cases := map[string]struct {
		reason   string
		files    treetest.Files
		failures string
	}{
		"Broken":   {"YAML that cannot be read and was meant for us is a failure", treetest.Files{"x.yaml": declaration + "metadata: {name: [\n"}, "BrokenYAML"},
		"Types":    {"a declaration of wrong types is a failure", treetest.Files{"x.yaml": declaration + "metadata: {name: x}\nspec: {source: [1]}\n"}, "WrongType"},
		"Other":    {"broken YAML of other tools is no matter", treetest.Files{"x.yaml": "a: [\n", "y.json": "{"}, ""},
		"Binary":   {"a binary file", treetest.Files{"x.yaml": "\x00\x01\x02argoproj.io\xff\xfe", "z.bin": "\x00\xff"}, ""},
		"Latin1":   {"a file that is no UTF-8", treetest.Files{"x.yaml": declaration + "metadata: {name: \xe9\xe8}\nspec: {source: {repoURL: x}}\n"}, "BrokenYAML"},
		"UTF8Mark": {"a byte order mark", treetest.Files{"x.yaml": "\xef\xbb\xbf" + application("b", "b", "dev"), "b/cm.yaml": configMap("b", "1")}, ""},
		"Huge":     {"a huge file holds data", treetest.Files{"x.yaml": "# argoproj.io\ndata: \"" + strings.Repeat("x", 5<<20) + "\"\n"}, ""},
		"Deep":     {"folders far inside one another", treetest.Files{strings.Repeat("d/", 50) + "x.yaml": "a: 1\n"}, ""},
		"Nested":   {"flow collections far inside one another", treetest.Files{"x.yaml": "# argoproj.io\na: " + strings.Repeat("[", 20_000) + "\n"}, ""},
		"Aliases":  {"aliases that would fill the memory", treetest.Files{"x.yaml": "# argoproj.io\na: &a [x,x,x,x,x,x,x,x,x]\n" + bomb() + "\n"}, ""},
		"Empty":    {"empty files", treetest.Files{"x.yaml": "\n", "y.yaml": "---\n---\n"}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t, with(treetest.Files{"a.yaml": sound["a.yaml"], "a/cm.yaml": sound["a/cm.yaml"]}, tc.files))
			f := c.change(treetest.Files{"a/cm.yaml": configMap("a", "2")}).preview()
			if d := cmp.Diff([]string{"changed a on dev; changed ConfigMap/a data.key: 1 → 2"}, told(f)); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
			text := messages(f.Failures)
			if (tc.failures == "") != (text == "") || !strings.Contains(text, tc.failures) || newOnes(f.Failures) > 0 {
				t.Errorf("%s: failures %s", tc.reason, text)
			}
		})
	}
}

// bomb doubles an alias again and again.
func bomb() string {
	var b strings.Builder
	for i := range 25 {
		this, last := string(rune('b'+i)), string(rune('a'+i))
		b.WriteString(this + ": &" + this + " [*" + last + ",*" + last + ",*" + last + ",*" + last + ",*" + last + ",*" + last + "]\n")
	}
	return b.String()
}

func TestLinksHarmNothing(t *testing.T) {
	c := newCheckout(t, treetest.Files{"a.yaml": application("a", "a", "dev"), "a/cm.yaml": configMap("a", "1")})
	for name, target := range map[string]string{"gone.yaml": "nowhere.yaml", "out.yaml": "/etc/passwd", "loop": ".", "again": "a.yaml", "self.yaml": "self.yaml"} {
		if err := os.Symlink(target, filepath.Join(c.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f := c.change(treetest.Files{"a/cm.yaml": configMap("a", "2")}).preview()
	if d := cmp.Diff([]string{"changed a on dev; changed ConfigMap/a data.key: 1 → 2"}, told(f)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if len(f.Failures) > 0 {
		t.Errorf("failures: %s", messages(f.Failures))
	}
}

func TestOddRepositories(t *testing.T) {
	t.Run("Empty", func(t *testing.T) {
		c := emptyCheckout(t)
		c.commit()
		c.commit()
		if f := c.preview(); len(f.Groups)+len(f.Failures)+len(f.Warnings) > 0 {
			t.Errorf("a repository without files has %s", asJSON(t, f))
		}
	})
	t.Run("NoCommits", func(t *testing.T) {
		c := emptyCheckout(t)
		if _, err := c.open().Side(t.Context(), "HEAD", c.roster); err == nil || !strings.Contains(err.Error(), "first commit") {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("UnknownRevision", func(t *testing.T) {
		c := newCheckout(t, treetest.Files{"a.yaml": application("a", "a", "dev")})
		if _, err := c.open().Side(t.Context(), "mian", c.roster); err == nil || !strings.Contains(err.Error(), "main") {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("Detached", func(t *testing.T) {
		c := newCheckout(t, treetest.Files{"a.yaml": application("a", "a", "dev"), "a/cm.yaml": configMap("a", "1")})
		c.change(treetest.Files{"a/cm.yaml": configMap("a", "2")})
		c.git("checkout", "-q", "--detach", "HEAD")
		if d := cmp.Diff([]string{"changed a on dev; changed ConfigMap/a data.key: 1 → 2"}, told(c.preview())); d != "" {
			t.Errorf("-want +got:\n%s", d)
		}
	})
	t.Run("Shallow", func(t *testing.T) {
		full := newCheckout(t, treetest.Files{"a.yaml": application("a", "a", "dev"), "a/cm.yaml": configMap("a", "1")})
		full.change(treetest.Files{"a/cm.yaml": configMap("a", "2")})
		dir := filepath.Join(t.TempDir(), "shallow")
		gitIn(t, full.dir, "clone", "-q", "--depth", "1", "file://"+full.dir, dir)
		o, err := offline.Open(t.Context(), offline.Config{Repo: dir, NoFetch: true})
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		if _, err := o.Side(t.Context(), "HEAD", full.roster); err != nil {
			t.Errorf("what is there can be looked at: %v", err)
		}
		if _, err := o.Side(t.Context(), "HEAD~1", full.roster); err == nil || !strings.Contains(err.Error(), "shallow") {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("NoRepository", func(t *testing.T) {
		if _, err := offline.Open(t.Context(), offline.Config{Repo: t.TempDir(), NoFetch: true}); err == nil || !strings.Contains(err.Error(), "checkout") {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestUncommittedEditsArePreviewed(t *testing.T) {
	c := newCheckout(t, treetest.Files{"a.yaml": application("a", "a", "dev"), "a/cm.yaml": configMap("a", "1")})
	c.write(treetest.Files{"a/cm.yaml": configMap("a", "2"), "a/new.yaml": configMap("new", "1")})
	f := c.compare("HEAD", "")
	if d := cmp.Diff([]string{"changed a on dev; changed ConfigMap/a data.key: 1 → 2; added ConfigMap/new"}, told(f)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

package ci

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/cli"
	"github.com/causeway-gitops/causeway/internal/difference/jq"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/test/leash"
)

// asProgram makes the test binary act as causeway, which is what the shell
// under test runs: always the commands as they are now.
const asProgram = "CAUSEWAY_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	hub.RenderWorker()
	jq.Worker()
	if os.Getenv(asProgram) != "" {
		os.Exit(cli.Main("test"))
	}
	os.Exit(leash.Held(m.Run))
}

// workflow is the part of a GitHub workflow that the tests look at.
type workflow struct {
	On          string            `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Env         map[string]string `yaml:"env"`
	Jobs        map[string]struct {
		Env   map[string]string `yaml:"env"`
		Steps []step            `yaml:"steps"`
	} `yaml:"jobs"`
}

type step struct {
	Name string            `yaml:"name"`
	ID   string            `yaml:"id"`
	If   string            `yaml:"if"`
	Uses string            `yaml:"uses"`
	With map[string]any    `yaml:"with"`
	Env  map[string]string `yaml:"env"`
	Run  string            `yaml:"run"`
}

// pipeline is the part of a GitLab template that the tests look at.
type pipeline struct {
	Preview struct {
		Variables    map[string]string `yaml:"variables"`
		BeforeScript []string          `yaml:"before_script"`
		Script       []string          `yaml:"script"`
	} `yaml:"causeway-preview"`
}

func parse[T any](t *testing.T, name string) T {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := yaml.Unmarshal(content, &out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// scripts are all pieces of shell, by where they stand.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for job, j := range parse[workflow](t, "github/preview.yaml").Jobs {
		for _, s := range j.Steps {
			if s.Run != "" {
				out["github "+job+" "+s.Name] = s.Run
			}
		}
	}
	lab := parse[pipeline](t, "gitlab/preview.yml").Preview
	out["gitlab before_script"] = strings.Join(lab.BeforeScript, "\n")
	out["gitlab script"] = strings.Join(lab.Script, "\n")
	if len(out) < 5 {
		t.Fatalf("only %d scripts were found", len(out))
	}
	return out
}

func TestShellParses(t *testing.T) {
	for where, script := range scripts(t) {
		cmd := exec.Command("bash", "-n")
		cmd.Stdin = strings.NewReader(script)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", where, err, out)
		}
		if strings.Contains(script, "${{") {
			t.Errorf("%s: a value that goes into the shell's text can be a command; hand it over in env", where)
		}
	}
}

var (
	call = regexp.MustCompile(`(?m)(?:^|[\s;&|(])(?:\S*/)?causeway ([a-z](?:[^\n"\\]|"[^"]*"|\\\n)*)`)
	flag = regexp.MustCompile(`(?:^|\s)(--?[a-z][a-z-]*)`)
	// handed are flags that a script hands to its function preview.
	handed = regexp.MustCompile(`(?m)^\s*preview (-.*?) >`)
)

func TestCommandsAndFlagsExist(t *testing.T) {
	found := 0
	for where, script := range scripts(t) {
		for _, m := range call.FindAllStringSubmatch(script, -1) {
			args := strings.Fields(m[1])
			cmd, _, err := cli.Root().Find(args[:1])
			if err != nil || cmd.Name() != args[0] {
				t.Errorf("%s: there is no command %q: %v", where, args[0], err)
				continue
			}
			found++
			for _, f := range flag.FindAllStringSubmatch(m[1], -1) {
				if !has(cmd, f[1]) {
					t.Errorf("%s: causeway %s has no flag %s", where, args[0], f[1])
				}
			}
		}
		for _, m := range handed.FindAllStringSubmatch(script, -1) {
			cmd, _, err := cli.Root().Find([]string{"preview"})
			if f := strings.Fields(m[1])[0]; err != nil || !has(cmd, f) {
				t.Errorf("%s: causeway preview has no flag %s: %v", where, f, err)
			}
		}
	}
	if found < 6 {
		t.Errorf("only %d commands were found", found)
	}
}

func has(cmd *cobra.Command, name string) bool {
	if short, ok := strings.CutPrefix(name, "--"); ok {
		return cmd.Flag(short) != nil
	}
	return cmd.Flags().ShorthandLookup(strings.TrimPrefix(name, "-")) != nil
}

func TestWorkflowIsCareful(t *testing.T) {
	w := parse[workflow](t, "github/preview.yaml")
	if w.On != "pull_request" {
		t.Errorf("it runs on %q: pull_request alone gives foreign branches a token that can only read", w.On)
	}
	if len(w.Permissions) != 2 || w.Permissions["contents"] != "read" || w.Permissions["pull-requests"] != "write" {
		t.Errorf("it has more rights, or others, than it needs: %v", w.Permissions)
	}
	for _, s := range w.Jobs["preview"].Steps {
		switch {
		case strings.HasPrefix(s.Uses, "actions/checkout@"):
			if s.With["persist-credentials"] != false || s.With["fetch-depth"] != 0 {
				t.Errorf("the checkout keeps its token, or lacks the base: %v", s.With)
			}
		case s.Uses != "" && !strings.HasPrefix(s.Uses, "actions/"):
			t.Errorf("%s is nobody's that the host vouches for", s.Uses)
		}
		if holds := strings.Contains(strings.Join(values(s.Env), " "), "token"); holds != (s.Name == "Comment") {
			t.Errorf("step %q: the token is for the comment alone", s.Name)
		}
	}
}

func values(m map[string]string) []string {
	var out []string
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

// TestVariablesAreNotFlags holds that no variable of the files sets a flag by
// its name, but for the folder of the cache.
func TestVariablesAreNotFlags(t *testing.T) {
	w := parse[workflow](t, "github/preview.yaml")
	for _, set := range []map[string]string{w.Env, w.Jobs["preview"].Env, parse[pipeline](t, "gitlab/preview.yml").Preview.Variables} {
		for name := range set {
			if strings.HasPrefix(name, "CAUSEWAY_") && name != "CAUSEWAY_CACHE_DIR" {
				t.Errorf("%s may set a flag", name)
			}
		}
	}
}

// program puts a causeway where the files look for the installed one: in a
// folder of the checkout, or of the job's home.
func program(t *testing.T, dir string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, ".causeway/bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "causeway")); err != nil {
		t.Fatal(err)
	}
}

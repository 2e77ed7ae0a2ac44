package install

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// TestValuesComeInTheOrderOfTheirFlags, as the last one wins: a file that is named again counts again.
func TestValuesComeInTheOrderOfTheirFlags(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir, map[string]string{"b.yaml": "replicas: 1\n", "a.yaml": "replicas: 2\n", "empty.yaml": ""})
	b, a, empty := filepath.Join(dir, "b.yaml"), filepath.Join(dir, "a.yaml"), filepath.Join(dir, "empty.yaml")
	i := &installFlags{values: []string{b, a, empty, b}, set: []string{"x=1", "x=2"}, image: "registry.example.com/causeway", version: "1.2.3"}
	got, err := i.engine("team")
	want := bootstrap.Engine{
		Namespace: "team", Set: []string{"x=1", "x=2"}, Image: "registry.example.com/causeway", Version: "1.2.3",
		Files: []bootstrap.Values{{Name: b, Text: []byte("replicas: 1\n")}, {Name: a, Text: []byte("replicas: 2\n")}, {Name: empty, Text: []byte{}}, {Name: b, Text: []byte("replicas: 1\n")}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestValuesThatCannotBeRead are named by their flag, and so is a file that is larger than any values.
func TestValuesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir, map[string]string{"fine.yaml": "a: b\n", "huge.yaml": strings.Repeat("a", command.LongestInput+1)})
	for name, reason := range map[string]string{"nope.yaml": "it is not there", "huge.yaml": "it is too large", ".": "it is a folder"} {
		file := filepath.Join(dir, name)
		_, err := (&installFlags{values: []string{filepath.Join(dir, "fine.yaml"), file}}).engine("argocd")
		if err == nil || !strings.HasPrefix(err.Error(), "cannot read --values: ") || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: got %v", reason, err)
		}
	}
}

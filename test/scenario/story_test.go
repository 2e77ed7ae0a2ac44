package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/test/await"
	"github.com/causeway-gitops/causeway/test/deviation"
)

const (
	folder = "../../../shared/conformance/sync/cases"
	// gitTest is the address of the Git server in the stories.
	gitTest = "http://git.test/"
)

type object = map[string]any

// story is one case: what is there, what is done, and what Argo CD made of it.
type story struct {
	Name       string            `json:"name"`
	Rule       string            `json:"rule"`
	Topic      string            `json:"topic"`
	Namespaces []string          `json:"namespaces"`
	Absent     []string          `json:"namespacesAbsentAtStart"`
	Settings   map[string]string `json:"argocdCm"`
	Before     []object          `json:"before"`
	App        object            `json:"application"`
	More       []object          `json:"moreApplications"`
	Steps      []step            `json:"steps"`

	dir      string
	names    []string
	expected expectation
	// differs holds where the case is known to come out otherwise.
	differs bool
}

type step struct {
	Number  int      `json:"step"`
	Commit  string   `json:"commit"`
	Refresh *bool    `json:"refreshAfterCommit"`
	Actions []action `json:"actions"`
	Wait    patience `json:"wait"`
}

// patience says what to wait for; times in seconds.
type patience struct {
	Settle   float64 `json:"settle"`
	Timeout  float64 `json:"timeout"`
	Running  bool    `json:"running"`
	Deleting bool    `json:"deleting"`
	NoStatus bool    `json:"noStatus"`
}

// action is what a person does: one of the fields is set.
type action struct {
	Refresh   string  `json:"refresh"`
	Operation object  `json:"operation"`
	Terminate bool    `json:"terminate"`
	Patch     *change `json:"patch"`
	Create    object  `json:"create"`
	Delete    *change `json:"delete"`
	Sleep     float64 `json:"sleep"`
}

type change struct {
	Kind        string `json:"kind"`
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
	Merge       object `json:"merge"`
	Subresource string `json:"subresource"`
}

// expectation is the recorded outcome, step by step.
type expectation struct {
	Varies []string   `json:"varies"`
	Steps  []recorded `json:"steps"`
}

type recorded struct {
	App    object            `json:"application"`
	Others map[string]object `json:"otherApplications"`
	Writes [][]string        `json:"writes"`
	Live   []object          `json:"live"`
	Counts map[string]int    `json:"liveCounts"`
}

// stories reads all cases; gitServer takes the place of the recorded one.
func stories(t *testing.T, gitServer string) []*story {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*", "scenario.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		deviation.Missing(t, "shared/conformance/sync")
	}
	var out []*story
	for _, file := range found {
		s := &story{dir: filepath.Dir(file)}
		if matched, err := filepath.Match(onlyCases(), filepath.Base(s.dir)); err != nil || !matched {
			continue
		}
		read(t, file, gitServer, s)
		read(t, filepath.Join(s.dir, "expected.yaml"), gitTest, &s.expected)
		s.names = s.outside()
		out = append(out, s)
	}
	return out
}

// onlyCases is a pattern of names: CAUSEWAY_SCENARIOS='hook-*' plays some alone.
func onlyCases() string {
	if pattern := os.Getenv("CAUSEWAY_SCENARIOS"); pattern != "" {
		return pattern
	}
	return "*"
}

func read(t *testing.T, file, gitServer string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(string(data), gitTest, gitServer)), into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// owns reports whether an object outside of the story's namespaces is part of it.
func (s *story) owns(name string) bool { return slices.Contains(s.names, name) }

// outside are the names of what the story deals with outside of its namespaces:
// objects without one, and Applications that its own one brings.
func (s *story) outside() []string {
	names := slices.Clone(s.Namespaces)
	for _, step := range s.expected.Steps {
		for _, o := range step.Live {
			if o["namespace"] == nil || o["kind"] == "Application" {
				names = append(names, o["name"].(string))
			}
		}
		for name := range step.Others {
			names = append(names, name)
		}
	}
	for _, o := range manifests(s.dir) {
		u := unstructured.Unstructured{Object: o}
		if u.GetNamespace() == "" || u.GetKind() == "Application" {
			names = append(names, u.GetName())
		}
	}
	return names
}

// settle is how long nothing may change before a step counts as over. The
// recorded times leave room for Argo CD's pauses, which the engine does not make.
func (p patience) settle() time.Duration {
	const (
		recorded = 6
		least    = 2500 * time.Millisecond
	)
	seconds := p.Settle
	if seconds == 0 {
		seconds = recorded
	}
	return max(least, time.Duration(seconds/2*float64(time.Second)))
}

// timeout is used up only by what never becomes stable. What was recorded of it is no measure of this machine.
func (p patience) timeout() time.Duration {
	return max(await.Limit, await.Times(time.Duration(p.Timeout*float64(time.Second))))
}

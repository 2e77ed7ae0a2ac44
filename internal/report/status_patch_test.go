package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

// set is one whose status names so many resources, and has a message if there is one.
func set(count int64, message string) *v1alpha1.ApplicationSet {
	s := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Name: "addons", UID: "uid-1"}}
	s.Status.ResourcesCount = count
	if message != "" {
		s.Status.Conditions = []v1alpha1.ApplicationSetCondition{{Message: message}}
	}
	return s
}

func TestStatusFrom(t *testing.T) {
	const theirs = `{"ofOthers":{"long":9007199254740993}`
	cases := map[string]struct {
		reason      string
		before, now *v1alpha1.ApplicationSet
		live        string // the status that is there
		uid         types.UID
		want        string
	}{
		"first":     {"nothing is there to add to", set(0, ""), set(3, "up"), "", "uid-1", `{"conditions":[{"message":"up","status":"","reason":"","type":""}],"resourcesCount":3}`},
		"changed":   {"what others write stays", set(3, ""), set(4, ""), theirs + `,"resourcesCount":3}`, "uid-1", theirs + `,"resourcesCount":4}`},
		"same":      {"what is the same is not written", set(3, ""), set(3, "up"), `{"resourcesCount":7}`, "uid-1", `{"resourcesCount":7,"conditions":[{"message":"up","status":"","reason":"","type":""}]}`},
		"removed":   {"a field that is gone", set(3, "up"), set(3, ""), theirs + `,"conditions":[],"resourcesCount":3}`, "uid-1", theirs + `,"resourcesCount":3}`},
		"gone":      {"somebody was faster", set(3, "up"), set(4, ""), theirs + `}`, "uid-1", theirs + `,"resourcesCount":4}`},
		"anew":      {"the set is another one of that name", set(3, ""), set(4, ""), `{"resourcesCount":3}`, "uid-2", ""},
		"anewFirst": {"also when it has nothing yet", set(0, ""), set(4, ""), "", "uid-2", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			live := map[string]any{"metadata": map[string]any{"uid": c.uid, "name": "addons"}}
			if c.live != "" {
				live["status"] = json.RawMessage(c.live)
			}
			got, err := patchedStatus(t, StatusFrom(c.before), c.now, live)
			if (err == nil) != (c.want != "") {
				t.Fatalf("%s: error %v", c.reason, err)
			}
			if err == nil && !jsonpatch.Equal(got, []byte(c.want)) {
				t.Errorf("%s: got %s, want %s", c.reason, got, c.want)
			}
		})
	}
}

func patchedStatus(t *testing.T, p client.Patch, now client.Object, live any) ([]byte, error) {
	t.Helper()
	data, err := p.Data(now)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.DecodePatch(data)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(live)
	if err != nil {
		t.Fatal(err)
	}
	out, err := patch.Apply(text)
	if err != nil {
		return nil, err
	}
	var has struct{ Status json.RawMessage }
	err = json.Unmarshal(out, &has)
	return has.Status, err
}

// A status without a word is none yet, whatever the kind.
func TestStatusFromNothing(t *testing.T) {
	ready := []metav1.Condition{{Type: causeway.ConditionReady}}
	for before, now := range map[client.Object]client.Object{
		&v1alpha1.ApplicationSet{}:  set(1, ""),
		&causeway.Cluster{}:         &causeway.Cluster{Status: causeway.ClusterStatus{Conditions: ready}},
		&causeway.ClusterSource{}:   &causeway.ClusterSource{Status: causeway.ClusterSourceStatus{Conditions: ready}},
		&causeway.ClusterMetadata{}: &causeway.ClusterMetadata{Status: causeway.ClusterMetadataStatus{Conditions: ready}},
		&causeway.MetadataSchema{}:  &causeway.MetadataSchema{Status: causeway.MetadataSchemaStatus{Conditions: ready}},
	} {
		if _, err := patchedStatus(t, StatusFrom(before), now, map[string]any{"metadata": map[string]any{}}); err != nil {
			t.Errorf("the first status of a %T cannot be written: %v", before, err)
		}
	}
}

// The status of a set is none of another one's that was made under its name since.
func TestEndWritesToTheSameSet(t *testing.T) {
	w := &writes{}
	s := set(3, "")
	out := newReporter(w, &heard{}, nil).Begin(t.Context(), s)
	s.Status.ResourcesCount = 4
	if _, err := out.EndUnchanged(); err != nil {
		t.Fatal(err)
	}
	want := `[{"op":"test","path":"/metadata/uid","value":"uid-1"},{"op":"add","path":"/status/resourcesCount","value":4}]`
	if diff := cmp.Diff([]string{want}, w.bodies); diff != "" {
		t.Errorf("what is written (-want +got):\n%s", diff)
	}
}

// TestControllersWriteToTheSameObject: each status that has no Outcome goes by StatusFrom.
func TestControllersWriteToTheSameObject(t *testing.T) {
	files, err := filepath.Glob("../controller/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no controllers: %v", err)
	}
	found := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue // what they write is what they ask for
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.Contains(line, "Status().Patch(") && !strings.Contains(line, "Status().Update(") {
				continue
			}
			if found++; !strings.Contains(line, "report.StatusFrom(") {
				t.Errorf("%s may write the status of another object that was made under the name: %s", name, strings.TrimSpace(line))
			}
		}
	}
	if found == 0 {
		t.Error("no status is written")
	}
}

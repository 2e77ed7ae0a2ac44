package observe

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/test/deviation"
)

// healthCases is how many cases were recorded. It only goes up.
const healthCases = 711

// conformance is where the recorded cases are, beside the repository.
const conformance = "../../../shared/conformance/health"

type healthCase struct {
	Name     string            `json:"name"`
	Rule     string            `json:"rule"`
	ArgocdCM map[string]string `json:"argocdCM"`
	Object   map[string]any    `json:"object"`
	Expected struct {
		Status        *string `json:"status"`
		SettingsError string  `json:"settingsError"`
	} `json:"expected"`
}

// TestHealthConformance counts the cases whose status is as recorded. It runs
// without the engine's own check of Applications, which Argo CD has not.
func TestHealthConformance(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(conformance, "*.yaml"))
	if err != nil || len(files) == 0 {
		deviation.Missing(t, "shared/conformance/health")
	}
	tally := deviation.New(t)
	for _, file := range files {
		for _, c := range readCases(t, file) {
			tally.Case(t, c.Name, c.difference())
		}
	}
	tally.End(t, healthCases)
}

// difference is empty when a case agrees.
func (c healthCase) difference() string {
	got, failed := c.assess()
	want := ""
	if c.Expected.Status != nil {
		want = *c.Expected.Status
	}
	if failed == (c.Expected.SettingsError != "") && string(got.Code) == want {
		return ""
	}
	return fmt.Sprintf("%s: got %q %q, settings failed: %t", c.Rule, got.Code, got.Message, failed)
}

func (c healthCase) assess() (h gitops.Health, settingsFailed bool) {
	checks := Standard()
	if _, _, err := checks.Customize(c.ArgocdCM); err != nil {
		return h, true
	}
	h, _ = checks.Health("", &unstructured.Unstructured{Object: c.Object})
	return h, false
}

func readCases(t *testing.T, file string) []healthCase {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []healthCase
	for _, doc := range bytes.Split(data, []byte("\n---\n")) {
		// Not the parser of manifests: to that, y is true.
		var value any
		if err := yamlv3.Unmarshal(doc, &value); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var c healthCase
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if c.Name == "" {
			continue
		}
		out = append(out, c)
	}
	return out
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	var o map[string]any
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: o}
}

const childSpec = `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: child, namespace: argocd}
spec:
  source: {repoURL: https://git.test/a, path: a}
  destination: {name: spoke, namespace: a}
  syncPolicy: {automated: {}}
`

const comparedTo = `
    comparedTo:
      source: {repoURL: https://git.test/a, path: a, targetRevision: ""}
      destination: {name: spoke, namespace: a, server: ""}
`

func TestApplicationHealth(t *testing.T) {
	cases := map[string]struct {
		reason string
		status string
		want   gitops.HealthCode
	}{
		"New": {
			reason: "an application without status has not been looked at",
			want:   gitops.Progressing,
		},
		"Healthy": {
			reason: "a compared, synced child has the health of its status",
			status: "status:\n  health: {status: Healthy}\n  sync:\n    status: Synced" + comparedTo,
			want:   gitops.Healthy,
		},
		"Degraded": {
			reason: "a failed child holds the gate",
			status: "status:\n  health: {status: Degraded}\n  sync:\n    status: Synced" + comparedTo,
			want:   gitops.Degraded,
		},
		"Running": {
			reason: "a running sync may change the health",
			status: "status:\n  operationState: {phase: Running}\n  health: {status: Healthy}\n  sync:\n    status: Synced" + comparedTo,
			want:   gitops.Progressing,
		},
		"OldSpec": {
			reason: "a status that speaks of another source is out of date",
			status: "status:\n  health: {status: Healthy}\n  sync:\n    status: Synced\n    comparedTo: {source: {repoURL: https://git.test/a, path: b}, destination: {name: spoke, namespace: a}}",
			want:   gitops.Progressing,
		},
		"SyncDue": {
			reason: "an automated child that is out of sync is about to be synced",
			status: "status:\n  health: {status: Healthy}\n  sync:\n    status: OutOfSync\n    revision: r2" + comparedTo,
			want:   gitops.Progressing,
		},
		"NoHealth": {
			reason: "a health that there is not opens no gate",
			status: "status:\n  health: {status: Splendid}\n  sync:\n    status: Synced" + comparedTo,
			want:   gitops.HealthUnknown,
		},
		"SyncTried": {
			reason: "a revision that was tried is not tried again",
			status: "status:\n  operationState: {phase: Failed, finishedAt: x, syncResult: {revision: r2}}\n  health: {status: Missing}\n  sync:\n    status: OutOfSync\n    revision: r2" + comparedTo,
			want:   gitops.Missing,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h, err := New().Health("", object(t, childSpec+tc.status))
			if err != nil || h.Code != tc.want {
				t.Errorf("%s: got %s %q, %v; want %s", tc.reason, h.Code, h.Message, err, tc.want)
			}
		})
	}
}

// nestedValue is a mapping in a mapping, and so on: {"a":{"a":…}}.
func nestedValue(depth int, inner any) map[string]any {
	out := map[string]any{"a": inner}
	for range depth {
		out = map[string]any{"a": out}
	}
	return out
}

// TestAlike would not end if a level were compared more than once.
func TestAlike(t *testing.T) {
	type fields = map[string]any
	cases := map[string]struct {
		reason string
		a, b   any
		want   bool
	}{
		"Nothing":     {"nothing is nothing", nil, nil, true},
		"Texts":       {"equal texts", "a", "a", true},
		"OtherText":   {"other texts", "a", "b", false},
		"Absent":      {"an absent field and a zero one", fields{"a": ""}, fields{"b": int64(0)}, true},
		"Something":   {"an absent field and another one", fields{"a": "x"}, fields{}, false},
		"ZeroBelow":   {"a mapping of zeros is one", fields{"a": fields{"b": "", "c": []any{}}}, nil, true},
		"ListOfZeros": {"a list of zeros is none", fields{"a": []any{""}}, fields{}, false},
		"Lists":       {"lists go item by item", []any{"a", fields{"b": ""}}, []any{"a", fields{}}, true},
		"Longer":      {"a longer list is another one", []any{"a"}, []any{"a", ""}, false},
		"Kinds":       {"an empty mapping is no empty text", fields{"a": fields{}}, fields{"a": ""}, false},
		"Nested":      {"equal values of many levels", nestedValue(150, "x"), nestedValue(150, "x"), true},
		"NestedOther": {"values that differ far below", nestedValue(150, "x"), nestedValue(150, "y"), false},
		"NestedZero":  {"nothing, far below", nestedValue(150, ""), fields{}, true},
		"TooDeep":     {"what is nested too deep is not compared", nestedValue(1000, "x"), nestedValue(1000, "x"), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if alike(tc.a, tc.b) != tc.want || alike(tc.b, tc.a) != tc.want {
				t.Errorf("%s: got %t and %t; want %t", tc.reason, alike(tc.a, tc.b), alike(tc.b, tc.a), tc.want)
			}
		})
	}
}

func TestSum(t *testing.T) {
	deploy := gitops.Key{Group: "apps", Kind: "Deployment", Namespace: "a", Name: "d"}
	config := gitops.Key{Kind: "ConfigMap", Namespace: "a", Name: "c"}
	is := func(code gitops.HealthCode) *gitops.Live { return &gitops.Live{Health: gitops.Health{Code: code}} }
	cases := map[string]struct {
		reason string
		items  []Item
		want   gitops.HealthCode
	}{
		"Empty":          {"nothing can be unhealthy", nil, gitops.Healthy},
		"Worst":          {"the worst wins", []Item{{Key: deploy, Live: is(gitops.Progressing)}, {Key: deploy, Live: is(gitops.Degraded)}, {Key: deploy, Live: is(gitops.Healthy)}}, gitops.Degraded},
		"Missing":        {"a missing object of a kind with a check counts", []Item{{Key: deploy}}, gitops.Missing},
		"MissingNoCheck": {"a missing object of a kind without a check does not", []Item{{Key: config}}, gitops.Healthy},
		"Deleting":       {"but its deletion does, while it lasts", []Item{{Key: config, Live: is(gitops.Progressing)}}, gitops.Progressing},
		"Ignored":        {"ignore-healthcheck in the manifest", []Item{{Key: deploy, Ignored: true}}, gitops.Healthy},
		"IgnoredLive": {"ignore-healthcheck on the live object", []Item{{Key: deploy, Live: &gitops.Live{
			Health: gitops.Health{Code: gitops.Degraded}, Annotations: map[string]string{gitops.AnnotationIgnore: "true"},
		}}}, gitops.Healthy},
		"Suspended": {"suspended is worse than healthy", []Item{{Key: deploy, Live: is(gitops.Suspended)}}, gitops.Suspended},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := New().Sum(tc.items); got.Code != tc.want {
				t.Errorf("%s: got %+v; want %s", tc.reason, got, tc.want)
			}
		})
	}
}

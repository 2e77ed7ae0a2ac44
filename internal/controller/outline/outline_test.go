package outline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
)

// empty is a list of so many objects that say nothing.
func empty(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("{},", n), ",") + "]" }

// named is a list of so many objects that are any.
func named(n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(`{"kind":"a","name":"b","health":{}},`, n), ",") + "]"
}

// ordinary is an Application with so many objects, as the engine and Argo CD write them.
func ordinary(objects int) *v1alpha1.Application {
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "shop", Namespace: "argocd", Finalizers: []string{v1alpha1.FinalizerResources}}}
	app.Spec = v1alpha1.ApplicationSpec{
		Project:     "default",
		Source:      &v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/shop", Path: "app", TargetRevision: "HEAD"},
		Destination: v1alpha1.ApplicationDestination{Name: "prod", Namespace: "shop"},
	}
	result := &v1alpha1.SyncOperationResult{Revision: strings.Repeat("a", 40)}
	for i := range objects {
		name := fmt.Sprint("settings-", i)
		app.Status.Resources = append(app.Status.Resources, v1alpha1.ResourceStatus{
			Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: name, Status: v1alpha1.SyncStatusCodeSynced, Health: &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusHealthy},
		})
		result.Resources = append(result.Resources, v1alpha1.ResourceResult{
			Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: name, Status: v1alpha1.ResultCodeSynced, Message: "configmap/" + name + " created", SyncPhase: "Sync",
		})
	}
	app.Status.OperationState = &v1alpha1.OperationState{SyncResult: result}
	return app
}

// decoded is an object as a watch has it.
func decoded[T any](t testing.TB, text string) *T {
	t.Helper()
	o := new(T)
	if err := json.Unmarshal([]byte(text), o); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestRealApplicationsAreWhole(t *testing.T) {
	parameters := ordinary(0)
	parameters.Spec.Source.Helm = &v1alpha1.ApplicationSourceHelm{}
	for i := range 5000 {
		parameters.Spec.Source.Helm.Parameters = append(parameters.Spec.Source.Helm.Parameters, v1alpha1.HelmParameter{Name: fmt.Sprint("p", i), Value: "1"})
	}
	labels := ordinary(0)
	labels.Labels = map[string]string{}
	for i := range 2000 {
		labels.Labels[fmt.Sprint("l", i)] = ""
	}
	for name, app := range map[string]*v1alpha1.Application{"small": ordinary(1), "ordinary": ordinary(200), "as large as is stored": ordinary(5000), "beyond that": ordinary(50_000), "parameters": parameters, "labels": labels} {
		app.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "x"}}
		want := app.DeepCopy()
		want.ManagedFields = nil
		if diff := cmp.Diff(want, Application(app)); diff != "" {
			t.Errorf("%s: it is kept otherwise (-want +got):\n%s", name, diff)
		}
	}
}

// TestOutlines writes objects of some hundred kilobytes that become far more.
func TestOutlines(t *testing.T) {
	const n = 200_000
	const head = `{"metadata":{"name":"a","uid":"u","resourceVersion":"7","finalizers":["f"],"ownerReferences":[{"kind":"ApplicationSet","name":"s","uid":"v"}],"labels":{"l":"1"}%s},` +
		`"spec":{"project":"p","destination":{"name":"c","namespace":"n"},"source":{"repoURL":"r"%s}%s},"status":{"sync":{"status":"Synced"},"health":{"status":"Healthy"}%s}}`
	labels := strings.Builder{}
	for i := range n / 4 {
		fmt.Fprintf(&labels, `"%x":"",`, i)
	}
	for name, tc := range map[string]struct{ reason, metadata, source, spec, status, says string }{
		"Resources":  {"a status that lists nothing", "", "", "", `,"resources":` + empty(n), "200000 entries of status.resources"},
		"Parameters": {"parameters without a name", "", `,"helm":{"parameters":` + empty(n) + `}`, "", "", "200000 entries of spec.source.helm.parameters"},
		"Sources":    {"sources of nothing", "", "", `,"sources":` + empty(n), "", "200000 entries of spec.sources"},
		"History":    {"a history of nothing", "", "", "", `,"history":` + empty(n), "200000 entries of status.history"},
		"Conditions": {"conditions that say nothing", "", "", "", `,"conditions":` + empty(n), "200000 entries of status.conditions"},
		"Results":    {"results of nothing", "", "", "", `,"operationState":{"syncResult":{"resources":` + empty(n) + `}}`, "200000 entries of status.operationState.syncResult.resources"},
		"Labels":     {"labels that say nothing", `,"annotations":{` + strings.TrimSuffix(labels.String(), ",") + "}", "", "", "", "50000 entries of metadata.annotations"},
		"Each part":  {"as much as each part may have, and more", "", `,"helm":{"parameters":` + empty(800) + `}`, "", `,"conditions":` + empty(1000) + `,"resources":` + named(5000), "5000 entries of status.resources"},
		"Many":       {"an object of a few kilobytes, of which there may be thousands", "", "", "", `,"resources":` + empty(5000), "5000 entries of status.resources"},
	} {
		t.Run(name, func(t *testing.T) {
			app := Application(decoded[v1alpha1.Application](t, fmt.Sprintf(head, tc.metadata, tc.source, tc.spec, tc.status)))
			if !strings.Contains(app.Outlined, tc.says) || !strings.HasPrefix(app.Outlined, "Application a takes too much memory: ") {
				t.Errorf("%s: it says %q", tc.reason, app.Outlined)
			}
			if w := bounded.Weigh(app); w.Parts > atLeast {
				t.Errorf("%s: the outline takes %d KiB", tc.reason, w.Parts>>10)
			}
			whole := app.Name == "a" && app.UID == "u" && app.ResourceVersion == "7" && slices.Equal(app.Finalizers, []string{"f"}) && len(app.OwnerReferences) == 1 && app.Labels["l"] == "1" &&
				app.Spec.Project == "p" && app.Spec.Destination.Name == "c" && app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && app.Status.Health.Status == v1alpha1.HealthStatusHealthy
			if !whole {
				t.Errorf("%s: what it is does not stay: %+v", tc.reason, app)
			}
			if again := Application(app); again != app {
				t.Errorf("%s: an outline is outlined again", tc.reason)
			}
		})
	}
}

// TestOutlinesOfSets does the same with a set.
func TestOutlinesOfSets(t *testing.T) {
	for name, tc := range map[string]struct{ spec, status, says string }{
		"Generators": {`"generators":` + empty(200_000), "", "spec.generators"},
		"Elements":   {`"generators":[{"list":{"elements":` + empty(200_000) + `}}]`, "", "spec.generators[0].list.elements"},
		"Resources":  {`"generators":[]`, `"resources":` + empty(200_000), "status.resources"},
	} {
		set := ApplicationSet(decoded[v1alpha1.ApplicationSet](t, `{"metadata":{"name":"s"},"spec":{`+tc.spec+`,"template":{"spec":{"project":"p"}}},"status":{`+tc.status+`}}`))
		if !strings.Contains(set.Outlined, "200000 entries of "+tc.says+" are") || bounded.Weigh(set).Parts > atLeast || set.Spec.Template.Spec.Project != "p" {
			t.Errorf("%s: it is kept as %+v", name, set.Outlined)
		}
	}
}

// TestOutlineNamesObjects keeps what others must not prune.
func TestOutlineNamesObjects(t *testing.T) {
	app := ordinary(3)
	app.Status.Resources = append(app.Status.Resources, make([]v1alpha1.ResourceStatus, 200_000)...)
	if got := Application(app); got.Outlined == "" || Objects(got) == Objects(ordinary(3)) || len(got.Status.Resources) != 3 || cap(got.Status.Resources) > mostListed {
		t.Errorf("it names %d objects: %s", len(got.Status.Resources), got.Outlined)
	}
}

func BenchmarkApplication(b *testing.B) {
	app := ordinary(200)
	for b.Loop() {
		Application(app)
	}
}

func BenchmarkDecode(b *testing.B) {
	text, err := json.Marshal(ordinary(200))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if json.Unmarshal(text, &v1alpha1.Application{}) != nil {
			b.Fatal("it is not read")
		}
	}
}

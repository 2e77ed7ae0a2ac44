package app

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// conditions are the messages of all conditions of a type.
func conditions(app *v1alpha1.Application, kind string) string {
	var out []string
	for _, c := range app.Status.Conditions {
		if c.Type == kind {
			out = append(out, c.Message)
		}
	}
	return strings.Join(out, "\n")
}

func TestWhatMeansNothingIsTold(t *testing.T) {
	const ineffective = v1alpha1.ApplicationConditionIneffectiveOptionWarning
	e := start(t, map[string]string{
		"app/a.yaml": marked("settings", "argocd.argoproj.io/sync-wave: first, argocd.argoproj.io/sync-options: 'Replce=true,Prune=never'"),
		"app/b.yaml": marked("never", "argocd.argoproj.io/hook: PreSinc"),
		"app/c.yaml": marked("other", "argocd.argoproj.io/compare-options: IgnoreExtranous, argocd.argoproj.io/hook-delete-policy: HookSucceded"),
	})
	e.app("app", "app", options("PruneLst=true", "CreateNamespace=yes"))
	e.until("app", "good, telling what has no effect", func(app *v1alpha1.Application) bool {
		return good(app) && containsAll(conditions(app, ineffective), []string{
			`the Application: the sync option "PruneLst"`, `did you mean "PruneLast"?`, `CreateNamespace has no value "yes"`,
			`/settings: the sync wave "first" is not a whole number: wave 0`, `did you mean "Replace"?`, `Prune has no value "never": write one of true, false, confirm`,
			`/never: there is no hook "PreSinc": the object is not applied; did you mean "PreSync"?`,
			`/other: there is no compare option "IgnoreExtranous"`, `did you mean "HookSucceeded"?`,
		})
	})
	if _, err := e.configMap("never"); err == nil {
		t.Error("an object with a hook that there is not was applied")
	}
	for name, annotations := range map[string]string{"a": "argocd.argoproj.io/sync-wave: '1'", "b": preSync, "c": "argocd.argoproj.io/compare-options: IgnoreExtraneous"} {
		e.write("app/"+name+".yaml", marked(map[string]string{"a": "settings", "b": "never", "c": "other"}[name], annotations))
	}
	e.change("app", options("PruneLast=true", "CreateNamespace=true"))
	e.until("app", "good, with nothing to tell", func(app *v1alpha1.Application) bool { return good(app) && conditions(app, ineffective) == "" })
	e.untilVersion("never", "1")
}

// TestListsThatNobodyMeansAreRefused has one line of a file that would be a hundred thousand warnings.
func TestListsThatNobodyMeansAreRefused(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1})
	e.app("app", "app", noRetry)
	e.until("app", "good", good)
	e.write("app/b.yaml", marked("other", "argocd.argoproj.io/sync-options: '"+strings.Repeat("a,", 100_000)+"'"))
	e.says("app", v1alpha1.ApplicationConditionComparisonError, "argocd.argoproj.io/sync-options", "100001 words", "app/b.yaml", "write each word that means something once")
	e.write("app/b.yaml", marked("other", "argocd.argoproj.io/sync-options: Prune=false"))
	e.untilVersion("other", "1")
	e.until("app", "good with less", good)
}

// TestNamesAtTheirLimit deploys by an Application whose name is as long as
// names can be, objects with names that are so, too, and some that are longer.
func TestNamesAtTheirLimit(t *testing.T) {
	const service = "{apiVersion: v1, kind: Service, metadata: {name: NAME}, spec: {ports: [{port: 80}]}}"
	named := func(text string, length int) string {
		return strings.ReplaceAll(text, "NAME", strings.Repeat("n", length))
	}
	e := prepare(t, hubConfig, map[string]string{
		"app/a.yaml":            named("{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME}}", 253),
		"app/b.yaml":            named(service, 63),
		"chart/Chart.yaml":      chartYAML,
		"chart/templates/.keep": "",
	})
	e.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SettingsName}, Data: map[string]string{
		"application.resourceTrackingMethod": string(gitops.TrackByBoth),
	}})
	e.restart()
	long := strings.Repeat("a", 253-len(e.id("")))
	e.app(long, "app", noRetry)
	e.until(long, "good", good)
	o := e.read(schema.GroupVersionKind{Version: "v1", Kind: "Service"}, strings.Repeat("n", 63))
	if id, label := o.GetAnnotations()[gitops.AnnotationTracking], o.GetLabels()[gitops.LabelInstance]; !strings.HasPrefix(id, e.id(long)+":") || len(label) != 63 {
		t.Errorf("the object is tracked as %q and labelled %q", id, label)
	}
	for _, tc := range []struct{ file, text, fix string }{
		{"app/a.yaml", named("{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME}}", 254), named("{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME}}", 253)},
		{"app/b.yaml", named(service, 64), named(service, 63)},
	} {
		e.write(tc.file, tc.text)
		e.until(long, "refused for "+tc.file, complains(v1alpha1.ApplicationConditionSyncError, "metadata.name", tc.file))
		e.hasEvents(e.namespace, e.id(long))
		e.write(tc.file, tc.fix)
		e.until(long, "as it was", func(app *v1alpha1.Application) bool {
			return app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && condition(app, v1alpha1.ApplicationConditionSyncError) == ""
		})
	}
	chart := "c" + long[1:]
	e.app(chart, "chart")
	e.until(chart, "refused for its release's name", complains(v1alpha1.ApplicationConditionComparisonError, "release name", "helm.releaseName"))
	e.change(chart, func(app *v1alpha1.Application) {
		app.Spec.Source.Helm = &v1alpha1.ApplicationSourceHelm{ReleaseName: strings.Repeat("r", 53)}
	})
	e.until(chart, "compared", func(app *v1alpha1.Application) bool { return app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced })
	e.delete(long)
	e.untilDeleted(long)
}

// TestObjectsAtTheirLimit follows one object over the sizes of annotations, of
// what the store takes, and of a request.
func TestObjectsAtTheirLimit(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	e.write("app/a.yaml", e.here(widgetDefinition))
	gvk := schema.GroupVersionKind{Group: e.namespace + ".example.com", Version: "v1", Kind: "Widget"}
	widget := func(letter string, size int) string {
		return e.here("{apiVersion: NAMESPACE.example.com/v1, kind: Widget, metadata: {name: large}, spec: {text: '" + strings.Repeat(letter, size) + "'}}")
	}
	e.write("app/b.yaml", widget("x", 1_400_000))
	e.restart()
	e.app("app", "app", noRetry)
	e.until("app", "good with 1.4 MB", good)
	e.write("app/b.yaml", widget("y", 1_400_000))
	e.until("app", "good with another 1.4 MB", func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.History) == 2 })
	if text := field(e.read(gvk, "large").Object, "spec.text"); len(text) != 1_400_000 || text[0] != 'y' {
		t.Errorf("the object has %d bytes of %q", len(text), text[:1])
	}
	for _, size := range []int{1_700_000, 4_000_000} {
		e.write("app/b.yaml", widget("z", size))
		e.until("app", "refused for its size", complains(v1alpha1.ApplicationConditionSyncError, "Widget", "large", "larger than", "split it", "app/b.yaml"))
		e.write("app/b.yaml", widget("x", size/1000))
		e.until("app", "good with less", good)
	}
}

// TestExpressionsThatFail tells of jq expressions of ignoreDifferences that
// cannot be read, and goes on with those that fail on an object.
func TestExpressionsThatFail(t *testing.T) {
	e := start(t, map[string]string{"bad/a.yaml": configMapV1, "fails/a.yaml": strings.ReplaceAll(configMapV1, "settings", "other")})
	ignoring := func(expression string) func(*v1alpha1.Application) {
		return func(app *v1alpha1.Application) {
			app.Spec.IgnoreDifferences = v1alpha1.IgnoreDifferences{{Kind: "ConfigMap", JQPathExpressions: []string{expression}}}
		}
	}
	e.app("bad", "bad", ignoring(".data["))
	e.until("bad", "refused", complains(v1alpha1.ApplicationConditionComparisonError, `".data["`, "ignoreDifferences", "write a path"))
	if _, err := e.configMap("settings"); err == nil {
		t.Error("it was deployed although nobody knows what it ignores")
	}
	e.change("bad", ignoring(".data.version"))
	e.until("bad", "good with another expression", good)

	e.app("fails", "fails", noSelfHeal, ignoring(`.data.version | error("no")`))
	e.until("fails", "good", good)
	e.edit("other", "kubectl-edit", map[string]string{"version": "by hand"})
	app := e.until("fails", "telling that nothing is ignored", complains(v1alpha1.ApplicationConditionIneffectiveOptionWarning, "/other", "ignoreDifferences fails on it", "it calls error"))
	if app.Status.Sync.Status != v1alpha1.SyncStatusCodeOutOfSync {
		t.Errorf("the application is %s", app.Status.Sync.Status)
	}
	e.change("fails", ignoring(".data.version"))
	e.until("fails", "in sync, with nothing to tell", func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && conditions(app, v1alpha1.ApplicationConditionIneffectiveOptionWarning) == ""
	})
}

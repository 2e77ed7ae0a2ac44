package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// impatient shows at once what a deletion waits for.
func impatient(c *Config) { c.StuckAfter = time.Nanosecond }

func startImpatient(t *testing.T, files map[string]string) *engine {
	t.Helper()
	return start(t, files, impatient)
}

// marked is a ConfigMap with annotations, as in "a: b, c: d".
func marked(name, annotations string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n  annotations: {%s}\ndata: {version: \"1\"}\n", name, annotations)
}

func (e *engine) delete(name string) {
	e.t.Helper()
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: e.id(name)}}
	if err := e.Delete(e.t.Context(), app); err != nil {
		e.t.Fatal(err)
	}
}

// hold puts a finalizer on a ConfigMap, or takes it off.
func (e *engine) hold(name string, finalizers ...string) {
	e.t.Helper()
	cm, err := e.configMap(name)
	if err != nil {
		e.t.Fatal(err)
	}
	before := cm.DeepCopy()
	cm.Finalizers = finalizers
	if err := e.Patch(e.t.Context(), cm, client.MergeFrom(before)); err != nil {
		e.t.Fatal(err)
	}
}

// says waits for a condition that holds words.
func (e *engine) says(name, kind string, words ...string) *v1alpha1.Application {
	e.t.Helper()
	return e.until(name, fmt.Sprintf("saying %q in %s", words, kind), func(app *v1alpha1.Application) bool {
		text := condition(app, kind)
		for _, word := range words {
			if !strings.Contains(text, word) {
				return false
			}
		}
		return text != ""
	})
}

func TestDeletionGoesByWavesAndTellsWhatHoldsIt(t *testing.T) {
	e := startImpatient(t, map[string]string{
		"app/a.yaml": waved("first", "0"), "app/b.yaml": waved("second", "1"), "app/c.yaml": waved("third", "2"),
		"app/d.yaml": marked("kept", "argocd.argoproj.io/sync-options: Delete=false"),
		"app/e.yaml": marked("policy", "helm.sh/resource-policy: keep"),
		"app/f.yaml": marked("unpruned", "argocd.argoproj.io/sync-options: Prune=false"),
	})
	e.app("app", "app")
	e.until("app", "good", good)
	e.hold("second", "example.com/hold")
	e.delete("app")
	app := e.says("app", v1alpha1.ApplicationConditionDeletionError, "/ConfigMap:"+e.namespace+"/second", "example.com/hold", "since 20",
		"kubectl patch configmap second -n "+e.namespace, "causeway delete "+e.id("app")+" --no-cascade")
	if app.Status.Health.Status != v1alpha1.HealthStatusHealthy {
		t.Errorf("a deletion that hangs changed the health to %s", app.Status.Health.Status)
	}
	if first, err := e.configMap("first"); err != nil || first.DeletionTimestamp != nil {
		t.Errorf("the lowest wave did not wait for the one above: %v", err)
	}
	if _, err := e.configMap("third"); !apierrors.IsNotFound(err) {
		t.Errorf("the highest wave is still there: %v", err)
	}
	e.hold("second")
	e.untilDeleted("app")
	for name, stays := range map[string]bool{"first": false, "second": false, "kept": true, "policy": true, "unpruned": false} {
		if _, err := e.configMap(name); (err == nil) != stays {
			t.Errorf("ConfigMap %s: got %v, want it to stay: %t", name, err, stays)
		}
	}
}

func TestDeletionWithoutFinalizerLeavesAll(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1})
	e.app("app", "app", func(app *v1alpha1.Application) { app.Finalizers = nil })
	e.until("app", "good", good)
	e.delete("app")
	e.untilDeleted("app")
	if cm, err := e.configMap("settings"); err != nil || cm.DeletionTimestamp != nil {
		t.Errorf("an object went without a finalizer that asks for it: %v", err)
	}
}

func TestDeletionWaitsForAPersonsWord(t *testing.T) {
	e := startImpatient(t, map[string]string{
		"app/a.yaml": configMapV1, "app/b.yaml": marked("precious", "argocd.argoproj.io/sync-options: Delete=confirm"),
	})
	e.app("app", "app", func(app *v1alpha1.Application) {
		// Words from before the deletion are not about it.
		app.Annotations = map[string]string{v1alpha1.AnnotationDeletionApproved: "2020-01-01T00:00:00Z"}
	})
	app := e.until("app", "good", good)
	if !app.Status.Resources[0].RequiresDeletionConfirmation {
		t.Errorf("the status does not show that %s asks before it is deleted", app.Status.Resources[0].Name)
	}
	e.delete("app")
	e.says("app", v1alpha1.ApplicationConditionDeletionError, "precious", "causeway approve "+e.id("app"))
	for _, name := range []string{"settings", "precious"} {
		if cm, err := e.configMap(name); err != nil || cm.DeletionTimestamp != nil {
			t.Errorf("%s went before anybody confirmed it: %v", name, err)
		}
	}
	e.change("app", func(app *v1alpha1.Application) {
		app.Annotations[v1alpha1.AnnotationDeletionApproved] = app.DeletionTimestamp.UTC().Format(time.RFC3339)
	})
	e.untilDeleted("app")
}

// TestDeletionByTheApplicationsOptions: they hold for each object that does
// not say otherwise itself.
func TestDeletionByTheApplicationsOptions(t *testing.T) {
	const goes = "argocd.argoproj.io/sync-options: Delete=true"
	e := startImpatient(t, map[string]string{
		"keeps/a.yaml": marked("kept", ""), "keeps/b.yaml": marked("gone", goes),
		"asks/a.yaml": marked("asked", ""), "asks/b.yaml": marked("unasked", goes),
	})
	e.app("keeps", "keeps", options("Delete=false"))
	e.app("asks", "asks", options("Delete=confirm"))
	e.until("keeps", "good", good)
	e.until("asks", "good", good)
	e.delete("asks")
	e.says("asks", v1alpha1.ApplicationConditionDeletionError, "/asked", "causeway approve "+e.id("asks"))
	e.delete("keeps")
	e.untilDeleted("keeps")
	for name, stays := range map[string]bool{"kept": true, "gone": false, "asked": true, "unasked": true} {
		if cm, err := e.configMap(name); (err == nil && cm.DeletionTimestamp == nil) != stays {
			t.Errorf("ConfigMap %s: got %v, want it to stay: %t", name, err, stays)
		}
	}
	e.change("asks", func(app *v1alpha1.Application) {
		annotate(app, v1alpha1.AnnotationDeletionApproved, app.DeletionTimestamp.UTC().Format(time.RFC3339))
	})
	e.untilDeleted("asks")
	if _, err := e.configMap("asked"); !apierrors.IsNotFound(err) {
		t.Errorf("what was confirmed is still there: %v", err)
	}
}

// hookJob is a Job that is a hook.
func hookJob(name, annotations, simulate string) string {
	return strings.Replace(job(simulate), "{name: migrate}", "{name: "+name+", annotations: {"+annotations+"}}", 1)
}

func (e *engine) job(name string) (*batchv1.Job, error) {
	job := &batchv1.Job{}
	o := &metav1.PartialObjectMetadata{}
	o.SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind("Job"))
	err := e.Get(e.t.Context(), types.NamespacedName{Namespace: e.namespace, Name: name}, o)
	job.ObjectMeta = o.ObjectMeta
	return job, err
}

func TestHooksOfDeletion(t *testing.T) {
	e := start(t, map[string]string{
		"app/a.yaml": configMapV1,
		"app/b.yaml": hookJob("before", "argocd.argoproj.io/hook: PreDelete", slow),
		"app/c.yaml": hookJob("after", `helm.sh/hook: post-delete, helm.sh/hook-delete-policy: hook-succeeded`, slow),
		"app/d.yaml": hookJob("left", "argocd.argoproj.io/hook: PostDelete", ""),
	})
	e.app("app", "app")
	app := e.until("app", "good", good)
	want := []string{v1alpha1.FinalizerPreDelete, v1alpha1.FinalizerPreDelete + "/cleanup", v1alpha1.FinalizerPostDelete, v1alpha1.FinalizerPostDelete + "/cleanup"}
	for _, f := range want {
		if !strings.Contains(strings.Join(app.Finalizers, " ")+" ", f+" ") {
			t.Errorf("finalizers are %v, without %s", app.Finalizers, f)
		}
	}
	for _, name := range []string{"before", "after"} {
		if _, err := e.job(name); !apierrors.IsNotFound(err) {
			t.Errorf("hook %s of the deletion ran in a sync: %v", name, err)
		}
	}
	cm, err := e.configMap("settings")
	if err != nil {
		t.Fatal(err)
	}
	e.hold("settings", "example.com/hold") // so that the times of both can be compared
	e.delete("app")
	embeddedtest.Eventually(t, func(context.Context) (err error) {
		if cm, err = e.configMap("settings"); err == nil && cm.DeletionTimestamp == nil {
			err = errors.New("not deleted yet")
		}
		return err
	})
	// A Job that is done is deleted in the foreground with the other objects.
	if before, err := e.job("before"); err == nil && before.CreationTimestamp.After(cm.DeletionTimestamp.Time) {
		t.Errorf("the PreDelete hook was made at %s, after the objects were deleted at %s", before.CreationTimestamp, cm.DeletionTimestamp)
	}
	if _, err := e.job("after"); !apierrors.IsNotFound(err) {
		t.Errorf("the PostDelete hook ran before the objects were gone: %v", err)
	}
	e.hold("settings")
	e.untilDeleted("app")
	if _, err := e.job("after"); !apierrors.IsNotFound(err) {
		t.Errorf("HookSucceeded left the hook behind: %v", err)
	}
	if _, err := e.job("left"); err != nil {
		t.Errorf("a PostDelete hook without a policy that deletes it is gone: %v", err)
	}
}

func TestFailedPreDeleteHookKeepsTheObjects(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1, "app/b.yaml": hookJob("before", "argocd.argoproj.io/hook: PreDelete", failing)}, hasty)
	e.app("app", "app")
	e.until("app", "good", good)
	e.delete("app")
	e.says("app", v1alpha1.ApplicationConditionDeletionError, "PreDelete", "before", "--no-hooks")
	if cm, err := e.configMap("settings"); err != nil || cm.DeletionTimestamp != nil {
		t.Errorf("an object went although the PreDelete hook failed: %v", err)
	}
	e.write("app/b.yaml", hookJob("before", "argocd.argoproj.io/hook: PreDelete", ""))
	e.untilDeleted("app")
	if _, err := e.configMap("settings"); !apierrors.IsNotFound(err) {
		t.Errorf("the object is left: %v", err)
	}
}

// TestNarrowedProjectStopsDeletionHooks: a hook that failed is not made anew in a namespace that the
// project has lost since, nor is what bears the application's mark there.
func TestNarrowedProjectStopsDeletionHooks(t *testing.T) {
	blue := "blue-"
	hook := func(simulate string) string {
		return strings.Replace(hookJob("before", "argocd.argoproj.io/hook: PreDelete", simulate), "{name: before, ", "{name: before, namespace: "+blue+", ", 1)
	}
	e := start(t, map[string]string{"app/a.yaml": configMapV1}, hasty)
	blue += e.namespace
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: blue}}
	if err := e.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Delete(context.WithoutCancel(t.Context()), ns) })
	e.write("app/b.yaml", hook(failing))
	permit := func(namespaces ...string) func(*v1alpha1.AppProjectSpec) {
		return func(s *v1alpha1.AppProjectSpec) {
			s.Destinations = nil
			for _, namespace := range namespaces {
				s.Destinations = append(s.Destinations, v1alpha1.ApplicationDestination{Server: "*", Namespace: namespace})
			}
		}
	}
	p := e.project("team", permit(e.namespace, blue))
	e.app("app", "app", in(p.Name))
	e.until("app", "good, with its hook marked", func(app *v1alpha1.Application) bool {
		return good(app) && slices.Contains(app.Finalizers, v1alpha1.FinalizerPreDelete)
	})
	e.delete("app")
	e.says("app", v1alpha1.ApplicationConditionDeletionError, "before", "failed")
	e.amend(p, permit(e.namespace))
	e.says("app", v1alpha1.ApplicationConditionDeletionError, `project "team" does not permit it`, "app/b.yaml:2", "--no-hooks")
	look := func() metav1.PartialObjectMetadata {
		o := metav1.PartialObjectMetadata{}
		o.SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind("Job"))
		if err := e.Get(t.Context(), types.NamespacedName{Namespace: blue, Name: "before"}, &o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	before := look()
	e.write("app/b.yaml", "# mended\n"+hook(""))
	e.says("app", v1alpha1.ApplicationConditionDeletionError, `project "team" does not permit it`, "app/b.yaml:3")
	if after := look(); after.UID != before.UID || after.ResourceVersion != before.ResourceVersion {
		t.Errorf("the hook was made anew: it was %s, and is %s", before.UID, after.UID)
	}
	e.amend(p, permit(e.namespace, blue))
	e.untilDeleted("app")
}

func TestFinalizersOfHooksGoWithTheHooks(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1, "app/b.yaml": hookJob("before", "argocd.argoproj.io/hook: PreDelete", "")})
	e.app("app", "app", func(app *v1alpha1.Application) { app.Finalizers = []string{"example.com/other"} })
	e.until("app", "marked", func(app *v1alpha1.Application) bool { return len(app.Finalizers) == 3 })
	e.remove("app/b.yaml")
	e.until("app", "without marks", func(app *v1alpha1.Application) bool {
		return len(app.Finalizers) == 1 && app.Finalizers[0] == "example.com/other"
	})
	e.change("app", func(app *v1alpha1.Application) { app.Finalizers = nil })
}

func TestDeletionWhileGitIsDown(t *testing.T) {
	e := start(t, map[string]string{
		"plain/a.yaml":  configMapV1,
		"hooked/a.yaml": strings.ReplaceAll(configMapV1, "settings", "other"),
		"hooked/b.yaml": hookJob("after", "argocd.argoproj.io/hook: PostDelete", ""),
	})
	e.app("plain", "plain")
	e.app("hooked", "hooked")
	e.until("plain", "good", good)
	e.until("hooked", "good", good)
	for _, name := range []string{"plain", "hooked"} {
		e.change(name, func(app *v1alpha1.Application) { app.Spec.Source.RepoURL = "http://127.0.0.1:1/nothing.git" })
		e.delete(name)
	}
	e.untilDeleted("plain")
	e.says("hooked", v1alpha1.ApplicationConditionDeletionError, "PostDelete", "127.0.0.1:1", "--no-hooks")
	if _, err := e.configMap("other"); !apierrors.IsNotFound(err) {
		t.Errorf("the objects, which need no source to be deleted, are still there: %v", err)
	}
	e.change("hooked", func(app *v1alpha1.Application) { app.Finalizers = nil })
	e.untilDeleted("hooked")
}

func TestDeletionThatLeadsNowhere(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*v1alpha1.Application)
		stays  bool
	}{
		"unknown cluster":    {"nobody can say where its objects are", func(app *v1alpha1.Application) { app.Spec.Destination.Name = "nowhere" }, true},
		"two names at once":  {"a destination that names two clusters names none", func(app *v1alpha1.Application) { app.Spec.Destination.Server = "https://example.com" }, true},
		"no cluster":         {"nor does one that names none", func(app *v1alpha1.Application) { app.Spec.Destination.Name = "" }, true},
		"refusing project":   {"what the project permits nothing on is not touched", func(app *v1alpha1.Application) { app.Spec.Project = "narrow" }, true},
		"no source":          {"nor is a source", func(app *v1alpha1.Application) { app.Spec.Source.Path = "" }, false},
		"unknown repository": {"nor is a repository", func(app *v1alpha1.Application) { app.Spec.Source.RepoURL = "https://127.0.0.1:1/x" }, false},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			e := start(t, map[string]string{"app/a.yaml": configMapV1})
			e.project("narrow", permits("https://elsewhere.example.com"))
			e.app("app", "app")
			e.until("app", "good", good)
			e.change("app", c.change)
			e.delete("app")
			e.untilDeleted("app")
			if _, err := e.configMap("settings"); (err == nil) != c.stays {
				t.Errorf("%s: the object: %v, want it to stay: %t", c.reason, err, c.stays)
			}
		})
	}
}

// permits is a project for everything at one server.
func permits(server string) func(*v1alpha1.AppProjectSpec) {
	return func(p *v1alpha1.AppProjectSpec) {
		p.SourceRepos, p.Destinations = []string{"*"}, []v1alpha1.ApplicationDestination{{Server: server, Namespace: "*"}}
	}
}

// TestDeletionWithoutAProject: who renames the project of an Application does
// not thereby delete what no project permits him.
func TestDeletionWithoutAProject(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1})
	e.app("app", "app")
	e.until("app", "good", good)
	e.change("app", func(app *v1alpha1.Application) { app.Spec.Project = "gone" })
	e.delete("app")
	e.says("app", v1alpha1.ApplicationConditionDeletionError, `"gone"`, "--no-cascade")
	if _, err := e.configMap("settings"); err != nil {
		t.Fatalf("the object: %v", err)
	}
	e.project("gone", permits("*"))
	e.untilDeleted("app")
	if _, err := e.configMap("settings"); !apierrors.IsNotFound(err) {
		t.Errorf("the object after the project is there: %v", err)
	}
}

func TestDeletionWaitsForTheOperationThatRuns(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1, "app/b.yaml": deployment("web", "0", neverReady), "app/c.yaml": waved("last", "1")})
	e.app("app", "app")
	e.until("app", "waiting for its first wave", waitsFor("web"))
	e.delete("app")
	e.looksAt("app")
	if cm, err := e.configMap("settings"); err != nil || cm.DeletionTimestamp != nil {
		t.Errorf("the object goes while the operation runs: %v", err)
	}
	// Its sources break: the operation cannot go on, and ends.
	e.remove("app/b.yaml")
	e.write("app/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [\n")
	e.untilDeleted("app")
	if _, err := e.configMap("settings"); !apierrors.IsNotFound(err) {
		t.Errorf("the object is left: %v", err)
	}
}

// TestDeletionAmidAWaveThatNeverEnds gives an operation up that only waits.
func TestDeletionAmidAWaveThatNeverEnds(t *testing.T) {
	e := startImpatient(t, map[string]string{"app/b.yaml": deployment("web", "0", neverReady), "app/c.yaml": waved("last", "1")})
	e.app("app", "app")
	e.until("app", "waiting for its first wave", waitsFor("web"))
	e.delete("app")
	e.untilDeleted("app")
	err := e.Get(t.Context(), types.NamespacedName{Namespace: e.namespace, Name: "web"}, &appsv1.Deployment{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the object is left: %v", err)
	}
}

// TestDeletionAmidAHookThatNeverEnds tells which hook is in the way, and lets
// it run until somebody ends it.
func TestDeletionAmidAHookThatNeverEnds(t *testing.T) {
	e := startImpatient(t, map[string]string{"app/a.yaml": configMapV1, "app/hook.yaml": hookJob("before", preSync, neverReady)})
	e.app("app", "app")
	e.until("app", "waiting for the hook", waitsFor("before"))
	e.delete("app")
	app := e.says("app", v1alpha1.ApplicationConditionDeletionError, "before", "hook", "causeway terminate "+e.id("app"))
	if job, err := e.job("before"); err != nil || job.DeletionTimestamp != nil || app.Status.OperationState.Phase != v1alpha1.OperationRunning {
		t.Errorf("the hook was cut off: %v", err)
	}
	e.looksAt("app")
	if job, err := e.job("before"); err != nil || job.DeletionTimestamp != nil {
		t.Errorf("the hook goes at another look: %v", err)
	}
	e.change("app", func(app *v1alpha1.Application) { app.Status.OperationState.Phase = v1alpha1.OperationTerminating })
	e.untilDeleted("app")
	if _, err := e.job("before"); !apierrors.IsNotFound(err) {
		t.Errorf("the hook is left: %v", err)
	}
}

func TestDeletionWhileTheAPIServerRefuses(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1})
	e.app("app", "app")
	e.until("app", "good", good)
	// A webhook that does not answer makes each deletion fail with 500.
	path, fail, none := "/", admissionv1.Fail, admissionv1.SideEffectClassNone
	hook := &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: e.namespace},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name: "no.example.com", AdmissionReviewVersions: []string{"v1"}, SideEffects: &none, FailurePolicy: &fail,
			ClientConfig:      admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Namespace: e.namespace, Name: "nobody", Path: &path}},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": e.namespace}},
			Rules: []admissionv1.RuleWithOperations{{
				Operations: []admissionv1.OperationType{admissionv1.Delete},
				Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
		}},
	}
	c, err := client.New(e.hub, client.Options{})
	if err == nil {
		err = c.Create(t.Context(), hook)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Delete(context.WithoutCancel(t.Context()), hook) })
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		cm, err := e.configMap("settings")
		if err != nil {
			return err
		}
		if err := e.Delete(ctx, cm, client.DryRunAll); !apierrors.IsInternalError(err) {
			return fmt.Errorf("the webhook is not in force yet: %w", err)
		}
		return nil
	})
	e.delete("app")
	e.says("app", v1alpha1.ApplicationConditionDeletionError, "no.example.com", "--no-cascade")
	if err := c.Delete(t.Context(), hook); err != nil {
		t.Fatal(err)
	}
	e.untilDeleted("app")
}

func TestKilledInTheMiddleOfADeletion(t *testing.T) {
	e := prepare(t, hubConfig, map[string]string{
		"app/a.yaml": waved("first", "0"), "app/b.yaml": waved("second", "1"),
		"app/c.yaml": hookJob("before", "argocd.argoproj.io/hook: PreDelete", slow),
		"app/d.yaml": hookJob("after", "argocd.argoproj.io/hook: PostDelete", slow),
	})
	engine := e.child(kubeconfigOfHub)
	e.app("app", "app")
	e.until("app", "good", good)
	e.hold("second", "example.com/hold")
	e.delete("app")
	var before types.UID
	embeddedtest.Eventually(t, func(context.Context) error {
		job, err := e.job("before")
		before = job.UID
		return err
	})
	kill(engine)
	engine = e.child(kubeconfigOfHub)
	embeddedtest.Eventually(t, func(context.Context) error {
		if job, err := e.job("before"); err == nil && job.UID != before {
			t.Fatal("the hook ran twice")
		}
		cm, err := e.configMap("second")
		if err == nil && cm.DeletionTimestamp == nil {
			err = errors.New("the deletion has not gone on")
		}
		return err
	})
	kill(engine)
	e.hold("second")
	e.child(kubeconfigOfHub)
	e.untilDeleted("app")
	for _, name := range []string{"first", "second"} {
		if _, err := e.configMap(name); !apierrors.IsNotFound(err) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
	if _, err := e.job("before"); !apierrors.IsNotFound(err) {
		t.Errorf("the PreDelete hook is left behind: %v", err)
	}
	if _, err := e.job("after"); err != nil {
		t.Errorf("the PostDelete hook did not run: %v", err)
	}
}

func TestNamespaceThatHangsSaysWhatIsLeftInside(t *testing.T) {
	e := startImpatient(t, nil)
	inner := e.namespace + "-inner"
	e.write("app/a.yaml", fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", inner))
	e.app("app", "app")
	e.until("app", "good", good)
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: inner, Name: "stays", Finalizers: []string{"example.com/hold"}}}
	if err := e.Create(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		before := cm.DeepCopy()
		cm.Finalizers = nil
		_ = e.Patch(context.WithoutCancel(t.Context()), cm, client.MergeFrom(before))
	})
	e.delete("app")
	e.says("app", v1alpha1.ApplicationConditionDeletionError, inner, "configmaps", "example.com/hold")
	before := cm.DeepCopy()
	cm.Finalizers = nil
	if err := e.Patch(t.Context(), cm, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	e.untilDeleted("app")
}

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/history"
)

const webApplication = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd, finalizers: [resources-finalizer.argocd.argoproj.io]}
spec:
  project: default
  source: {repoURL: https://git.example.com/shop, path: web, targetRevision: HEAD}
  destination: {name: dev, namespace: web}
  syncPolicy:
    automated: {prune: true}
    syncOptions: [CreateNamespace=true]
`

const asking = `apiVersion: v1
kind: ConfigMap
metadata: {name: asking, annotations: {argocd.argoproj.io/sync-options: Prune=confirm}}
`

const webDeployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: registry.example.com/web}]}
`

// day is an application of a fleet that runs, and what a person does with it
// over a day.
type day struct{ tiny }

// aDay runs the commands that change things, each after what leads to it.
func (f tiny) aDay(t *testing.T) {
	t.Helper()
	var many []string
	for i := range 8 {
		many = append(many, fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm-%d}\n", i))
	}
	f.write("repo/web/many.yaml", strings.Join(many, "---\n"))
	f.write("repo/web/asking.yaml", asking)
	f.write("repo/web/settings.yaml", settings("one"))
	f.create(webApplication)
	for _, step := range []struct {
		name string
		does func(day)
	}{
		{"History", day.history}, {"Rollback", day.rollback}, {"Why", day.why}, {"Actions", day.actions},
		{"Approve", day.approve}, {"Confirm", day.confirm}, {"Looks", day.looks}, {"Delete", day.delete},
	} {
		if !t.Run(step.name, func(t *testing.T) {
			here := f
			here.t = t
			step.does(day{here})
		}) {
			return // the next step builds on this one
		}
	}
}

func (f tiny) create(manifest string) {
	f.t.Helper()
	text, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		f.t.Fatal(err)
	}
	path := "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications"
	if err := f.client("hub").Discovery().RESTClient().Post().AbsPath(path).Body(text).Do(f.t.Context()).Error(); err != nil {
		f.t.Fatal(err)
	}
}

// until runs a command until it succeeds and prints all words.
func (d day) until(words []string, args ...string) {
	d.t.Helper()
	var last result
	embeddedtest.Eventually(d.t, func(context.Context) error {
		last = d.run(args...)
		if last.code != command.ExitFine {
			return fmt.Errorf("causeway %s: %+v", strings.Join(args, " "), last)
		}
		for _, word := range words {
			if !strings.Contains(last.out, word) {
				return fmt.Errorf("causeway %s: %q is not in %+v", strings.Join(args, " "), word, last)
			}
		}
		return nil
	})
	d.t.Logf("causeway %s\n%s%s", strings.Join(args, " "), last.errors, last.out)
}

// fails runs a command that has to fail with a code and a word.
func (d day) fails(code int, word string, args ...string) {
	d.t.Helper()
	got := d.run(args...)
	d.t.Logf("causeway %s\n%s%s", strings.Join(args, " "), got.errors, got.out)
	if got.code != code || !strings.Contains(got.errors, word) {
		d.t.Errorf("causeway %s: code %d, want %d, and %q in\n%s", strings.Join(args, " "), got.code, code, word, got.errors)
	}
}

func (d day) awaitSettings(want string) {
	d.t.Helper()
	embeddedtest.Eventually(d.t, func(ctx context.Context) error {
		live, err := d.client("dev").CoreV1().ConfigMaps("web").Get(ctx, "settings", metav1.GetOptions{})
		if err == nil && live.Data["greeting"] != want {
			err = fmt.Errorf("the greeting is %q, not %q", live.Data["greeting"], want)
		}
		return err
	})
}

func (d day) awaitGone(name string) {
	d.t.Helper()
	embeddedtest.Eventually(d.t, func(ctx context.Context) error {
		_, err := d.client("dev").CoreV1().ConfigMaps("web").Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("ConfigMap %s is still there: %w", name, err)
	})
}

func (d day) there(name string) {
	d.t.Helper()
	if _, err := d.client("dev").CoreV1().ConfigMaps("web").Get(d.t.Context(), name, metav1.GetOptions{}); err != nil {
		d.t.Error(err)
	}
}

func (d day) remove(name string) {
	d.t.Helper()
	if err := os.Remove(filepath.Join(d.dir, "repo/web", name)); err != nil {
		d.t.Fatal(err)
	}
}

// syncs waits until the history has so many syncs that are done, the newest first.
func (d day) syncs(want int) (ids []string) {
	d.t.Helper()
	embeddedtest.Eventually(d.t, func(context.Context) error {
		var list []history.Sync
		got := d.run("history", "web", "-o", "json")
		if err := json.Unmarshal([]byte(got.out), &list); err != nil {
			return fmt.Errorf("%w: %+v", err, got)
		}
		ids = nil
		for _, s := range list {
			if s.History != nil && !s.Finished.IsZero() {
				ids = append(ids, strconv.FormatInt(*s.History, 10))
			}
		}
		if len(ids) != want {
			return fmt.Errorf("%d syncs are done, not %d: %s", len(ids), want, got.out)
		}
		return nil
	})
	return ids
}

func (d day) history() {
	d.awaitSettings("one")
	d.syncs(1)
	d.write("repo/web/settings.yaml", settings("two"))
	d.until([]string{"web   reached  Synced  Healthy"}, "wait", "web", "--refresh", "--for", "synced,healthy,operation")
	live, err := d.client("dev").CoreV1().ConfigMaps("web").Get(d.t.Context(), "settings", metav1.GetOptions{})
	if err != nil || live.Data["greeting"] != "two" {
		d.t.Errorf("the wait reports how it was before: %v, %v", live, err)
	}
	d.until([]string{"Synced"}, "get", "app", "web", "--refresh")
	ids := d.syncs(2)
	d.until([]string{"automated", "Succeeded", "~1"}, "history", "web")
	d.until([]string{"web: automated sync Succeeded", "Sync wave 0", "ConfigMap web/settings"}, "trace", "web")
	d.until([]string{"created ConfigMap web/settings", "https://git.example.com/shop"}, "trace", "web", ids[1])
	d.until([]string{"changed ConfigMap settings", "data.greeting", "- one", "+ two"}, "history", "web", "--diff", ids[1], ids[0])
	d.fails(command.ExitFailed, `did you mean "web"`, "history", "wbe")
	d.fails(command.ExitFailed, `no sync "77"`, "history", "web", "--diff", "77", ids[0])
	d.fails(command.ExitUsage, "--diff takes two syncs", "history", "web", "--diff", ids[0])
	d.fails(command.ExitFailed, "causeway history web", "trace", "web", "77")
}

func (d day) rollback() {
	ids := d.syncs(2)
	d.fails(command.ExitFailed, `no sync "77"`, "rollback", "web", "77")
	d.fails(command.ExitFailed, `did you mean "web"`, "rollback", "webb")
	d.until(nil, "rollback", "web", ids[1])
	d.awaitSettings("one")
	d.syncs(3)
	d.until([]string{"rollback by ", "(unverified)"}, "history", "web", "-o", "wide") // what somebody writes by kubectl is proven no more
	d.until([]string{"back to sync"}, "trace", "web")
	d.until([]string{"RolledBackWarning", "is one, should be two"}, "why", "web/ConfigMap/settings")
	d.until([]string{"OutOfSync", "Rolled back to"}, "get", "app", "web")
	d.awaitSettings("one") // the engine has compared since, and let it be
	d.write("repo/web/settings.yaml", settings("three"))
	d.awaitSettings("three")
	d.syncs(4)
}

func (d day) why() {
	patch := []byte(`{"data":{"greeting":"by hand"}}`)
	if _, err := d.client("dev").CoreV1().ConfigMaps("web").Patch(d.t.Context(), "settings", types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "night-shift"}); err != nil {
		d.t.Fatal(err)
	}
	d.until([]string{"OutOfSync", "night-shift", "data.greeting: is by hand, should be three"}, "why", "web/ConfigMap/settings")
	d.until([]string{"ConfigMap web/cm-0 Synced", "the last syncs:", "created"}, "why", "web/configmap/cm-0")
	d.fails(command.ExitFailed, `did you mean "ConfigMap/settings"`, "why", "web/ConfigMap/setings")
	d.fails(command.ExitFailed, `did you mean "web"`, "why", "wbe/ConfigMap/settings")
	d.fails(command.ExitUsage, "APP/KIND/NAME", "why", "web/settings")
	d.until(nil, "sync", "web")
	d.awaitSettings("three")
}

func (d day) actions() {
	d.write("repo/web/deployment.yaml", webDeployment)
	d.until([]string{"Deployment  web        web   restart"}, "actions", "list", "web")
	d.until([]string{"Deployment.apps web/web changed"}, "actions", "run", "web", "Deployment/web", "restart")
	live, err := d.client("dev").AppsV1().Deployments("web").Get(d.t.Context(), "web", metav1.GetOptions{})
	if err != nil || live.Spec.Template.Annotations["kubectl.kubernetes.io/restartedAt"] == "" {
		d.t.Errorf("the Deployment was not restarted: %v", err)
	}
	d.fails(command.ExitFailed, `did you mean "restart"`, "actions", "run", "web", "Deployment/web", "restrt")
	d.fails(command.ExitFailed, `did you mean "Deployment/web"`, "actions", "run", "web", "Deployment/wen", "restart")
	d.fails(command.ExitUsage, "KIND/NAME", "actions", "run", "web", "web", "restart")
}

func (d day) approve() {
	d.fails(command.ExitFailed, "no deletion of web is held", "approve", "web", "--yes")
	d.remove("many.yaml")
	d.until([]string{"8 objects", "causeway approve web"}, "get", "app", "web")
	d.until([]string{"no longer in the sources", "held", "causeway approve web"}, "why", "web/ConfigMap/cm-7")
	d.fails(command.ExitUsage, "--yes", "approve", "web")
	d.fails(command.ExitFailed, "the list has changed", "approve", "web", "--yes", "--digest", "0123")
	d.there("cm-7")
	d.until([]string{"ConfigMap web/cm-7\n8 deletions, digest ", "web: approved until "}, "approve", "web", "--yes")
	d.awaitGone("cm-7")
	d.until([]string{"ConfigMap cm-7 is not among the objects of application web now", "pruned"}, "why", "web/ConfigMap/cm-7")
}

func (d day) confirm() {
	d.remove("asking.yaml")
	d.until([]string{"causeway approve web"}, "why", "web/ConfigMap/asking")
	d.there("asking")
	d.fails(command.ExitUsage, "--yes", "approve", "web")
	d.until([]string{"ConfigMap web/asking\n1 deletion to confirm, digest ", "web: 1 deletion confirmed"}, "approve", "web", "--yes")
	d.awaitGone("asking")
	d.fails(command.ExitFailed, "no deletion of shop is held, and none asks to be confirmed", "confirm", "shop", "--yes")
}

func (d day) looks() {
	d.until([]string{"automated sync: now"}, "windows", "web")
	d.fails(command.ExitFailed, "set spec.orphanedResources", "orphans", "web")
	d.fails(command.ExitUsage, "name an application", "orphans")
	d.fails(command.ExitFailed, `no application set "nothing"`, "rollout", "status", "nothing")
	d.fails(command.ExitFailed, `no application set "nothing"`, "approve", "set/nothing", "--yes")
}

func (d day) delete() {
	d.fails(command.ExitFailed, `did you mean "web"`, "delete", "wbe", "--yes")
	d.fails(command.ExitUsage, "--yes", "delete", "web")
	d.until([]string{"with its objects", "web: gone"}, "delete", "web", "--yes", "--wait")
	d.awaitGone("settings")
	d.fails(command.ExitFailed, `no application "web"`, "get", "app", "web")
}

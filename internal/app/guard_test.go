package app

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

const heldError = v1alpha1.ApplicationConditionDeletionHeldError

// many are files with one ConfigMap each, from a to b.
func many(from, to int) map[string]string {
	out := map[string]string{}
	for i := from; i < to; i++ {
		out[fmt.Sprintf("app/%02d.yaml", i)] = strings.ReplaceAll(configMapV1, "settings", fmt.Sprintf("cm-%02d", i))
	}
	return out
}

// left counts the ConfigMaps of many that are there.
func (e *engine) left() int {
	e.t.Helper()
	list := &corev1.ConfigMapList{}
	if err := e.List(e.t.Context(), list, client.InNamespace(e.namespace)); err != nil {
		e.t.Fatal(err)
	}
	count := 0
	for i := range list.Items {
		if strings.HasPrefix(list.Items[i].Name, "cm-") && list.Items[i].DeletionTimestamp == nil {
			count++
		}
	}
	return count
}

func (e *engine) removeMany(from, to int) {
	e.t.Helper()
	e.atOnce(func() { // half of them would be below the guard
		for i := from; i < to; i++ {
			e.remove(fmt.Sprintf("app/%02d.yaml", i))
		}
	})
}

var digestIn = regexp.MustCompile(`deletion-approval: ([0-9a-f]{32});`)

func digestOf(t *testing.T, text string) string {
	t.Helper()
	found := digestIn.FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("the text names no digest: %s", text)
	}
	return found[1]
}

func annotate(o client.Object, key, value string) {
	all := o.GetAnnotations()
	if all == nil {
		all = map[string]string{}
	}
	all[key] = value
	o.SetAnnotations(all)
}

func (e *engine) approve(name, digest string, until time.Time) {
	e.t.Helper()
	e.change(name, func(app *v1alpha1.Application) {
		annotate(app, gitops.AnnotationDeletionApproval, guard.Approval{Digest: digest, Until: until}.String())
	})
}

func TestMassPruneIsHeldUntilItsListIsApproved(t *testing.T) {
	e := start(t, many(0, 10))
	e.app("app", "app")
	e.until("app", "good", good)
	// A commit that empties most of the folder, and adds something.
	e.removeMany(0, 8)
	e.write("app/new.yaml", strings.ReplaceAll(configMapV1, "settings", "new"))
	app := e.says("app", heldError, "denied", "8 objects", "cm-00", "causeway approve "+e.id("app"))
	first := digestOf(t, condition(app, heldError))
	if got := e.left(); got != 10 {
		t.Fatalf("%d of 10 objects are left while their deletion is held", got)
	}
	if _, err := e.configMap("new"); err == nil {
		t.Error("a sync whose deletions are held has begun all the same")
	}
	held := 0
	for _, r := range app.Status.OperationState.SyncResult.Resources {
		if r.Status == v1alpha1.ResultCodePruneSkipped {
			held++
		}
	}
	if held != 8 || app.Status.OperationState.Phase != v1alpha1.OperationRunning {
		t.Errorf("the operation is %s and shows %d held objects, want Running and 8", app.Status.OperationState.Phase, held)
	}
	e.approve("app", strings.Repeat("0", 32), time.Now().Add(time.Hour))
	e.says("app", heldError, "another list")
	e.approve("app", first, time.Now().Add(-time.Minute))
	e.says("app", heldError, "expired")
	// The list grows after it was looked at: the approval is for the old one.
	e.remove("app/08.yaml")
	app = e.says("app", heldError, "9 objects")
	second := digestOf(t, condition(app, heldError))
	e.approve("app", first, time.Now().Add(time.Hour))
	e.says("app", heldError, "another list, "+first)
	if got := e.left(); got != 10 {
		t.Fatalf("%d of 10 objects are left after an approval for another list", got)
	}
	e.approve("app", second, time.Now().Add(time.Hour))
	app = e.until("app", "good after the approval", func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.Resources) == 2 })
	if got := e.left(); got != 1 {
		t.Errorf("%d objects are left, want 1", got)
	}
	if condition(app, heldError) != "" || app.Annotations[gitops.AnnotationDeletionApproval] != "" {
		t.Errorf("the approval is not used up: %v, %v", app.Status.Conditions, app.Annotations)
	}
}

func TestAFixTakesTheHeldSyncsPlace(t *testing.T) {
	e := start(t, many(0, 8))
	e.app("app", "app")
	e.until("app", "good", good)
	e.removeMany(1, 8)
	e.says("app", heldError, "7 objects")
	e.atOnce(func() {
		for name, content := range many(1, 8) {
			e.write(name, content)
		}
	})
	app := e.until("app", "good after the fix", func(app *v1alpha1.Application) bool { return good(app) && condition(app, heldError) == "" })
	if got := e.left(); got != 8 || len(app.Status.Resources) != 8 {
		t.Errorf("%d objects are left of 8", got)
	}
}

// A file that reads as nothing is left out, as Argo CD does. What it gave is
// then no longer wanted: the guard and a warning stand between that and a loss.
func TestAFileThatNoLongerReadsTakesNothingAlong(t *testing.T) {
	big := func(first string) string {
		parts := []string{first}
		for i := 1; i < 8; i++ {
			parts = append(parts, strings.ReplaceAll(configMapV1, "settings", fmt.Sprintf("cm-%02d", i)))
		}
		return strings.Join(parts, "\n---\n")
	}
	whole := big(strings.ReplaceAll(configMapV1, "settings", "cm-00"))
	const skipped = v1alpha1.ApplicationConditionSkippedManifestWarning
	e := start(t, map[string]string{"app/big.yaml": whole, "app/values.yaml": "replicas: 2\n", "app/kept.yaml": strings.ReplaceAll(configMapV1, "settings", "kept")})
	e.app("app", "app")
	app := e.until("app", "good", good)
	if text := condition(app, skipped); text != "" {
		t.Errorf("a file of values is warned of: %s", text)
	}
	e.write("app/big.yaml", "<<<<<<< HEAD\n")
	e.says("app", heldError, "8 objects")
	e.says("app", skipped, "app/big.yaml", "nothing of it is applied")
	if got := e.left(); got != 8 {
		t.Errorf("%d objects are left of 8 while their file reads as nothing", got)
	}
	e.write("app/big.yaml", big("<<<<<<< HEAD"))
	e.says("app", v1alpha1.ApplicationConditionComparisonError, "app/big.yaml")
	e.write("app/big.yaml", whole)
	e.until("app", "good after the fix", func(app *v1alpha1.Application) bool {
		return good(app) && condition(app, heldError) == "" && condition(app, skipped) == "" && condition(app, v1alpha1.ApplicationConditionComparisonError) == ""
	})
	// Too few to be held: they go, and the condition tells why.
	e.write("app/one.yaml", strings.ReplaceAll(configMapV1, "settings", "cm-08"))
	e.until("app", "good with one more", func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.Resources) == 10 })
	e.write("app/one.yaml", "apiVersion: v1\nknd: ConfigMap\n")
	e.says("app", skipped, "app/one.yaml")
}

func TestLimitsOfDeletions(t *testing.T) {
	cases := map[string]struct {
		reason  string
		from    int
		change  func(*v1alpha1.Application)
		project string
		held    bool
	}{
		"half":          {"half of them may go", 5, nil, "", false},
		"most":          {"more than half may not", 4, nil, "", true},
		"off":           {"the application's own word", 2, func(a *v1alpha1.Application) { annotate(a, gitops.AnnotationDeletionGuard, "off") }, "", false},
		"stricter":      {"also when it is stricter", 9, func(a *v1alpha1.Application) { annotate(a, gitops.AnnotationDeletionGuard, "0% min 1") }, "", true},
		"project":       {"the project's word", 2, nil, "max 20", false},
		"most specific": {"the application's word beats the project's", 2, func(a *v1alpha1.Application) { annotate(a, gitops.AnnotationDeletionGuard, "50%") }, "off", true},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			e := start(t, many(0, 10))
			if c.project != "" {
				project := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "team"}}
				annotate(project, gitops.AnnotationDeletionGuard, c.project)
				project.Spec.SourceRepos, project.Spec.Destinations = []string{"*"}, []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}}
				if err := e.Create(t.Context(), project); err != nil {
					t.Fatal(err)
				}
			}
			e.app("app", "app", func(app *v1alpha1.Application) {
				if c.change != nil {
					c.change(app)
				}
				if c.project != "" {
					app.Spec.Project = "team"
				}
			})
			e.until("app", "good", good)
			e.removeMany(c.from, 10)
			if !c.held {
				e.until("app", "pruned", func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.Resources) == c.from })
				return
			}
			e.says("app", heldError, "denied")
			if got := e.left(); got != 10 {
				t.Errorf("%s: %d of 10 are left", c.reason, got)
			}
		})
	}
}

func TestManualPruneIsHeldToo(t *testing.T) {
	e := start(t, many(0, 8))
	e.app("app", "app", func(app *v1alpha1.Application) { app.Spec.SyncPolicy = nil })
	ask := func() {
		e.change("app", func(app *v1alpha1.Application) {
			app.Operation = &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Prune: true}, InitiatedBy: v1alpha1.OperationInitiator{Username: "admin"}}
		})
	}
	e.until("app", "compared", func(app *v1alpha1.Application) bool { return len(app.Status.Resources) == 8 })
	ask()
	e.until("app", "good", good)
	e.removeMany(1, 8)
	e.until("app", "compared again", func(app *v1alpha1.Application) bool {
		return app.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync
	})
	ask()
	app := e.until("app", "refused", func(app *v1alpha1.Application) bool {
		return app.Status.OperationState.Phase == v1alpha1.OperationFailed && condition(app, heldError) != ""
	})
	e.approve("app", digestOf(t, condition(app, heldError)), time.Now().Add(time.Hour))
	ask()
	e.until("app", "pruned", func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.Resources) == 1 })
}

func TestMovedObjectsAreNoDeletions(t *testing.T) {
	e := start(t, nil)
	for i := range 8 {
		e.write(fmt.Sprintf("app/%d.yaml", i), strings.ReplaceAll(configMapV1, "settings", fmt.Sprintf("cm-%d-bcdfghkmt2", i)))
	}
	e.app("app", "app")
	e.until("app", "good", good)
	for i := range 8 {
		e.write(fmt.Sprintf("app/%d.yaml", i), strings.ReplaceAll(configMapV1, "settings", fmt.Sprintf("cm-%d-2456789bcd", i)))
	}
	e.until("app", "all renamed", func(app *v1alpha1.Application) bool {
		return good(app) && len(app.Status.Resources) == 8 && strings.HasSuffix(app.Status.Resources[7].Name, "2456789bcd") && strings.HasSuffix(app.Status.Resources[0].Name, "2456789bcd")
	})
}

// TestOneMoveExcusesOneDeletion makes one object anew where eight go whose names differ by the hash alone: one of them
// moves, and seven are deleted.
func TestOneMoveExcusesOneDeletion(t *testing.T) {
	e := start(t, nil)
	name := func(i int) string { return fmt.Sprintf("cm-%sbcdfghkmt", string("bcdfghkmt"[i])) }
	for i := range 8 {
		e.write(fmt.Sprintf("app/%02d.yaml", i), strings.ReplaceAll(configMapV1, "settings", name(i)))
	}
	e.app("app", "app")
	e.until("app", "good", func(app *v1alpha1.Application) bool { return good(app) && len(app.Status.Resources) == 8 })
	e.atOnce(func() {
		e.write("app/00.yaml", strings.ReplaceAll(configMapV1, "settings", name(8)))
		for i := 1; i < 8; i++ {
			e.remove(fmt.Sprintf("app/%02d.yaml", i))
		}
	})
	e.says("app", heldError, "7 objects")
	if got := e.left(); got != 8 {
		t.Errorf("%d objects are left of 8", got)
	}
}

func TestNamespaceWeighsWhatIsInIt(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1})
	inner := e.namespace + "-inner"
	e.write("app/b.yaml", fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", inner))
	e.app("app", "app")
	e.until("app", "good", good)
	for i := range 6 {
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: inner, Name: fmt.Sprint("theirs-", i)}}
		if err := e.Create(t.Context(), cm); err != nil {
			t.Fatal(err)
		}
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		c, err := e.clusters.Resolve(v1alpha1.ApplicationDestination{Name: "in-cluster"})
		if err == nil && c.Inside(inner, func(gitops.Key) bool { return true }) < 6 {
			err = errors.New("the cache has not seen them yet")
		}
		return err
	})
	e.remove("app/b.yaml")
	e.says("app", heldError, "1 object ", inner, "with at least 6 objects in it")
}

// untilSet waits for a condition of a set.
func (e *engine) untilSet(name string, ok func(*v1alpha1.ApplicationSet) bool) *v1alpha1.ApplicationSet {
	e.t.Helper()
	set := &v1alpha1.ApplicationSet{}
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		if err := e.Get(ctx, client.ObjectKey{Namespace: e.namespace, Name: name}, set); err != nil {
			return err
		}
		if !ok(set) {
			return fmt.Errorf("conditions of the set are %v", set.Status.Conditions)
		}
		return nil
	})
	return set
}

func heldIn(set *v1alpha1.ApplicationSet) string {
	for _, c := range set.Status.Conditions {
		if c.Type == v1alpha1.ApplicationSetConditionDeletionHeld && c.Status == v1alpha1.ApplicationSetConditionStatusTrue {
			return c.Message
		}
	}
	return ""
}

func TestSetThatYieldsNothingKeepsItsApplications(t *testing.T) {
	e := start(t, nil)
	spokes := []*corev1.Secret{e.spoke("a", "true", "eu"), e.spoke("b", "true", "eu"), e.spoke("c", "true", "eu")}
	if err := e.Create(t.Context(), e.addons()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c"} {
		e.untilRegion(name, "eu")
	}
	set := &v1alpha1.ApplicationSet{}
	e.untilSet("addons", func(s *v1alpha1.ApplicationSet) bool { return s.Status.ResourcesCount == 3 })
	// A label that is misspelt in the selector: the generator works, and yields nothing.
	err := e.Get(t.Context(), client.ObjectKey{Namespace: e.namespace, Name: "addons"}, set)
	if err != nil {
		t.Fatal(err)
	}
	before := set.DeepCopy()
	set.Spec.Generators[0].Clusters.Selector.MatchLabels = map[string]string{"enable_webb": "true"}
	if err := e.Patch(t.Context(), set, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	held := e.untilSet("addons", func(s *v1alpha1.ApplicationSet) bool { return heldIn(s) != "" })
	text := heldIn(held)
	for _, word := range []string{"denied", "3 applications", e.namespace + "-a", "causeway approve set/addons"} {
		if !strings.Contains(text, word) {
			t.Errorf("the condition does not say %q: %s", word, text)
		}
	}
	for _, r := range held.Status.Resources {
		if !r.RequiresPruning {
			t.Errorf("the status does not mark %s as held", r.Name)
		}
	}
	for _, s := range spokes {
		if app, err := e.generated(s.Name); err != nil || app.DeletionTimestamp != nil {
			t.Errorf("the application of cluster %s was deleted: %v", s.Name, err)
		}
	}
	before = held.DeepCopy()
	annotate(held, gitops.AnnotationDeletionApproval, guard.Approval{Digest: digestOf(t, text), Until: time.Now().Add(time.Hour)}.String())
	if err := e.Patch(t.Context(), held, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	for _, s := range spokes {
		e.untilGone(s.Name)
	}
	e.untilSet("addons", func(s *v1alpha1.ApplicationSet) bool {
		return heldIn(s) == "" && s.Annotations[gitops.AnnotationDeletionApproval] == ""
	})
}

func TestFleetsLimitHoldsWhatEachSetWouldLetGo(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: v1alpha1.SettingsName}, Data: map[string]string{
		v1alpha1.SettingGuard: "set: off\nfleet: {maxShare: 50%, minCount: 2}\n",
	}}
	if err := e.Create(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	e.restart()
	e.spoke("a", "true", "eu")
	e.spoke("b", "true", "eu")
	for _, name := range []string{"addons", "extras"} {
		set := e.addons()
		set.Name = name
		set.Spec.Template.Name = e.namespace + "-" + name + "-{{name}}"
		// Each set lets all of its applications go; the fleet does not.
		annotate(set, gitops.AnnotationDeletionGuard, "max 100")
		if err := e.Create(t.Context(), set); err != nil {
			t.Fatal(err)
		}
		e.untilSet(name, func(s *v1alpha1.ApplicationSet) bool { return s.Status.ResourcesCount == 2 })
	}
	for i, name := range []string{"addons", "extras"} {
		set := e.untilSet(name, func(*v1alpha1.ApplicationSet) bool { return true })
		before := set.DeepCopy()
		set.Spec.Generators[0].Clusters.Selector.MatchLabels = map[string]string{"nothing": "here"}
		if err := e.Patch(t.Context(), set, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			e.untilSet(name, func(s *v1alpha1.ApplicationSet) bool { return s.Status.ResourcesCount == 0 })
			continue
		}
		held := e.untilSet(name, func(s *v1alpha1.ApplicationSet) bool { return heldIn(s) != "" })
		if text := heldIn(held); !strings.Contains(text, "more than the fleet lets go within") {
			t.Errorf("the condition does not name the limit of the fleet: %s", text)
		}
	}
}

// inert is an Application that deploys nothing.
const inert = `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: %s}, spec: {project: nobodys, destination: {name: nowhere}, source: {repoURL: "https://nobody.example.com", path: x}}}`

// What one project deletes of the fleet holds that project alone, and what no
// engine looks at is no part of the fleet.
func TestFleetsLimitIsSharedByProjects(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: v1alpha1.SettingsName}, Data: map[string]string{
		v1alpha1.SettingGuard: "application: off\nfleet: {maxShare: 40%, minCount: 2}\n",
	}}
	if err := e.Create(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	write := func(dir string, count int) {
		for i := range count {
			e.write(fmt.Sprintf("%s/%d.yaml", dir, i), fmt.Sprintf(inert, fmt.Sprintf("%s-%d", dir, i)))
		}
	}
	remove := func(dir string, from, to int) {
		e.atOnce(func() {
			for i := from; i < to; i++ {
				e.remove(fmt.Sprintf("%s/%d.yaml", dir, i))
			}
		})
	}
	write("red", 6)
	write("blue", 3)
	write("away", 10)
	e.restart()
	elsewhere := embeddedtest.Namespace(t, hubConfig)
	e.project("red", func(*v1alpha1.AppProjectSpec) {})
	limited := func(app *v1alpha1.Application) { annotate(app, gitops.AnnotationDeletionGuard, "max 100") }
	has := func(count int) func(*v1alpha1.Application) bool {
		return func(app *v1alpha1.Application) bool {
			return app.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && len(app.Status.Resources) == count && condition(app, heldError) == ""
		}
	}
	e.app("red", "red", in("red"), limited)
	e.app("away", "away", in("red"), limited, func(app *v1alpha1.Application) { app.Spec.Destination.Namespace = elsewhere })
	e.app("blue", "blue", limited)
	for name, count := range map[string]int{"red": 6, "away": 10, "blue": 3} {
		e.until(name, "synced", has(count))
	}
	remove("away", 0, 9) // of which the fleet has none
	e.until("away", "smaller", has(1))
	remove("red", 0, 4) // 4 of 12
	e.until("red", "smaller", has(2))
	remove("red", 4, 5)
	e.says("red", heldError, "more than the fleet lets go within")
	remove("blue", 2, 3)
	e.until("blue", "smaller", has(2))
}

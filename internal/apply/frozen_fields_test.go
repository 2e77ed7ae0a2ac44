package apply_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
)

const (
	growing = `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: growing}
provisioner: example.com/disks
allowVolumeExpansion: true
`
	claim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: claim, labels: {app: one}}
spec: {accessModes: [ReadWriteOnce], storageClassName: growing, volumeName: VOLUME, resources: {requests: {storage: 1Gi}}}
`
	volume = `
apiVersion: v1
kind: PersistentVolume
metadata: {name: VOLUME}
spec: {capacity: {storage: 10Gi}, accessModes: [ReadWriteOnce], storageClassName: growing, persistentVolumeReclaimPolicy: Retain, hostPath: {path: /none}, claimRef: {namespace: NAMESPACE, name: claim}}
`
)

var claims = schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}

// grow has a claim of 1 GiB bound to its volume, and has somebody grow it to 5 GiB.
func (c *cluster) grow(t *testing.T, k gitops.Key, manager string) *gitops.Live {
	t.Helper()
	all := c.dynamic.Resource(claims).Namespace(k.Namespace)
	patch := func(by, text string, below ...string) *unstructured.Unstructured {
		t.Helper()
		o, err := all.Patch(t.Context(), k.Name, types.MergePatchType, []byte(text), metav1.PatchOptions{FieldManager: by}, below...)
		must(t, err)
		return o
	}
	patch("disks", `{"status":{"phase":"Bound","capacity":{"storage":"10Gi"}}}`, "status")
	return observe.New().Live("", patch(manager, `{"spec":{"resources":{"requests":{"storage":"5Gi"}}}}`))
}

// size is what a claim asks for.
func (c *cluster) size(t *testing.T, k gitops.Key) string {
	t.Helper()
	text, _, err := unstructured.NestedString(c.get(t, k, "v1").Object, "spec", "resources", "requests", "storage")
	must(t, err)
	return text
}

// TestGrownClaimsAreFrozen has volumes that are larger than Git says, which no
// API server makes smaller.
func TestGrownClaimsAreFrozen(t *testing.T) {
	whole := gitops.Drift{Policy: gitops.DriftFreeze}
	field := gitops.Drift{Fields: []gitops.FieldDrift{{Pointer: "/spec/resources/requests/storage", Policy: gitops.DriftFreeze}}}
	cases := map[string]struct {
		reason string
		// maker made the claim, empty for the engine; grower has grown it.
		maker, grower string
		drift         gitops.Drift
	}{
		"Scaler":  {"an autoscaler has grown it", "", "scaler", whole},
		"Field":   {"a rule may be about the size alone", "", "kubectl-edit", field},
		"Adopted": {"it was grown before the engine took it over", "kubectl-client-side-apply", "scaler", whole},
		"Same":    {"by who made it", "argocd-controller", "argocd-controller", whole},
		"Its":     {"which a rule about the size is enough for", "kubectl-client-side-apply", "kubectl-client-side-apply", field},
	}
	namespace := embeddedtest.Namespace(t, config)
	a, _ := applier()
	apply1(t, a, connect(t), action(t, "", growing))
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			fill := strings.NewReplacer("name: claim", "name: "+strings.ToLower(name), "VOLUME", namespace+"-"+strings.ToLower(name), "NAMESPACE", namespace)
			apply1(t, a, c, action(t, "", fill.Replace(volume)))
			text := fill.Replace(claim)
			wanted := action(t, namespace, text)
			c.make(t, a, wanted, tc.maker)
			wanted.Verb, wanted.Drift, wanted.Live, wanted.Suspect = gitops.Update, tc.drift, c.grow(t, wanted.Key, tc.grower), true
			c.frozenIn(t, a, wanted)
			wanted.Suspect = false
			apply1(t, a, c, wanted)
			for _, label := range []string{"two", "three"} {
				next := action(t, namespace, strings.ReplaceAll(text, "app: one", "app: "+label))
				next.Verb, next.Drift, next.Live = gitops.Update, tc.drift, observe.New().Live("", c.get(t, wanted.Key, "v1"))
				other := action(t, namespace, strings.ReplaceAll(settings, "settings", strings.ToLower(name)+label))
				for _, r := range a.Wave(t.Context(), c, gitops.Wave{Phase: gitops.Sync, Actions: []gitops.Action{next, other}}) {
					must(t, r.Err)
				}
				if got := c.get(t, wanted.Key, "v1").GetLabels()["app"]; got != label {
					t.Errorf("%s: the rest is not synced: the label is %q, want %q", tc.reason, got, label)
				}
				if got := c.size(t, wanted.Key); got != "5Gi" {
					t.Errorf("%s: the claim has %s", tc.reason, got)
				}
				next.Suspect, next.Live = true, observe.New().Live("", c.get(t, wanted.Key, "v1"))
				c.frozenIn(t, a, next)
			}
		})
	}
}

// make creates an object as another tool, or as the engine.
func (c *cluster) make(t *testing.T, a *apply.Applier, wanted gitops.Action, manager string) {
	t.Helper()
	if manager == "" {
		apply1(t, a, c, wanted)
		return
	}
	_, err := c.dynamic.Resource(claims).Namespace(wanted.Key.Namespace).Create(t.Context(), wanted.Desired.Object.DeepCopy(), metav1.CreateOptions{FieldManager: manager})
	must(t, err)
}

// frozenIn checks that a comparison tells of the size, and leaves it.
func (c *cluster) frozenIn(t *testing.T, a *apply.Applier, wanted gitops.Action) {
	t.Helper()
	got, err := a.Confirm(t.Context(), c, wanted)
	must(t, err)
	if verb := got.Verb; verb != gitops.Keep && got.Reason != gitops.TakenOver || got.Sync != gitops.Synced || len(got.Deviations) != 1 || got.Deviations[0].Field != "spec.resources.requests.storage" {
		t.Errorf("%s %s (%s), deviations %+v", got.Verb, got.Sync, got.Reason, got.Deviations)
	}
}

// TestFrozenFieldsAreNotTakenOver adopts an object with a field that is frozen.
func TestFrozenFieldsAreNotTakenOver(t *testing.T) {
	c := connect(t)
	a, _ := applier()
	wanted := action(t, embeddedtest.Namespace(t, config), strings.ReplaceAll(settings, "color: blue", "color: blue, size: small"))
	theirs := wanted.Desired.Object.DeepCopy()
	must(t, unstructured.SetNestedField(theirs.Object, "red", "data", "color"))
	maps := c.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(wanted.Key.Namespace)
	live, err := maps.Create(t.Context(), theirs, metav1.CreateOptions{FieldManager: "argocd-controller"})
	must(t, err)
	for range 2 {
		wanted.Verb, wanted.Drift, wanted.Live = gitops.Update, gitops.Drift{Policy: gitops.DriftFreeze}, observe.New().Live("", live)
		apply1(t, a, c, wanted)
		live = c.get(t, wanted.Key, "v1")
		data, _, err := unstructured.NestedStringMap(live.Object, "data")
		must(t, err)
		if data["color"] != "red" || data["size"] != "small" {
			t.Errorf("the object has %v", data)
		}
	}
}

// TestManyFrozenFieldsHideNoDrift has more frozen fields than are told.
func TestManyFrozenFieldsHideNoDrift(t *testing.T) {
	c := connect(t)
	a, _ := applier()
	wanted := action(t, embeddedtest.Namespace(t, config), strings.ReplaceAll(settings, "annotations: {origin: git}", "labels: {team: ours}"))
	theirs := map[string]any{}
	for i := range 150 {
		key := fmt.Sprintf("k%03d", i)
		must(t, unstructured.SetNestedField(wanted.Desired.Object.Object, "git", "data", key))
		theirs[key] = "theirs"
	}
	apply1(t, a, c, wanted)
	patch, err := json.Marshal(map[string]any{"data": theirs, "metadata": map[string]any{"labels": map[string]any{"team": "theirs"}}})
	must(t, err)
	maps := c.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(wanted.Key.Namespace)
	live, err := maps.Patch(t.Context(), wanted.Key.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "kubectl-edit"})
	must(t, err)
	wanted.Verb, wanted.Suspect, wanted.Live = gitops.Update, true, observe.New().Live("", live)
	wanted.Drift = gitops.Drift{Fields: []gitops.FieldDrift{{Pointer: "/data", Policy: gitops.DriftFreeze}}}
	got, err := a.Confirm(t.Context(), c, wanted)
	must(t, err)
	if got.Verb != gitops.Update || got.Sync != gitops.OutOfSync || len(got.Deviations) != 100 || got.Untold != 51 {
		t.Fatalf("%s %s (%s), %d deviations and %d more", got.Verb, got.Sync, got.Reason, len(got.Deviations), got.Untold)
	}
	apply1(t, a, c, got)
	live = c.get(t, wanted.Key, "v1")
	data, _, err := unstructured.NestedStringMap(live.Object, "data")
	must(t, err)
	if team := live.GetLabels()["team"]; team != "ours" {
		t.Error("the label is not healed: ", team)
	}
	for key := range theirs {
		if data[key] != "theirs" {
			t.Fatal("a frozen field is overwritten: ", key, data[key])
		}
	}
}

package observe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// applied is a Deployment as an API server returns it after an apply by the
// engine and a status by the deployment controller.
const applied = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  uid: 4f9d1c1e-0000-4000-8000-000000000001
  resourceVersion: "1234"
  generation: 1
  creationTimestamp: "2026-11-01T10:00:00Z"
  labels: {app: web}
  annotations:
    argocd.argoproj.io/tracking-id: shop:apps/Deployment:shop/web
    argocd.argoproj.io/sync-wave: "2"
    deployment.kubernetes.io/revision: "1"
  finalizers: [example.com/wait]
  ownerReferences:
  - {apiVersion: v1, kind: ConfigMap, name: owner, uid: 4f9d1c1e-0000-4000-8000-000000000009}
  managedFields:
  - apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1:
      f:metadata:
        f:annotations: {f:argocd.argoproj.io/tracking-id: {}, f:argocd.argoproj.io/sync-wave: {}}
        f:labels: {f:app: {}}
      f:spec:
        f:replicas: {}
        f:selector: {}
        f:template:
          f:metadata: {f:labels: {f:app: {}}}
          f:spec:
            f:containers:
              k:{"name":"web"}:
                .: {}
                f:name: {}
                f:image: {}
                f:ports:
                  k:{"containerPort":8080,"protocol":"TCP"}: {.: {}, f:containerPort: {}, f:name: {}}
    manager: causeway
    operation: Apply
    time: "2026-11-01T10:00:00Z"
  - apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1:
      f:metadata: {f:annotations: {.: {}, f:deployment.kubernetes.io/revision: {}}}
      f:status: {f:observedGeneration: {}, f:replicas: {}}
    manager: kube-controller-manager
    operation: Update
    subresource: status
    time: "2026-11-01T10:00:01Z"
spec:
  replicas: 2
  progressDeadlineSeconds: 600
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      restartPolicy: Always
      containers:
      - name: sidecar
        image: proxy:1
      - name: web
        image: web:1
        imagePullPolicy: IfNotPresent
        ports:
        - {containerPort: 8080, protocol: TCP, name: http}
status: {observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2}
`

func TestLive(t *testing.T) {
	got := New().Live("", object(t, applied))
	if len(got.Fingerprint) != 32 {
		t.Errorf("fingerprint is %q; want 32 hexadecimal digits", got.Fingerprint)
	}
	got.Fingerprint = ""
	want := &gitops.Live{
		Key:             gitops.Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"},
		Version:         schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"},
		UID:             "4f9d1c1e-0000-4000-8000-000000000001",
		ResourceVersion: "1234",
		Created:         time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC),
		Finalizers:      []string{"example.com/wait"},
		Tracking:        "shop:apps/Deployment:shop/web",
		Annotations:     map[string]string{gitops.AnnotationWave: "2"},
		Owners:          []types.UID{"4f9d1c1e-0000-4000-8000-000000000009"},
		Health:          gitops.Health{Code: gitops.Healthy},
		Images:          []string{"proxy:1", "web:1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestMark says whose marks count: where several installations share a cluster, their Applications may have one name.
func TestMark(t *testing.T) {
	marked := func(installation string) *unstructured.Unstructured {
		o := object(t, applied)
		if installation != "" {
			annotations := o.GetAnnotations()
			annotations[gitops.AnnotationInstallation] = installation
			o.SetAnnotations(annotations)
		}
		return o
	}
	for name, tc := range map[string]struct {
		reason       string
		ours, theirs string
		counts       bool
	}{
		"Nobody":   {"an installation without a name takes all as its own", "", "", true},
		"Nameless": {"but not what bears another's", "", "a", false},
		"Own":      {"one with a name has what bears it", "a", "a", true},
		"Other":    {"and nothing of another", "a", "b", false},
		"Without":  {"or of one without a name", "a", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			c := New()
			if changed := c.Mark(gitops.Tracking{Installation: tc.ours}); changed != (tc.ours != "") {
				t.Errorf("a first name %q: changed is %v", tc.ours, changed)
			}
			if got := c.Live("", marked(tc.theirs)).Tracking != ""; got != tc.counts {
				t.Errorf("%s: it counts: %v, want %v", tc.reason, got, tc.counts)
			}
			if c.Mark(gitops.Tracking{Installation: tc.ours}) || !c.Mark(gitops.Tracking{Installation: "c"}) {
				t.Error("another name alone is a change")
			}
		})
	}
}

func TestLiveOfAlmostNothing(t *testing.T) {
	for _, o := range []map[string]any{nil, {}, {"metadata": "x", "spec": "y"}, {"metadata": map[string]any{"managedFields": []any{1, nil}}}} {
		if got := New().Live("", &unstructured.Unstructured{Object: o}); got == nil || got.Fingerprint != "" {
			t.Errorf("Live(%v) = %+v", o, got)
		}
	}
}

func TestFingerprint(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(o *unstructured.Unstructured)
		same   bool
	}{
		"Nothing": {"equal objects are equal", func(*unstructured.Unstructured) {}, true},
		"Status": {"a status does not count", func(o *unstructured.Unstructured) {
			set(o, int64(1), "status", "availableReplicas")
			set(o, "1235", "metadata", "resourceVersion")
		}, true},
		"OtherField": {"nor does a field that we do not own", func(o *unstructured.Unstructured) {
			set(o, int64(300), "spec", "progressDeadlineSeconds")
		}, true},
		"OtherItem": {"nor a list item of someone else", func(o *unstructured.Unstructured) {
			containerAt(o, 0)["image"] = "proxy:2"
		}, true},
		"Order": {"nor the place of our item in the list", func(o *unstructured.Unstructured) {
			list, _, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "template", "spec", "containers")
			items := list.([]any)
			items[0], items[1] = items[1], items[0]
		}, true},
		"Float": {"1 and 1.0 are one number", func(o *unstructured.Unstructured) { set(o, 2.0, "spec", "replicas") }, true},
		"OwnField": {"a field that we own does", func(o *unstructured.Unstructured) {
			set(o, int64(5), "spec", "replicas")
		}, false},
		"OwnItem": {"so does a field of our list item", func(o *unstructured.Unstructured) {
			containerAt(o, 1)["image"] = "web:2"
		}, false},
		"Inside": {"a field owned as a whole counts with all that it holds", func(o *unstructured.Unstructured) {
			set(o, "b", "spec", "selector", "matchLabels", "tier")
		}, false},
		"Removed": {"a removed value counts", func(o *unstructured.Unstructured) {
			unstructured.RemoveNestedField(o.Object, "metadata", "labels", "app")
		}, false},
		"Disowned": {"and so does the loss of a field to another manager", func(o *unstructured.Unstructured) {
			managers, _, _ := unstructured.NestedFieldNoCopy(o.Object, "metadata", "managedFields")
			ours := managers.([]any)[0].(map[string]any)
			unstructured.RemoveNestedField(ours, "fieldsV1", "f:spec", "f:replicas")
		}, false},
	}
	before := New().Live("", object(t, applied)).Fingerprint
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := object(t, applied)
			tc.change(o)
			if got := New().Live("", o).Fingerprint; (got == before) != tc.same {
				t.Errorf("%s: %s before, %s after", tc.reason, before, got)
			}
		})
	}
}

func TestFingerprintOfSets(t *testing.T) {
	const text = `
apiVersion: v1
kind: ServiceAccount
metadata:
  name: x
  finalizers: [a, b]
  managedFields:
  - {manager: causeway, operation: Apply, apiVersion: v1, fieldsV1: {f:metadata: {f:finalizers: {'v:"a"': {}}}}}
`
	o := object(t, text)
	before := New().Live("", o).Fingerprint
	o.SetFinalizers([]string{"c", "a"})
	if got := New().Live("", o).Fingerprint; got != before {
		t.Error("a member of someone else changed the fingerprint")
	}
	o.SetFinalizers([]string{"c"})
	if got := New().Live("", o).Fingerprint; got == before {
		t.Error("the loss of our member left the fingerprint as it was")
	}
}

func TestForeign(t *testing.T) {
	cases := map[string]struct {
		manager, operation, subresource string
		want                            bool
	}{
		"ClientSide":   {"kubectl-client-side-apply", "Update", "", true},
		"Argo":         {"argocd-controller", "Apply", "", true},
		"KubectlApply": {"kubectl", "Apply", "", true},
		"KubectlScale": {"kubectl", "Update", "scale", false},
		"KubectlEdit":  {"kubectl-edit", "Update", "", false},
		"Us":           {"causeway", "Apply", "", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := foreign([]any{map[string]any{"manager": tc.manager, "operation": tc.operation, "subresource": tc.subresource}})
			if got != tc.want {
				t.Errorf("got %v; want %v", got, tc.want)
			}
		})
	}
}

func set(o *unstructured.Unstructured, value any, path ...string) {
	if err := unstructured.SetNestedField(o.Object, value, path...); err != nil {
		panic(err)
	}
}

func containerAt(o *unstructured.Unstructured, i int) map[string]any {
	list, _, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "template", "spec", "containers")
	return list.([]any)[i].(map[string]any)
}

func BenchmarkFingerprint(b *testing.B) {
	o := object(&testing.T{}, applied)
	managers, _, _ := unstructured.NestedFieldNoCopy(o.Object, "metadata", "managedFields")
	b.ReportAllocs()
	for b.Loop() {
		fingerprint(o.Object, managers.([]any))
	}
}

func BenchmarkLive(b *testing.B) {
	o := object(&testing.T{}, applied)
	b.ReportAllocs()
	checks := New()
	for b.Loop() {
		checks.Live("", o)
	}
}

func TestLiveKeepsLittle(t *testing.T) {
	const long = 10_000
	containers, finalizers, owners := []any{}, []any{}, []any{}
	for i := range 1000 {
		name := fmt.Sprintf("%d%s", i, strings.Repeat("x", long))
		containers = append(containers, map[string]any{"image": name})
		finalizers = append(finalizers, name)
		owners = append(owners, map[string]any{"uid": name})
	}
	annotations := map[string]any{
		gitops.AnnotationTracking: strings.Repeat("x", long) + ":batch/Job:/a",
		gitops.AnnotationSync:     strings.Repeat("x", long), gitops.AnnotationWave: "1", "helm.sh/resource-policy": "keep",
	}
	for i := range 1000 {
		annotations["helm.sh/a"+strconv.Itoa(i)], annotations[gitops.AnnotationPrefix+"a"+strconv.Itoa(i)] = "", "x"
	}
	finalizers = append(finalizers, hookFinalizer)
	got := New().Live("", &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "batch/v1", "kind": "Job",
		"metadata": map[string]any{
			"name": "a", "finalizers": finalizers, "ownerReferences": owners,
			"annotations": annotations,
		},
		"spec":   map[string]any{"template": map[string]any{"spec": map[string]any{"containers": containers}}},
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Failed", "message": strings.Repeat("x", long)}}},
	}})
	if len(got.Images) != maxImages || len(got.Finalizers) != maxFinalizers+1 || len(got.Owners) != maxOwners {
		t.Errorf("%d images, %d finalizers and %d owners are kept", len(got.Images), len(got.Finalizers), len(got.Owners))
	}
	if !slices.Contains(got.Finalizers, hookFinalizer) {
		t.Error("the finalizer of a hook is lost behind others")
	}
	if len(got.Annotations) != 3 || got.Annotations[gitops.AnnotationWave] != "1" || got.Annotations["helm.sh/resource-policy"] != "keep" {
		t.Errorf("%d annotations are kept, where three are read", len(got.Annotations))
	}
	if size := len(got.Annotations[gitops.AnnotationSync]); size <= gitops.MaxSteering || size > gitops.MaxSteering+len("…") {
		t.Errorf("%d bytes are kept of an annotation that is too long, which has to be seen", size)
	}
	for _, uid := range got.Owners {
		if len(uid) <= maxUID || len(uid) > maxUID+len("…") {
			t.Errorf("an owner of %d bytes is kept, where none is a UID", len(uid))
		}
	}
	for _, text := range slices.Concat(got.Images, got.Finalizers, []string{got.Tracking, got.Health.Message}) {
		if len(text) > max(gitops.MaxTrackingID, maxMessage)+len("…") {
			t.Errorf("a text of %d bytes is kept", len(text))
		}
	}
	if app, ok := gitops.TrackedBy(got.Tracking, got.Key); ok {
		t.Errorf("it belongs to an application of %d bytes", len(app))
	}
}

package app

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// touched are objects that others write to. Each must be in sync before and
// after, and nobody may undo what they wrote.
var touched = map[string]struct {
	reason   string
	manifest string
	manager  string
	patch    string
	path     []string
	want     any
}{
	"Autoscaler": {
		reason:   "replicas that are not in Git belong to the autoscaler",
		manifest: `{apiVersion: apps/v1, kind: Deployment, metadata: {name: scaled}, spec: {selector: {matchLabels: {app: scaled}}, template: {metadata: {labels: {app: scaled}}, spec: {containers: [{name: a, image: registry.example.com/a}]}}}}`,
		manager:  "kube-controller-manager", patch: `{"spec":{"replicas":0}}`, path: []string{"spec", "replicas"}, want: int64(0),
	},
	"Bundle": {
		reason:   "certificates that are not in Git belong to who injects them",
		manifest: `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: NAMESPACE-bundle}, webhooks: [{name: a.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {service: {name: a, namespace: NAMESPACE}}, rules: [{apiGroups: [none.example.com], apiVersions: [v1], resources: [nothings], operations: [CREATE]}]}]}`,
		manager:  "cert-manager-cainjector",
		patch:    `{"webhooks":[{"name":"a.example.com","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"caBundle":"BUNDLE","service":{"name":"a","namespace":"NAMESPACE"}},"rules":[{"apiGroups":["none.example.com"],"apiVersions":["v1"],"resources":["nothings"],"operations":["CREATE"]}]}]}`,
	},
	"KnownType": {
		reason:   "a quantity of a known type is what it means",
		manifest: `{apiVersion: NAMESPACE.example.com/v1, kind: Widget, metadata: {name: typed}, spec: {resources: {limits: {cpu: 1000m}}}}`,
		manager:  "widget-controller", patch: `{"spec":{"resources":{"limits":{"cpu":"1"}}}}`, path: []string{"spec", "resources", "limits", "cpu"}, want: "1",
	},
	"AggregatedRole": {
		reason:   "the rules of an aggregated role belong to the controller",
		manifest: `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: NAMESPACE-aggregated}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {none: such-NAMESPACE}}]}, rules: [{apiGroups: [""], resources: [pods], verbs: [list]}]}`,
		manager:  "clusterrole-aggregation-controller", patch: `{"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]}`,
	},
	"ListOrder": {
		reason:   "the order of a list with keys means nothing",
		manifest: `{apiVersion: v1, kind: Service, metadata: {name: ordered}, spec: {selector: {app: a}, ports: [{name: b, port: 81}, {name: a, port: 80}]}}`,
		manager:  "sorter", patch: `{"spec":{"ports":[{"name":"a","port":80,"protocol":"TCP","targetPort":80},{"name":"b","port":81,"protocol":"TCP","targetPort":81}]}}`,
	},
}

const widgetDefinition = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.NAMESPACE.example.com}, spec: {group: NAMESPACE.example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`

// TestNoNoiseOfOthers lets others write to objects while no engine looks. One
// that remembers nothing finds all in sync, and leaves it so.
func TestNoNoiseOfOthers(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	e.keep()
	e.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.SettingsName}, Data: map[string]string{
		"resource.customizations.knownTypeFields." + e.namespace + ".example.com_Widget": "[{field: spec.resources, type: core/v1/ResourceRequirements}]",
		"resource.compareoptions": "ignoreAggregatedRoles: true",
	}})
	e.write("all/definition.yaml", e.here(widgetDefinition))
	for name, c := range touched {
		e.write("all/"+name+".yaml", e.here(c.manifest))
	}
	stop := e.restart()
	e.app("all", "all")
	e.until("all", "synced", succeeded)
	stop()
	written := map[string]string{}
	for name, c := range touched {
		o := decoded(t, e.here(c.manifest))[0]
		o.SetNamespace(e.namespace)
		if err := e.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(e.here(c.patch))), client.FieldOwner(c.manager)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		written[name] = stateOf(o)
		if got, _, _ := unstructured.NestedFieldNoCopy(o.Object, c.path...); c.want != nil && got != c.want {
			t.Fatalf("%s: others wrote %v, want %v", name, got, c.want)
		}
	}
	e.comparedAnew("all")
	for name, c := range touched {
		o := decoded(t, e.here(c.manifest))[0]
		if err := e.Get(t.Context(), placeOf(o, e.namespace), o); err != nil {
			t.Fatal(err)
		}
		if got := stateOf(o); got != written[name] {
			t.Errorf("%s: %s, but somebody wrote: %s, and was %s", name, c.reason, got, written[name])
		}
	}
}

// comparedAnew starts an engine with an empty memory. It must find an
// application in sync, and start no sync.
func (e *engine) comparedAnew(name string) *v1alpha1.Application {
	e.t.Helper()
	e.restart()
	e.change(name, func(app *v1alpha1.Application) {
		app.Annotations = map[string]string{v1alpha1.AnnotationRefresh: string(v1alpha1.RefreshTypeHard)}
	})
	app := e.until(name, "compared anew", func(app *v1alpha1.Application) bool { return app.Annotations[v1alpha1.AnnotationRefresh] == "" })
	for _, r := range app.Status.Resources {
		if r.Status != v1alpha1.SyncStatusCodeSynced {
			e.t.Errorf("%s/%s %s is %s", r.Group, r.Kind, r.Name, r.Status)
		}
	}
	if op := app.Status.OperationState; len(app.Status.History) != 1 || healings(op) != 0 {
		e.t.Errorf("the same revision was synced %d times, or drift was undone: %+v", len(app.Status.History), op)
	}
	return app
}

// healings is how often in a row the last operation undid drift.
func healings(op *v1alpha1.OperationState) int64 {
	if op == nil || op.Operation.Sync == nil {
		return 0
	}
	return op.Operation.Sync.SelfHealAttemptsCount
}

func succeeded(app *v1alpha1.Application) bool {
	return synced(app) && app.Status.OperationState.Phase.Successful()
}

// here fills in the test's namespace, and a certificate for a bundle.
func (e *engine) here(text string) string {
	return strings.NewReplacer("NAMESPACE", e.namespace, "BUNDLE", base64.StdEncoding.EncodeToString(e.hub.CAData)).Replace(text)
}

// stateOf reports whether an object was written: where it has generations by
// those, because controllers write status.
func stateOf(o *unstructured.Unstructured) string {
	if g := o.GetGeneration(); g != 0 {
		return fmt.Sprintf("generation %d", g)
	}
	return "version " + o.GetResourceVersion()
}

// TestNoNoiseOfAdmission applies what admission changes: by a policy, by
// defaults of the namespace, and by a token that each Pod gets.
func TestNoNoiseOfAdmission(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	e.keep()
	e.make(&corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "defaults"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
		Type: corev1.LimitTypeContainer, Default: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")},
	}}}})
	policy := decoded(t, e.here(mutating))
	for _, o := range policy {
		if err := e.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Delete(t.Context(), o) })
	}
	e.untilAdmitted()
	e.write("all/all.yaml", e.here(admitted))
	stop := e.restart()
	e.app("all", "all")
	e.until("all", "synced", succeeded)
	stop()
	pod := &corev1.Pod{}
	if err := e.Get(t.Context(), types.NamespacedName{Namespace: e.namespace, Name: "admitted"}, pod); err != nil {
		t.Fatal(err)
	}
	if pod.Spec.Containers[0].Resources.Limits.Cpu().IsZero() || len(pod.Spec.Volumes) == 0 {
		t.Fatalf("admission changed nothing of the Pod: %+v", pod.Spec)
	}
	cm, err := e.configMap("admitted")
	if err != nil || cm.Labels["tier"] != "admission" {
		t.Fatalf("admission changed nothing of the ConfigMap: %v, %v", cm.Labels, err)
	}
	version := cm.ResourceVersion
	e.comparedAnew("all")
	if cm, err = e.configMap("admitted"); err != nil || cm.ResourceVersion != version {
		t.Errorf("the ConfigMap was written again: %v", err)
	}
}

const admitted = `
{apiVersion: v1, kind: Pod, metadata: {name: admitted}, spec: {schedulerName: nobody, containers: [{name: a, image: registry.example.com/a}]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: admitted, labels: {tier: git}}, data: {a: "1"}}
`

const mutating = `
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy, metadata: {name: NAMESPACE-tier}, spec: {reinvocationPolicy: Never, matchConstraints: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAMESPACE}}, objectSelector: {matchExpressions: [{key: tier, operator: Exists}]}, resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [CREATE, UPDATE]}]}, mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'tier': 'admission'}}}"}}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicyBinding, metadata: {name: NAMESPACE-tier}, spec: {policyName: NAMESPACE-tier}}
`

// untilAdmitted waits until the policy is in force.
func (e *engine) untilAdmitted() {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, GenerateName: "probe-", Labels: map[string]string{"tier": "none"}}}
		if err := e.Create(ctx, probe); err != nil {
			return err
		}
		if probe.Labels["tier"] != "admission" {
			return errors.New("the policy is not in force")
		}
		return nil
	})
}

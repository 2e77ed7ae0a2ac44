package apply_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1"}]}
`

func TestRefusals(t *testing.T) {
	cases := map[string]struct {
		reason string
		object string
		kind   gitops.ProblemKind
		text   []string
	}{
		"Invalid": {
			reason: "an object that the API rejects tells the field and the file",
			object: strings.ReplaceAll(deployment, "replicas: 0", "replicas: -3"),
			kind:   gitops.Invalid, text: []string{"spec.replicas", "app/object.yaml:3"},
		},
		"UnknownKind": {
			reason: "a kind that the cluster does not serve may come",
			object: "{apiVersion: nowhere.test/v1, kind: Thing, metadata: {name: x}}",
			kind:   gitops.NotReady, text: []string{"does not serve this kind", "CustomResourceDefinition"},
		},
		"UnknownVersion": {
			reason: "a version that the cluster does not serve is treated alike",
			object: "{apiVersion: apps/v1beta1, kind: Deployment, metadata: {name: x}}",
			kind:   gitops.NotReady, text: []string{"does not serve this kind"},
		},
		"WrongType": {
			reason: "a text where a number belongs",
			object: strings.ReplaceAll(deployment, "replicas: 0", "replicas: many"),
			kind:   gitops.Invalid, text: []string{"replicas"},
		},
	}
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := try1(t, a, c, action(t, namespace, tc.object))
			if r.Err == nil || r.Status != "SyncFailed" || r.Live != nil {
				t.Fatalf("%s: unexpected result %+v", tc.reason, r)
			}
			p := problemOf(t, r.Err)
			if p.Kind != tc.kind {
				t.Errorf("%s: kind %d: %v", tc.reason, p.Kind, p)
			}
			for _, text := range tc.text {
				if !strings.Contains(p.Error(), text) {
					t.Errorf("%s: %q is not in %q", tc.reason, text, p.Error())
				}
			}
		})
	}
}

// TestRefusedWaveKeepsLittle has an API server that writes much into each refusal,
// of rehearsed updates and of creates: the results are kept for as long as a sync waits.
func TestRefusedWaveKeepsLittle(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	there := apply1(t, a, c, action(t, namespace, settings))
	body := `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 422, "reason": "Invalid", "message": "` + strings.Repeat("x", 3<<20) + `"}`
	c.answer = func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodGet {
			return nil, nil
		}
		return &http.Response{
			StatusCode: http.StatusUnprocessableEntity, Header: http.Header{"Content-Type": {"application/json"}}, Request: r, Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	}
	update := updated(t, namespace, there, strings.ReplaceAll(settings, "blue", "green"))
	for what, first := range map[string]gitops.Action{"updates": update, "creates": action(t, namespace, deployment)} {
		wave := gitops.Wave{Phase: gitops.Sync, Actions: []gitops.Action{first, action(t, namespace, strings.ReplaceAll(settings, "name: settings", "name: more"))}}
		for _, r := range a.Wave(t.Context(), c, wave) {
			var status *apierrors.StatusError
			if !errors.As(r.Err, &status) || !apierrors.IsInvalid(r.Err) {
				t.Fatalf("%s: the refusal is not told by what is kept: %v", what, r.Err)
			}
			if kept := len(status.ErrStatus.Message) + len(r.Message); kept > 4<<10 {
				t.Errorf("%s: %d bytes are kept of %s", what, kept, r.Key)
			}
		}
	}
}

func TestMissingNamespace(t *testing.T) {
	c := connect(t)
	a, _ := applier()
	p := problemOf(t, try1(t, a, c, action(t, "never-made", settings)).Err)
	if p.Kind != gitops.NotFound || !strings.Contains(p.Error(), "CreateNamespace=true") {
		t.Errorf("unexpected problem: %v", p)
	}
}

// TestWhatWasDecryptedStaysOutOfErrors has objects of other kinds with a value
// that was decrypted for them: an API server repeats what it does not take.
func TestWhatWasDecryptedStaysOutOfErrors(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	for what, text := range map[string]string{
		"a value":          "{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {type: hunter2, ports: [{port: 80}]}}",
		"a type":           "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {replicas: hunter2}}",
		"where it is long": "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, labels: {a: '" + strings.Repeat("x ", 490) + "hunter2'}}}",
	} {
		act := action(t, namespace, text)
		act.Desired.Hidden = []string{"hunter2"}
		r := try1(t, a, c, act)
		if r.Err == nil || strings.Contains(r.Err.Error()+r.Message, "hunter") {
			t.Errorf("%s: %v tells what was decrypted: %s", what, r.Err, r.Message)
		}
	}
}

func TestSecretsStayOutOfErrors(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	r := try1(t, a, c, action(t, namespace, "{apiVersion: v1, kind: Secret, metadata: {name: x}, data: {'hunter2 key': aHVudGVyMg==, b: 'hunter2!'}}"))
	if r.Err == nil || strings.Contains(r.Err.Error()+r.Message, "hunter2") {
		t.Errorf("a value of a Secret is in %v", r.Err)
	}
}

func TestImmutableField(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	first := apply1(t, a, c, action(t, namespace, deployment))
	changed := action(t, namespace, strings.ReplaceAll(deployment, "app: web", "app: site"))
	changed.Verb, changed.Live = gitops.Update, first.Live

	p := problemOf(t, try1(t, a, c, changed).Err)
	if p.Kind != gitops.Invalid || !strings.Contains(p.Error(), "spec.selector") || !strings.Contains(p.Error(), "Force=true") {
		t.Errorf("unexpected problem: %v", p)
	}
	changed.Options.Replace = true
	if r := try1(t, a, c, changed); r.Err == nil {
		t.Error("Replace=true alone must not help against an immutable field")
	}
	for _, replace := range []bool{false, true} {
		changed.Options.Replace, changed.Options.Force = replace, true
		r := apply1(t, a, c, changed)
		if r.Live.UID == changed.Live.UID || r.Message != "created" {
			t.Errorf("with Force=true and Replace=%v the object was not created anew: %+v", replace, r)
		}
		changed = action(t, namespace, deployment)
		changed.Verb, changed.Live = gitops.Update, r.Live
	}
}

// TestUIDOfAnotherObject has a manifest that was copied with what an API server gives.
func TestUIDOfAnotherObject(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	const text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, uid: 0b2c8a5e-0000-4000-8000-000000000000}}"
	p := problemOf(t, try1(t, a, c, action(t, namespace, text)).Err)
	if p.Kind != gitops.Invalid || !strings.Contains(p.Error(), "metadata.uid") {
		t.Errorf("unexpected problem: %v", p)
	}
}

func TestReplaceRemovesWhatOthersAdded(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	apply1(t, a, c, action(t, namespace, settings))
	next := action(t, namespace, settings)
	next.Verb, next.Live, next.Options.Replace = gitops.Update, c.patch(t, next.Key, `{"data":{"extra":"x"}}`), true
	r := apply1(t, a, c, next)
	data, _, _ := unstructured.NestedStringMap(c.get(t, next.Key, "v1").Object, "data")
	if diff := cmp.Diff(map[string]string{"color": "blue"}, data); diff != "" {
		t.Errorf("data: -want +got\n%s", diff)
	}
	if r.Live.Fingerprint == "" {
		t.Error("a replaced object's fields are not ours")
	}
}

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.apply.test}
spec:
  group: apply.test
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

func TestDefinitionAndObjectInOneWave(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	group := namespace + ".test"
	widget := action(t, namespace, "{apiVersion: "+group+"/v1, kind: Widget, metadata: {name: one}, spec: {size: 3}}")
	if p := problemOf(t, try1(t, a, c, widget).Err); p.Kind != gitops.NotReady {
		t.Errorf("without its definition: %v", p)
	}
	definition := action(t, "", strings.ReplaceAll(widgets, "apply.test", group))
	definition.Step, widget.Step = 1, 2
	for _, r := range a.Wave(t.Context(), c, gitops.Wave{Phase: gitops.Sync, Actions: []gitops.Action{definition, widget}}) {
		if r.Err != nil {
			t.Errorf("%s: %v", r.Key, r.Err)
		}
	}
}

func TestTooManyRequests(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	var count atomic.Int32
	c.answer = func(r *http.Request) (*http.Response, error) {
		if count.Add(1) > 1 {
			return nil, nil
		}
		return &http.Response{
			StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1"}}, Request: r,
			Body: io.NopCloser(strings.NewReader("Too many requests, please try again later.")),
		}, nil
	}
	start := time.Now()
	apply1(t, a, c, action(t, namespace, settings))
	if waited := time.Since(start); waited < time.Second {
		t.Errorf("tried again after %s, before the server's Retry-After", waited)
	}
	if got := c.take(); len(got) != 2 {
		t.Errorf("two requests wanted: %v", got)
	}
}

func TestServerThatIsDown(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	var count atomic.Int32
	refuse := func(*http.Request) (*http.Response, error) {
		count.Add(1)
		return nil, fmt.Errorf("dial tcp 127.0.0.1:1: %w", syscall.ECONNREFUSED)
	}
	c.answer = refuse
	p := problemOf(t, try1(t, a, c, action(t, namespace, settings)).Err)
	if p.Kind != gitops.Unreachable || !strings.Contains(p.Error(), c.Server()) {
		t.Errorf("unexpected problem: %v", p)
	}
	if n := count.Load(); n < 2 || n > 10 {
		t.Errorf("%d attempts: a few are wanted", n)
	}
	count.Store(0)
	c.answer = func(r *http.Request) (*http.Response, error) {
		if count.Load() >= 2 {
			return nil, nil
		}
		return refuse(r)
	}
	apply1(t, a, c, action(t, namespace, settings))
}

func TestPassingServerErrors(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	cases := map[string]struct {
		reason string
		code   int
		body   string
	}{
		"Unavailable": {"an API server that starts", http.StatusServiceUnavailable, "apiserver not ready"},
		"Etcd":        {"a change of etcd's leader", http.StatusInternalServerError, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"InternalError","code":500,"message":"etcdserver: leader changed"}`},
		"Conflict":    {"another writer was quicker", http.StatusConflict, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409,"message":"the object has been modified"}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			a, _ := applier()
			var count atomic.Int32
			c.answer = func(r *http.Request) (*http.Response, error) {
				if count.Add(1) > 2 {
					return nil, nil
				}
				header := http.Header{"Content-Type": {"application/json"}}
				return &http.Response{StatusCode: tc.code, Header: header, Request: r, Body: io.NopCloser(strings.NewReader(tc.body))}, nil
			}
			if r := try1(t, a, c, action(t, namespace, settings)); r.Err != nil {
				t.Errorf("%s: %v", tc.reason, r.Err)
			}
		})
	}
}

func TestWebhookThatDoesNotAnswerIsWaitedFor(t *testing.T) {
	c := connect(t)
	a, _ := applier()
	c.answer = func(r *http.Request) (*http.Response, error) {
		body := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"InternalError","code":500,` +
			`"message":"Internal error occurred: failed calling webhook \"webhook.cert-manager.io\": connect: connection refused"}`
		return &http.Response{
			StatusCode: http.StatusInternalServerError, Header: http.Header{"Content-Type": {"application/json"}}, Request: r, Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	}
	p := problemOf(t, try1(t, a, c, action(t, "x", settings)).Err)
	if p.Kind != gitops.NotReady || !strings.Contains(p.Fix, "webhook.cert-manager.io") {
		t.Errorf("unexpected problem: %v", p)
	}
	if got := c.take(); len(got) != 1 {
		t.Errorf("one request wanted: %v", got)
	}
}

func TestDeadlineOfTheCallerHolds(t *testing.T) {
	c := connect(t)
	a, _ := applier()
	c.answer = func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	ctx := within(t, 300*time.Millisecond)
	r := a.Wave(ctx, c, gitops.Wave{Actions: []gitops.Action{action(t, "x", settings)}})[0]
	if r.Err == nil {
		t.Error("a request without an answer must fail")
	}
}

func TestPruneOnlyWhatWasSeen(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	seen := apply1(t, a, c, action(t, namespace, settings))
	prune := gitops.Action{Verb: gitops.Prune, Key: seen.Key, Live: seen.Live, Options: gitops.Options{PrunePolicy: "background"}}
	c.take()
	if r := apply1(t, a, c, prune); r.Status != "Pruned" {
		t.Errorf("unexpected result: %+v", r)
	}
	if got := c.take(); len(got) != 1 {
		t.Errorf("one request wanted: %v", got)
	}
	if r := apply1(t, a, c, prune); r.Status != "Pruned" || !strings.Contains(r.Message, "gone") {
		t.Errorf("unexpected result of a second prune: %+v", r)
	}
	apply1(t, a, c, action(t, namespace, settings))
	if r := apply1(t, a, c, prune); !strings.HasPrefix(r.Message, "kept") {
		t.Errorf("an object made since was not kept: %+v", r)
	}
	c.get(t, seen.Key, "v1")
}

func TestRecreatedHook(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	hook := action(t, namespace, settings)
	hook.Recreate, hook.Hook = true, true
	mark(hook.Desired.Object, gitops.TrackingID("shop", hook.Key))
	first := apply1(t, a, c, hook)
	second := apply1(t, a, c, hook)
	if first.Live.UID == second.Live.UID || second.Message != "created" {
		t.Errorf("the hook was not created anew: %+v", second)
	}
}

const lastApplied = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"color":"blue","old":"x"}}`

func TestTakeOver(t *testing.T) {
	cases := map[string]struct {
		reason    string
		manager   string
		operation string
	}{
		"KubectlClientSide": {"kubectl apply", "kubectl-client-side-apply", "Update"},
		"ArgoClientSide":    {"Argo CD", "argocd-controller", "Update"},
		"ArgoServerSide":    {"Argo CD with ServerSideApply=true", "argocd-controller", "Apply"},
		"KubectlServerSide": {"kubectl apply --server-side", "kubectl", "Apply"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			namespace := embeddedtest.Namespace(t, config)
			c := connect(t)
			a, _ := applier()
			c.madeBy(t, namespace, tc.manager, tc.operation)

			wanted := action(t, namespace, settings)
			wanted.Verb, wanted.Suspect, wanted.Live = gitops.Update, true, &gitops.Live{Foreign: true}
			confirmed, err := a.Confirm(t.Context(), c, wanted)
			must(t, err)
			if confirmed.Live == nil || !confirmed.Live.Foreign {
				t.Fatalf("%s: the object is not seen as foreign: %+v", tc.reason, confirmed.Live)
			}
			r := apply1(t, a, c, confirmed)
			if r.Live.Foreign {
				t.Errorf("%s: its fields are still foreign", tc.reason)
			}
			o := c.get(t, wanted.Key, "v1")
			data, _, _ := unstructured.NestedStringMap(o.Object, "data")
			if diff := cmp.Diff(map[string]string{"color": "blue"}, data); diff != "" {
				t.Errorf("%s: data: -want +got\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(map[string]string{"origin": "git"}, o.GetAnnotations()); diff != "" {
				t.Errorf("%s: annotations: -want +got\n%s", tc.reason, diff)
			}
		})
	}
}

// madeBy makes the object as another tool does.
func (c *cluster) madeBy(t *testing.T, namespace, manager, operation string) {
	t.Helper()
	maps := c.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(namespace)
	o := object(t, strings.ReplaceAll(settings, "color: blue", "color: blue, old: x"))
	if operation == "Apply" {
		_, err := maps.Apply(t.Context(), o.GetName(), o, metav1.ApplyOptions{FieldManager: manager})
		must(t, err)
		return
	}
	o.SetAnnotations(map[string]string{"kubectl.kubernetes.io/last-applied-configuration": lastApplied})
	_, err := maps.Create(t.Context(), o, metav1.CreateOptions{FieldManager: manager})
	must(t, err)
}

func TestPredict(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	wanted := action(t, namespace, settings)
	live, predicted, err := a.Predict(t.Context(), c, wanted)
	must(t, err)
	if live != nil || predicted.GetName() != "settings" {
		t.Errorf("of an object that is not there: %v, %v", live, predicted)
	}
	r := apply1(t, a, c, wanted)
	wanted = action(t, namespace, strings.ReplaceAll(settings, "blue", "red"))
	wanted.Verb, wanted.Live = gitops.Update, r.Live
	live, predicted, err = a.Predict(t.Context(), c, wanted)
	must(t, err)
	before, _, _ := unstructured.NestedString(live.Object, "data", "color")
	after, _, _ := unstructured.NestedString(predicted.Object, "data", "color")
	if before != "blue" || after != "red" {
		t.Errorf("predicted %s to become %s", before, after)
	}
	_, predicted, err = a.Predict(t.Context(), c, action(t, "not-there-yet", settings))
	must(t, err)
	if predicted == nil {
		t.Error("without the namespace nothing is predicted")
	}
}

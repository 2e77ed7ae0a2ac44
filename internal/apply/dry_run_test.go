package apply_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
)

const statefulSet = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: "db:1"}]}
`

// updated is the action that brings a live object to another text.
func updated(t *testing.T, namespace string, was gitops.Result, text string) gitops.Action {
	t.Helper()
	next := action(t, namespace, text)
	next.Verb, next.Live, next.Suspect, next.Digest = gitops.Update, was.Live, true, "digest of "+text
	return next
}

func TestWaveWithARefusedUpdateWritesNothing(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	first, set := apply1(t, a, c, action(t, namespace, settings)), apply1(t, a, c, action(t, namespace, statefulSet))
	c.take()

	wave := gitops.Wave{Phase: gitops.Sync, Actions: []gitops.Action{
		updated(t, namespace, first, strings.ReplaceAll(settings, "blue", "green")),
		updated(t, namespace, set, strings.NewReplacer("serviceName: db", "serviceName: database", "db:1", "db:2").Replace(statefulSet)),
		action(t, namespace, strings.ReplaceAll(settings, "name: settings", "name: more")),
	}}
	results := a.Wave(t.Context(), c, wave)
	if len(results) != 1 || results[0].Key.Kind != "StatefulSet" {
		t.Fatalf("the refused object alone has a result, not %+v", results)
	}
	text := results[0].Err.Error()
	for _, want := range []string{"spec.serviceName (db, wanted database)", "cannot be changed", "Force=true", "app/object.yaml:3"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not told in: %s", want, text)
		}
	}
	if strings.Contains(text, "image") {
		t.Errorf("a field that may change is named in: %s", text)
	}
	for _, line := range c.take() {
		if !strings.HasPrefix(line, "GET") && !strings.HasSuffix(line, "(dry run)") {
			t.Errorf("%s was sent", line)
		}
	}
}

func TestWaveSendsWhatDiffersOnly(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, remembered := applier()
	same, other := apply1(t, a, c, action(t, namespace, settings)), apply1(t, a, c, action(t, namespace, strings.ReplaceAll(settings, "name: settings", "name: other")))
	c.take()

	results := a.Wave(t.Context(), c, gitops.Wave{Phase: gitops.Sync, Actions: []gitops.Action{
		updated(t, namespace, same, settings),
		updated(t, namespace, other, strings.NewReplacer("name: settings", "name: other", "blue", "green").Replace(settings)),
	}})
	var got []string
	for _, r := range results {
		got = append(got, string(r.Verb)+" "+r.Message)
	}
	if diff := cmp.Diff([]string{"keep unchanged", "update configured"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if !remembered.knows(same.Key, "digest of "+settings, same.Live.Fingerprint) {
		t.Error("what the dry run found equal is not remembered")
	}
	path := "PATCH /api/v1/namespaces/" + namespace + "/configmaps/"
	want := map[string]int{path + "settings (dry run)": 1, path + "other (dry run)": 1, path + "other": 1}
	sent := map[string]int{}
	for _, line := range c.take() {
		sent[line]++
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("requests: -want +got\n%s", diff)
	}
}

func TestRefusedReplaceWritesNothing(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	first, set := apply1(t, a, c, action(t, namespace, settings)), apply1(t, a, c, action(t, namespace, statefulSet))
	replaced := updated(t, namespace, set, strings.ReplaceAll(statefulSet, "serviceName: db", "serviceName: database"))
	replaced.Options.Replace = true
	wave := gitops.Wave{Actions: []gitops.Action{updated(t, namespace, first, strings.ReplaceAll(settings, "blue", "green")), replaced}}
	if results := a.Wave(t.Context(), c, wave); len(results) != 1 || results[0].Err == nil {
		t.Fatalf("Replace=true alone changes no immutable field: %+v", results)
	}
	wave.Actions[1].Options.Force = true
	if results := a.Wave(t.Context(), c, wave); len(results) != 2 || results[1].Err != nil || results[1].Message != "created" {
		t.Fatalf("with Force=true the object is created anew: %+v", results)
	}
}

func TestDefinitionAndItsObjectsChangeTogether(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	crd := strings.ReplaceAll(strictWidgets, "KINDS", "gadgets")
	definition := apply1(t, a, c, action(t, "", crd))
	one := apply1(t, a, c, action(t, namespace, "{apiVersion: apply.test/v1, kind: Gadget, metadata: {name: x}, spec: {color: blue}}"))

	wave := gitops.Wave{Phase: gitops.Sync, Actions: []gitops.Action{
		updated(t, "", definition, strings.ReplaceAll(crd, "[blue]", "[blue, green]")),
		updated(t, namespace, one, "{apiVersion: apply.test/v1, kind: Gadget, metadata: {name: x}, spec: {color: green}}"),
	}}
	wave.Actions[1].Step = 1
	// The API server takes up a changed schema a moment after its answer.
	embeddedtest.Eventually(t, func(context.Context) error {
		for _, r := range a.Wave(t.Context(), c, wave) {
			if r.Err != nil {
				return r.Err
			}
		}
		return nil
	})
}

const strictWidgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: KINDS.apply.test}
spec:
  group: apply.test
  names: {kind: Gadget, plural: KINDS}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {color: {type: string, enum: [blue]}}}
`

func TestFieldsStayWithTheirOwnersWhenAsked(t *testing.T) {
	c := connect(t)
	a, _ := applier()
	body := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"color":"blue","old":"x"}}`
	create := func(t *testing.T, namespace, manager string) gitops.Action {
		t.Helper()
		must(t, c.rest.Post().AbsPath("/api/v1/namespaces/"+namespace+"/configmaps").Param("fieldManager", manager).
			SetHeader("Content-Type", "application/json").Body([]byte(body)).Do(t.Context()).Error())
		next := action(t, namespace, settings)
		next.Verb, next.Live = gitops.Update, observe.New().Live("", c.get(t, next.Key, "v1"))
		return next
	}
	cases := map[string]struct {
		reason, manager, migrate string
		keep                     bool
		want                     map[string]string
	}{
		"taken over":  {"what kubectl applied and Git does not have goes", "kubectl-client-side-apply", "", false, map[string]string{"color": "blue"}},
		"kept":        {"ClientSideApplyMigration=false leaves kubectl its fields", "kubectl-client-side-apply", "", true, map[string]string{"color": "blue", "old": "x"}},
		"other":       {"other managers keep theirs", "my-tool", "", false, map[string]string{"color": "blue", "old": "x"}},
		"other named": {"but for the one that is named", "my-tool", "my-tool", false, map[string]string{"color": "blue"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			namespace := embeddedtest.Namespace(t, config)
			next := create(t, namespace, tc.manager)
			next.Options.KeepOwners, next.Options.Migrate = tc.keep, tc.migrate
			apply1(t, a, c, next)
			got, err := c.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(namespace).Get(t.Context(), "settings", metav1.GetOptions{})
			must(t, err)
			data := map[string]string{}
			for key, value := range got.Object["data"].(map[string]any) {
				data[key], _ = value.(string)
			}
			if diff := cmp.Diff(tc.want, data); diff != "" {
				t.Errorf("%s: -want +got\n%s", tc.reason, diff)
			}
		})
	}
}

func TestLargeObjects(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	apply1(t, a, c, action(t, "", widgets))
	widget := func(size int) gitops.Action {
		return action(t, namespace, "{apiVersion: apply.test/v1, kind: Widget, metadata: {name: large}, spec: {text: '"+strings.Repeat("x", size)+"'}}")
	}
	r := apply1(t, a, c, widget(1_400_000))
	if r.Live.Fingerprint == "" {
		t.Error("the fields of a large object are not ours")
	}
	again := widget(1_400_000)
	again.Verb, again.Live, again.Suspect = gitops.Update, r.Live, true
	settled, err := a.Confirm(t.Context(), c, again)
	must(t, err)
	if settled.Verb != gitops.Keep {
		t.Errorf("a large object that is as desired differs: %+v", settled.Reason)
	}
	p := problemOf(t, try1(t, a, c, widget(1_700_000)).Err)
	if p.Kind != gitops.Invalid || !strings.Contains(p.Error(), "larger than") || len(p.Error()) > 500 {
		t.Errorf("too large an object is refused with: %v", p)
	}
}

func TestNamesAtTheirLimit(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	apply1(t, a, c, action(t, namespace, strings.ReplaceAll(settings, "name: settings", "name: "+strings.Repeat("a", 253))))
	p := problemOf(t, try1(t, a, c, action(t, namespace, strings.ReplaceAll(settings, "name: settings", "name: "+strings.Repeat("a", 254)))).Err)
	if p.Kind != gitops.Invalid || !strings.Contains(p.Error(), "metadata.name") {
		t.Errorf("too long a name is refused with: %v", p)
	}
}

func TestImmutableFieldsAreNamed(t *testing.T) {
	cases := map[string]struct {
		reason, text, old, next string
		says                    []string
		hides                   string
	}{
		"job": {
			"the template of a Job is fixed", "{apiVersion: batch/v1, kind: Job, metadata: {name: x}, spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: a, image: 'a:1'}]}}}}",
			"a:1", "a:2", []string{"spec.template.spec.containers"}, "",
		},
		"two fields": {
			"each field that the refusal names", "{apiVersion: batch/v1, kind: Job, metadata: {name: x}, spec: {suspend: true, completions: 41, template: {spec: {restartPolicy: Never, containers: [{name: a, image: 'a:41'}]}}}}",
			"41", "42", []string{"spec.completions (41, wanted 42)", "spec.template.spec.containers"}, "",
		},
		"binding": {
			"the role of a binding is fixed", "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: x}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}, subjects: []}",
			"reader", "writer", []string{"roleRef.name (reader, wanted writer)"}, "",
		},
		"claim": {
			"a claim can grow, and nothing else", "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: x}, spec: {storageClassName: slow, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}",
			"slow", "fast", []string{"spec.storageClassName (slow, wanted fast)"}, "",
		},
		"config": {
			"an immutable ConfigMap", "{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, immutable: true, data: {color: blue}}",
			"blue", "green", []string{"cannot be changed: data.color ("}, "blue",
		},
		"pod": {
			"the environment of a Pod, which the refusal quotes", "{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {containers: [{name: a, image: a, env: [{name: TOKEN, value: hunter2}]}]}}",
			"hunter2", "other", []string{"cannot be changed: spec.containers ("}, "hunter",
		},
		"secret": {
			"an immutable Secret: its values are not told", "{apiVersion: v1, kind: Secret, metadata: {name: x}, immutable: true, stringData: {color: hunter2}}",
			"hunter2", "hunter3", []string{"data", "Force=true"}, "hunter",
		},
	}
	c := connect(t)
	a, _ := applier()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			namespace := embeddedtest.Namespace(t, config)
			first := apply1(t, a, c, action(t, namespace, tc.text))
			text := problemOf(t, try1(t, a, c, updated(t, namespace, first, strings.ReplaceAll(tc.text, tc.old, tc.next))).Err).Error()
			for _, want := range tc.says {
				if !strings.Contains(text, want) {
					t.Errorf("%s: %q is not in: %s", tc.reason, want, text)
				}
			}
			if tc.hides != "" && strings.Contains(text, tc.hides) {
				t.Errorf("%s: %q is in: %s", tc.reason, tc.hides, text)
			}
		})
	}
}

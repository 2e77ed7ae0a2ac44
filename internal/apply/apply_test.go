package apply_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/apply"
	"github.com/causeway-gitops/causeway/internal/difference/jq"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
)

var config *rest.Config

func TestMain(m *testing.M) {
	jq.Worker()
	os.Exit(embeddedtest.Main(m, &config))
}

// cluster is a Cluster that writes down the requests to it.
type cluster struct {
	rest    rest.Interface
	mapper  meta.RESTMapper
	dynamic dynamic.Interface

	mu       sync.Mutex
	requests []string
	// answer takes the place of the API server when it returns a response.
	answer func(*http.Request) (*http.Response, error)
}

func (c *cluster) Server() string          { return "https://test" }
func (c *cluster) REST() rest.Interface    { return c.rest }
func (c *cluster) Mapper() meta.RESTMapper { return c.mapper }

// take returns the requests since the last call, discovery left out.
func (c *cluster) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.requests
	c.requests = nil
	return out
}

type recorder struct {
	c    *cluster
	next http.RoundTripper
}

func (r recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	line := request.Method + " " + request.URL.Path
	if request.URL.Query().Has("dryRun") {
		line += " (dry run)"
	}
	r.c.mu.Lock()
	if strings.Contains(request.URL.Path, "/namespaces/") || request.Method != http.MethodGet {
		r.c.requests = append(r.c.requests, line)
	}
	answer := r.c.answer
	r.c.mu.Unlock()
	if answer != nil {
		if response, err := answer(request); response != nil || err != nil {
			return response, err
		}
	}
	return r.next.RoundTrip(request)
}

func connect(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{}
	base := rest.CopyConfig(config)
	plain, err := rest.HTTPClientFor(base)
	must(t, err)
	c.mapper, err = apiutil.NewDynamicRESTMapper(base, plain)
	must(t, err)
	c.dynamic, err = dynamic.NewForConfig(base)
	must(t, err)
	counted := dynamic.ConfigFor(base)
	counted.Wrap(func(next http.RoundTripper) http.RoundTripper { return recorder{c, next} })
	client, err := rest.HTTPClientFor(counted)
	must(t, err)
	counted.GroupVersion = &schema.GroupVersion{}
	c.rest, err = rest.UnversionedRESTClientForConfigAndClient(counted, client)
	must(t, err)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// memory keeps what an Applier remembers.
type memory struct {
	mu    sync.Mutex
	known map[string]bool
}

func (m *memory) remember(_ string, k gitops.Key, digest, fingerprint string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[k.String()+" "+digest+" "+fingerprint] = true
}

func (m *memory) knows(k gitops.Key, digest, fingerprint string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[k.String()+" "+digest+" "+fingerprint]
}

func applier() (*apply.Applier, *memory) {
	m := &memory{known: map[string]bool{}}
	return apply.New(apply.Options{Convert: observe.New().Live, Remember: m.remember}), m
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal([]byte(text), &o.Object))
	return o
}

// action wants text in a namespace.
func action(t *testing.T, namespace, text string) gitops.Action {
	t.Helper()
	o := object(t, text)
	if namespace != "" {
		o.SetNamespace(namespace)
	}
	return gitops.Action{
		Verb: gitops.Create, Key: gitops.KeyOf(o), Digest: "digest", Sync: gitops.OutOfSync,
		Desired: &gitops.Manifest{Object: o, Origin: gitops.Origin{File: "app/object.yaml", Line: 3}},
		Options: gitops.Options{Validate: true},
	}
}

// apply1 carries out one action and fails the test when that fails.
func apply1(t *testing.T, a *apply.Applier, c *cluster, action gitops.Action) gitops.Result {
	t.Helper()
	r := try1(t, a, c, action)
	if r.Err != nil {
		t.Fatalf("%s: %v", action.Key, r.Err)
	}
	return r
}

func try1(t *testing.T, a *apply.Applier, c *cluster, action gitops.Action) gitops.Result {
	t.Helper()
	return a.Wave(t.Context(), c, gitops.Wave{Phase: gitops.Sync, Actions: []gitops.Action{action}})[0]
}

func (c *cluster) get(t *testing.T, k gitops.Key, version string) *unstructured.Unstructured {
	t.Helper()
	m, err := c.mapper.RESTMapping(schema.GroupKind{Group: k.Group, Kind: k.Kind}, version)
	must(t, err)
	o, err := c.dynamic.Resource(m.Resource).Namespace(k.Namespace).Get(t.Context(), k.Name, metav1.GetOptions{})
	must(t, err)
	return o
}

const settings = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, annotations: {origin: git}}
data: {color: blue}
`

func TestApplyIsOneRequest(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, m := applier()

	r := apply1(t, a, c, action(t, namespace, settings))
	want := []string{"PATCH /api/v1/namespaces/" + namespace + "/configmaps/settings"}
	if diff := cmp.Diff(want, c.take()); diff != "" {
		t.Errorf("requests of a creation: -want +got\n%s", diff)
	}
	if r.Message != "created" || r.Live == nil || r.Live.Fingerprint == "" || r.Status != "Synced" {
		t.Errorf("unexpected result: %+v", r)
	}
	if !m.knows(r.Key, "digest", r.Live.Fingerprint) {
		t.Error("the applied object is not remembered as equal")
	}

	again := action(t, namespace, settings)
	again.Verb, again.Live = gitops.Update, r.Live
	if r := apply1(t, a, c, again); r.Message != "unchanged" {
		t.Errorf("applying the same again: %q", r.Message)
	}
	if got := c.take(); len(got) != 1 {
		t.Errorf("requests of an update: %v", got)
	}
	again.Verb = gitops.Keep
	apply1(t, a, c, again)
	if got := c.take(); len(got) != 0 {
		t.Errorf("requests of a keep: %v", got)
	}
}

func TestApplyRemovesWhatIsNoLongerDesired(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	first := apply1(t, a, c, action(t, namespace, strings.ReplaceAll(settings, "color: blue", "color: blue, size: big")))
	next := action(t, namespace, settings)
	next.Verb, next.Live = gitops.Update, first.Live
	r := apply1(t, a, c, next)
	if r.Message != "configured" || r.Live.Fingerprint == first.Live.Fingerprint {
		t.Errorf("unexpected result: %+v", r)
	}
	data, _, _ := unstructured.NestedStringMap(c.get(t, next.Key, "v1").Object, "data")
	if diff := cmp.Diff(map[string]string{"color": "blue"}, data); diff != "" {
		t.Errorf("data: -want +got\n%s", diff)
	}
}

func TestConfirm(t *testing.T) {
	cases := map[string]struct {
		reason   string
		patch    string
		ignore   gitops.Ignore
		verb     gitops.Verb
		requests int
	}{
		"Unchanged": {
			reason: "an object as we left it is kept, after one dry run",
			patch:  "", verb: gitops.Keep, requests: 1,
		},
		"ForeignField": {
			reason: "a field that somebody added is not drift",
			patch:  `{"data":{"other":"x"},"metadata":{"labels":{"team":"a"}}}`, verb: gitops.Keep, requests: 1,
		},
		"Drift": {
			reason: "a changed field of ours is drift",
			patch:  `{"data":{"color":"red"}}`, verb: gitops.Update, requests: 2,
		},
		"Removed": {
			reason: "a removed field of ours is drift",
			patch:  `{"data":{"color":null}}`, verb: gitops.Update, requests: 2,
		},
		"IgnoredPointer": {
			reason: "drift of an ignored field does not count",
			patch:  `{"data":{"color":"red"}}`, ignore: gitops.Ignore{JSONPointers: []string{"/data/color"}}, verb: gitops.Keep, requests: 2,
		},
		"IgnoredJQ": {
			reason: "drift of a field that a jq expression ignores does not count",
			patch:  `{"data":{"color":"red"}}`, ignore: gitops.Ignore{JQ: []string{`.data | .color`}}, verb: gitops.Keep, requests: 2,
		},
		"IgnoredManager": {
			reason: "drift by a manager that is ignored does not count",
			patch:  `{"data":{"color":"red"}}`, ignore: gitops.Ignore{Managers: []string{"somebody"}}, verb: gitops.Keep, requests: 2,
		},
		"IgnoredElsewhere": {
			reason: "ignoring another field does not help",
			patch:  `{"data":{"color":"red"}}`, ignore: gitops.Ignore{JSONPointers: []string{"/data/size"}}, verb: gitops.Update, requests: 2,
		},
	}
	namespace := embeddedtest.Namespace(t, config)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			a, m := applier()
			wanted := action(t, namespace, strings.ReplaceAll(settings, "settings", strings.ToLower(name)))
			live := apply1(t, a, c, wanted).Live
			if tc.patch != "" {
				live = c.patch(t, wanted.Key, tc.patch)
			}
			c.take()
			wanted.Verb, wanted.Live, wanted.Suspect, wanted.Ignore = gitops.Update, live, true, tc.ignore
			got, err := a.Confirm(t.Context(), c, wanted)
			must(t, err)
			if got.Verb != tc.verb || got.Suspect {
				t.Errorf("%s: %s suspect %v (%s)", tc.reason, got.Verb, got.Suspect, got.Reason)
			}
			if requests := c.take(); len(requests) != tc.requests {
				t.Errorf("%s: %d requests wanted: %v", tc.reason, tc.requests, requests)
			}
			if tc.verb == gitops.Keep && !m.knows(wanted.Key, "digest", live.Fingerprint) {
				t.Errorf("%s: the equality is not remembered", tc.reason)
			}
		})
	}
}

// TestConfirmOfFieldsOfOthers changes a field and changes it back: the
// fingerprint is the same whatever becomes of it then.
func TestConfirmOfFieldsOfOthers(t *testing.T) {
	cases := map[string]struct {
		reason  string
		ignore  gitops.Ignore
		options gitops.Options
		verb    gitops.Verb
		content bool // what is remembered
	}{
		"DryRun":  {reason: "a sync takes the field over", verb: gitops.Update, content: true},
		"Here":    {reason: "also without a dry run its content is what counts", options: gitops.Options{NoDryRun: true}, verb: gitops.Keep, content: true},
		"Ignored": {reason: "a field that is ignored may be anybody's", ignore: gitops.Ignore{JSONPointers: []string{"/data/color"}}, verb: gitops.Keep},
		"Status":  {reason: "a content without status tells nothing of that", ignore: gitops.Ignore{CountStatus: true}, verb: gitops.Update},
	}
	namespace := embeddedtest.Namespace(t, config)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			a, m := applier()
			wanted := action(t, namespace, strings.ReplaceAll(settings, "settings", strings.ToLower(name)))
			apply1(t, a, c, wanted)
			c.patch(t, wanted.Key, `{"data":{"color":"red"}}`)
			live := c.patch(t, wanted.Key, `{"data":{"color":"blue"}}`)
			wanted.Verb, wanted.Live, wanted.Suspect, wanted.Ignore = gitops.Update, live, true, tc.ignore
			wanted.Options.NoDryRun = tc.options.NoDryRun
			got, err := a.Confirm(t.Context(), c, wanted)
			must(t, err)
			if got.Verb != tc.verb || got.Sync != gitops.Synced || got.Suspect {
				t.Errorf("%s: %s %s, suspect %v (%s)", tc.reason, got.Verb, got.Sync, got.Suspect, got.Reason)
			}
			if m.knows(wanted.Key, "digest", live.Fingerprint) != (name == "Ignored") {
				t.Errorf("%s: the fingerprint is remembered, or an ignored field forgotten", tc.reason)
			}
			if known := got.Live.Content != "" && m.knows(wanted.Key, "digest", got.Live.Content); known != tc.content {
				t.Errorf("%s: the content is remembered: %v", tc.reason, known)
			}
			wanted.Verb, wanted.Suspect, wanted.Live = got.Verb, false, got.Live
			if tc.verb == gitops.Update {
				if r := apply1(t, a, c, wanted); !m.knows(wanted.Key, "digest", r.Live.Fingerprint) || r.Live.Fingerprint == live.Fingerprint {
					t.Errorf("%s: the fields are not taken over: %+v", tc.reason, r)
				}
			}
		})
	}
}

// patch changes a live ConfigMap as somebody else.
func (c *cluster) patch(t *testing.T, k gitops.Key, patch string) *gitops.Live {
	t.Helper()
	maps := c.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(k.Namespace)
	o, err := maps.Patch(t.Context(), k.Name, "application/merge-patch+json", []byte(patch), metav1.PatchOptions{FieldManager: "somebody"})
	must(t, err)
	return observe.New().Live("", o)
}

func problemOf(t *testing.T, err error) *gitops.Problem {
	t.Helper()
	var p *gitops.Problem
	if !errors.As(err, &p) {
		t.Fatalf("not a problem that a person can act on: %v", err)
	}
	return p
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

package apply_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestNamesThatLeadElsewhere has names that a path would follow to another object, in each way that reaches the API
// server.
func TestNamesThatLeadElsewhere(t *testing.T) {
	victim := embeddedtest.Namespace(t, config)
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	precious := apply1(t, a, c, action(t, victim, settings))
	live := apply1(t, a, c, action(t, namespace, settings)).Live
	tests := map[string]struct {
		reason string
		key    func(*gitops.Key)
	}{
		"UpAndOver":      {"the path of another namespace", func(k *gitops.Key) { k.Name = "../../" + victim + "/configmaps/settings" }},
		"ANamespace":     {"the namespace itself", func(k *gitops.Key) { k.Name = "../../" + victim }},
		"Below":          {"what is below an object", func(k *gitops.Key) { k.Name = "settings/status" }},
		"Encoded":        {"a server may decode it", func(k *gitops.Key) { k.Name = "..%2f..%2f" + victim }},
		"Up":             {"the collection's parent", func(k *gitops.Key) { k.Name = ".." }},
		"Here":           {"the collection", func(k *gitops.Key) { k.Name = "." }},
		"Nothing":        {"the collection, of which all would go", func(k *gitops.Key) { k.Name = "" }},
		"Namespace":      {"a namespace that leads elsewhere", func(k *gitops.Key) { k.Namespace = "../namespaces/" + victim }},
		"NoNamespace":    {"the name of the resource would be taken for a namespace", func(k *gitops.Key) { k.Namespace = "" }},
		"NamespaceUp":    {"a namespace that is none", func(k *gitops.Key) { k.Namespace = ".." }},
		"NamespaceUnder": {"a namespace with more behind it", func(k *gitops.Key) { k.Namespace = victim + "/configmaps/settings" }},
	}
	verbs := map[string]func(*gitops.Action){
		"Create":   func(a *gitops.Action) { a.Live = nil },
		"Recreate": func(a *gitops.Action) { a.Recreate, a.Hook, a.Live = true, true, nil },
		"Again":    func(a *gitops.Action) { a.Recreate = true },
		"Update":   func(a *gitops.Action) { a.Verb = gitops.Update },
		"Replace":  func(a *gitops.Action) { a.Verb, a.Options.Replace, a.Options.Force = gitops.Update, true, true },
		"Prune":    func(a *gitops.Action) { a.Verb, a.Desired = gitops.Prune, nil },
	}
	c.take()
	for name, tc := range tests {
		for verb, change := range verbs {
			t.Run(name+verb, func(t *testing.T) {
				it := action(t, namespace, settings)
				it.Live = live
				change(&it)
				tc.key(&it.Key)
				if r := try1(t, a, c, it); r.Err == nil {
					t.Errorf("%s: it is not refused: %s", tc.reason, r.Message)
				}
				if got := c.take(); len(got) != 0 {
					t.Errorf("%s: it asks the API server: %v", tc.reason, got)
				}
			})
		}
	}
	if got := c.get(t, precious.Key, "v1"); got.GetUID() != precious.Live.UID {
		t.Error("the object of the others is another one")
	}
}

// TestScopeThatWasNotPlanned applies what was planned as namespaced to a kind that turns out to be cluster-scoped.
func TestScopeThatWasNotPlanned(t *testing.T) {
	c := connect(t)
	a, _ := applier()
	role := action(t, "default", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: all}\nrules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]\n")
	r := try1(t, a, c, role)
	if r.Err == nil || !strings.Contains(r.Err.Error(), "planned as namespaced") {
		t.Errorf("got %v", r.Err)
	}
	if got := c.take(); len(got) != 0 {
		t.Errorf("it asks the API server: %v", got)
	}
}

// TestNothingGoesUnseen recreates objects that were not there when the sync was planned.
func TestNothingGoesUnseen(t *testing.T) {
	tests := map[string]struct {
		reason, mark string
		goes         bool
	}{
		"Nobody's":  {reason: "somebody made it by hand", mark: ""},
		"Another's": {reason: "it is another application's", mark: "other:/ConfigMap:NAMESPACE/settings"},
		"Ours":      {reason: "it is a hook's of the phase before", mark: "shop:/ConfigMap:NAMESPACE/settings", goes: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			namespace := embeddedtest.Namespace(t, config)
			c := connect(t)
			a, _ := applier()
			there := action(t, namespace, settings)
			mark(there.Desired.Object, strings.ReplaceAll(tc.mark, "NAMESPACE", namespace))
			before := apply1(t, a, c, there).Live
			again := action(t, namespace, settings)
			mark(again.Desired.Object, "shop:/ConfigMap:"+namespace+"/settings")
			again.Recreate, again.Hook = true, true
			r := try1(t, a, c, again)
			if (r.Err == nil) != tc.goes {
				t.Errorf("%s: %v", tc.reason, r.Err)
			}
			if now := c.get(t, there.Key, "v1"); (now.GetUID() != before.UID) != tc.goes {
				t.Errorf("%s: it is %s, and was %s", tc.reason, now.GetUID(), before.UID)
			}
		})
	}
}

func mark(o *unstructured.Unstructured, id string) {
	annotations := o.GetAnnotations()
	annotations[gitops.AnnotationTracking] = id
	o.SetAnnotations(annotations)
}

// TestHookTakesNothing has an object of a hook's name that somebody else made,
// or that became somebody else's, after the sync was planned.
func TestHookTakesNothing(t *testing.T) {
	const own = "shop:/ConfigMap:NAMESPACE/settings"
	const others = `{"metadata":{"annotations":{"argocd.argoproj.io/tracking-id":"other:/ConfigMap:x/settings"}}}`
	tests := map[string]struct {
		reason, mark string
		// seen tells that the plan has the object, and patch is what happens to it then.
		seen         bool
		patch        string
		recreate, ok bool
	}{
		"Nobody's":       {reason: "somebody made it by hand", mark: ""},
		"Another's":      {reason: "it is another application's", mark: "other:/ConfigMap:NAMESPACE/settings"},
		"Ours":           {reason: "this sync made it, before the engine was started again", mark: own, ok: true},
		"Seen":           {reason: "it is left of an earlier sync", mark: own, seen: true, ok: true},
		"SeenAnew":       {reason: "it is left of an earlier sync", mark: own, seen: true, recreate: true, ok: true},
		"SeenChanged":    {reason: "its content decides nothing", mark: own, seen: true, recreate: true, patch: `{"data":{"color":"red"}}`, ok: true},
		"BecameOthers":   {reason: "another application has it now", mark: own, seen: true, patch: others},
		"DeletedOthers":  {reason: "another application has it now", mark: own, seen: true, recreate: true, patch: others},
		"DeletedThatAsk": {reason: "it is to stay since", mark: own, seen: true, recreate: true, patch: `{"metadata":{"annotations":{"argocd.argoproj.io/sync-options":"Prune=false"}}}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			namespace := embeddedtest.Namespace(t, config)
			c := connect(t)
			a, _ := applier()
			there := action(t, namespace, settings)
			mark(there.Desired.Object, strings.ReplaceAll(tc.mark, "NAMESPACE", namespace))
			live := apply1(t, a, c, there).Live
			if tc.patch != "" {
				c.patch(t, there.Key, tc.patch)
			}
			before := c.get(t, there.Key, "v1")
			hook := action(t, namespace, settings)
			mark(hook.Desired.Object, strings.ReplaceAll(own, "NAMESPACE", namespace))
			hook.Hook, hook.Recreate = true, tc.recreate
			if tc.seen {
				hook.Live = live
			}
			r := try1(t, a, c, hook)
			if (r.Err == nil) != tc.ok {
				t.Errorf("%s: %v", tc.reason, r.Err)
			}
			now := c.get(t, there.Key, "v1")
			if anew := now.GetUID() != before.GetUID(); anew != (tc.ok && tc.recreate) {
				t.Errorf("%s: made anew %t", tc.reason, anew)
			}
			if !tc.ok && now.GetResourceVersion() != before.GetResourceVersion() {
				t.Errorf("%s: it was written to: %v", tc.reason, now)
			}
		})
	}
}

// TestHookWhoseNameIsTaken has an object come between the look for one and the
// making of a hook, and the answer to the making of a hook lost.
func TestHookWhoseNameIsTaken(t *testing.T) {
	tests := map[string]struct {
		reason string
		comes  bool
		ok     bool
	}{
		"Comes": {reason: "somebody made it in that moment", comes: true},
		"Lost":  {reason: "the hook itself is what is there", ok: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			namespace := embeddedtest.Namespace(t, config)
			c, other := connect(t), connect(t)
			a, _ := applier()
			hook := action(t, namespace, settings)
			mark(hook.Desired.Object, "shop:/ConfigMap:"+namespace+"/settings")
			hook.Hook = true
			var once sync.Once
			c.answer = func(r *http.Request) (response *http.Response, err error) {
				if r.Method != http.MethodPatch {
					return nil, nil
				}
				once.Do(func() {
					body, _ := io.ReadAll(r.Body)
					r.Body = io.NopCloser(bytes.NewReader(body))
					if tc.comes {
						apply1(t, a, other, action(t, namespace, settings))
						return
					}
					lost := hook
					lost.Hook = false
					apply1(t, a, other, lost)
					err = &net.OpError{Op: "read", Err: syscall.ECONNRESET}
				})
				return nil, err
			}
			if r := try1(t, a, c, hook); (r.Err == nil) != tc.ok {
				t.Errorf("%s: %v", tc.reason, r.Err)
			}
		})
	}
}

// TestRecreationNamesWhatItDeletes reads the requests: a DELETE is for one
// object in the version that was decided about.
func TestRecreationNamesWhatItDeletes(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	live := apply1(t, a, c, action(t, namespace, settings)).Live
	var bodies []string
	c.answer = func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodDelete {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return nil, err
			}
			bodies = append(bodies, string(body))
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		return nil, nil
	}
	again := action(t, namespace, settings)
	again.Verb, again.Live, again.Options.Replace, again.Options.Force = gitops.Update, live, true, true
	apply1(t, a, c, again)
	if len(bodies) != 1 || !strings.Contains(bodies[0], string(live.UID)) || !strings.Contains(bodies[0], `"resourceVersion":"`+live.ResourceVersion+`"`) {
		t.Errorf("got %q, want one for %s in version %s", bodies, live.UID, live.ResourceVersion)
	}
}

// TestResultsTellWhatWasDeleted prunes an object twice that a finalizer holds, and
// makes one anew.
func TestResultsTellWhatWasDeleted(t *testing.T) {
	namespace := embeddedtest.Namespace(t, config)
	c := connect(t)
	a, _ := applier()
	wanted := action(t, namespace, settings)
	made := apply1(t, a, c, wanted)
	c.patch(t, wanted.Key, `{"metadata":{"finalizers":["example.com/hold"]}}`)
	prune := gitops.Action{Verb: gitops.Prune, Key: wanted.Key, Live: made.Live, Sync: gitops.OutOfSync}
	seen := *made.Live // as it is read while it is being deleted, in its latest version
	seen.Deleting, seen.ResourceVersion = true, ""
	first, second := apply1(t, a, c, prune), apply1(t, a, c, prune)
	third := apply1(t, a, c, gitops.Action{Verb: gitops.Prune, Key: wanted.Key, Live: &seen, Sync: gitops.OutOfSync})
	c.patch(t, wanted.Key, `{"metadata":{"finalizers":null}}`)
	gone := apply1(t, a, c, prune)
	if made.Deleted || !first.Deleted || second.Deleted || third.Deleted || gone.Deleted {
		t.Errorf("made %t, deleted %t, again %t (%s), seen to be %t, and gone %t (%s)", made.Deleted, first.Deleted, second.Deleted, second.Message, third.Deleted, gone.Deleted, gone.Message)
	}
	anew := action(t, namespace, settings)
	anew.Verb, anew.Live, anew.Options.Replace, anew.Options.Force = gitops.Update, apply1(t, a, c, action(t, namespace, settings)).Live, true, true
	if r := apply1(t, a, c, anew); !r.Deleted {
		t.Errorf("what was made anew is said not to have been deleted: %s", r.Message)
	}
}

// TestResultsTellWhatWasDeletedWithoutAnAnswer loses the answer to a deletion, of
// an object that goes at once, and of one that a finalizer holds.
func TestResultsTellWhatWasDeletedWithoutAnAnswer(t *testing.T) {
	for name, patch := range map[string]string{"Goes": "", "Held": `{"metadata":{"finalizers":["example.com/hold"]}}`} {
		t.Run(name, func(t *testing.T) {
			namespace := embeddedtest.Namespace(t, config)
			c := connect(t)
			a, _ := applier()
			wanted := action(t, namespace, settings)
			live := apply1(t, a, c, wanted).Live
			if patch != "" {
				c.patch(t, wanted.Key, patch)
			}
			c.loseDeletion(t)
			if r := apply1(t, a, c, gitops.Action{Verb: gitops.Prune, Key: wanted.Key, Live: live, Sync: gitops.OutOfSync}); !r.Deleted {
				t.Errorf("what a lost answer was about is said not to have been deleted: %s", r.Message)
			}
		})
	}
}

// loseDeletion has the API server carry out a deletion, and nobody hear of it, once.
func (c *cluster) loseDeletion(t *testing.T) {
	t.Helper()
	base := dynamic.ConfigFor(rest.CopyConfig(config))
	transport, err := rest.TransportFor(base)
	must(t, err)
	var lost atomic.Bool
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodDelete || lost.Load() {
			return nil, nil
		}
		response, err := transport.RoundTrip(r)
		if err != nil || response.StatusCode == http.StatusConflict {
			return response, err
		}
		lost.Store(true)
		return nil, errors.Join(io.ErrUnexpectedEOF, response.Body.Close())
	}
}

// TestDeleteOnlyWhatWasDecidedAbout changes an object between the decision and its deletion.
func TestDeleteOnlyWhatWasDecidedAbout(t *testing.T) {
	tests := map[string]struct {
		reason, patch string
		goes          bool
	}{
		"Nothing": {reason: "it is as it was", goes: true},
		"Content": {reason: "its content decides nothing", patch: `{"data":{"color":"red"}}`, goes: true},
		"Owner":   {reason: "another application has it now", patch: `{"metadata":{"annotations":{"argocd.argoproj.io/tracking-id":"other:/ConfigMap:x/settings"}}}`},
		"Option":  {reason: "it is to stay since", patch: `{"metadata":{"annotations":{"argocd.argoproj.io/sync-options":"Prune=false"}}}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			namespace := embeddedtest.Namespace(t, config)
			c := connect(t)
			a, _ := applier()
			wanted := action(t, namespace, settings)
			mark(wanted.Desired.Object, "shop:/ConfigMap:"+namespace+"/settings")
			live := apply1(t, a, c, wanted).Live
			if tc.patch != "" {
				c.patch(t, wanted.Key, tc.patch)
			}
			prune := gitops.Action{Verb: gitops.Prune, Key: wanted.Key, Live: live, Sync: gitops.OutOfSync}
			r := apply1(t, a, c, prune)
			m, err := c.mapper.RESTMapping(live.Version.GroupKind(), live.Version.Version)
			must(t, err)
			now, err := c.dynamic.Resource(m.Resource).Namespace(namespace).Get(t.Context(), "settings", metav1.GetOptions{})
			if goes := err != nil || now.GetDeletionTimestamp() != nil; goes != tc.goes || strings.HasPrefix(r.Message, "pruned") != tc.goes {
				t.Errorf("%s: gone %t, said %q", tc.reason, goes, r.Message)
			}
		})
	}
}

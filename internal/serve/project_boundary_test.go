package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/app/apptest"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// border is a site with two teams that have a project and a namespace each.
// Applications of ours live in its namespace; theirs has what nobody of ours may see.
type border struct {
	*site

	ours, theirs string
	// far is another cluster, which our project does not have.
	far string
	// vault is their repository, which counts who asks it for something.
	vault string
	asked atomic.Int32

	mu   sync.Mutex
	read []string
	// v and argo are somebody who may do anything with the API.
	v    *visitor
	argo *script
}

// victims are their objects, as a status names them. Names of objects of theirs
// in our namespace are the same.
var victims = []v1alpha1.ResourceStatus{
	{Version: "v1", Kind: "Secret", Name: "victim-token"},
	{Version: "v1", Kind: "ConfigMap", Name: "victim-settings"},
	{Version: "v1", Kind: "Pod", Name: "victim-web"},
	{Group: "apps", Version: "v1", Kind: "Deployment", Name: "victim-shop"},
}

func newBorder(t *testing.T) *border {
	t.Helper()
	b := &border{ours: embeddedtest.Namespace(t, hub), theirs: embeddedtest.Namespace(t, hub)}
	vault := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		b.asked.Add(1)
		http.Error(w, "who are you?", http.StatusForbidden)
	}))
	t.Cleanup(vault.Close)
	b.vault = vault.URL + "/theirs/vault.git"
	b.site = prepareSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red") + "---\n" + actionObjects}, func(c *app.Config) {
		c.ApplicationNamespaces = []string{b.ours}
		c.Serving.Exec = true
		c.Hub = rest.CopyConfig(c.Hub)
		c.Hub.Wrap(b.notes)
	})
	b.far = b.ID("far")
	b.Make(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "far", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}},
		StringData: map[string]string{"name": b.far, "server": newWire(t, b.Hub).url, "config": connection(t, b.Hub)},
	})
	b.project("ours", apptest.RepoURL, b.ours)
	b.project("theirs", b.vault, b.theirs)
	for _, namespace := range []string{b.ours, b.theirs} {
		b.fill(namespace)
	}
	b.start()
	b.v = b.visitor("")
	b.v.signIn(t)
	var token api.Token
	b.visitor("").wants(t, http.StatusOK, http.MethodPost, "/session", api.Credentials{Username: "admin", Password: adminPassword}, &token)
	b.argo = &script{b.site, token.Token}
	return b
}

// notes remembers which objects the engine reads by their names.
func (b *border) notes(next http.RoundTripper) http.RoundTripper {
	return passing(func(r *http.Request) (*http.Response, error) {
		if strings.Contains(r.URL.Path, "/namespaces/"+b.theirs+"/") {
			b.mu.Lock()
			b.read = append(b.read, r.Method+" "+r.URL.Path)
			b.mu.Unlock()
		}
		return next.RoundTrip(r)
	})
}

type passing func(*http.Request) (*http.Response, error)

func (p passing) RoundTrip(r *http.Request) (*http.Response, error) { return p(r) }

func (b *border) project(name, repo, namespace string) {
	b.T.Helper()
	p := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: name}}
	p.Spec.SourceRepos, p.Spec.SourceNamespaces = []string{repo}, []string{namespace}
	p.Spec.Destinations = []v1alpha1.ApplicationDestination{{Name: "in-cluster", Namespace: namespace}}
	if err := b.Create(b.T.Context(), p); err != nil {
		b.T.Fatal(err)
	}
}

// fill puts objects of nobody's Application into a namespace.
func (b *border) fill(namespace string) {
	b.T.Helper()
	meta := func(i int) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: victims[i].Name, Labels: map[string]string{"secret": "treasure"}}
	}
	pod := &corev1.Pod{ObjectMeta: meta(2), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "treasure", Image: "treasure:1"}}}}
	for _, o := range []client.Object{
		&corev1.Secret{ObjectMeta: meta(0), StringData: map[string]string{"token": "treasure"}},
		&corev1.ConfigMap{ObjectMeta: meta(1), Data: map[string]string{"colour": "treasure"}},
		pod,
		&corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "victim"}, Message: "treasure", Reason: "Treasure",
			InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: namespace, Name: victims[2].Name},
		},
	} {
		if err := b.Create(b.T.Context(), o); err != nil {
			b.T.Fatal(err)
		}
	}
}

// forge makes an Application of ours whose status names objects of others in a
// namespace; the engine is told to leave it as it is.
func (b *border) forge(name, namespace string, change func(*v1alpha1.ApplicationSpec)) (at, id string) {
	b.T.Helper()
	id = b.ID(name)
	app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: b.ours, Name: id, Annotations: map[string]string{v1alpha1.AnnotationSkipReconcile: "true"}}}
	app.Spec = v1alpha1.ApplicationSpec{
		Project: "ours", Source: &v1alpha1.ApplicationSource{RepoURL: apptest.RepoURL, Path: "app", TargetRevision: "HEAD"},
		Destination: v1alpha1.ApplicationDestination{Name: "in-cluster", Namespace: b.ours},
	}
	change(&app.Spec)
	sync, revision := &app.Status.Sync, "0123456789012345678901234567890123456789"
	sync.Revision, sync.ComparedTo.Destination = revision, app.Spec.Destination
	if len(app.Spec.Sources) > 0 {
		sync.ComparedTo.Sources, sync.Revisions = app.Spec.Sources, []string{revision, revision}
	} else {
		sync.ComparedTo.Source = *app.Spec.Source
	}
	for _, victim := range victims {
		victim.Namespace, victim.Status = namespace, v1alpha1.SyncStatusCodeSynced
		app.Status.Resources = append(app.Status.Resources, victim)
	}
	if err := b.Create(b.T.Context(), app); err != nil {
		b.T.Fatal(err)
	}
	at = "/applications/" + b.ours + "/" + id
	b.v.wants(b.T, http.StatusOK, http.MethodGet, at, nil, nil) // the Application itself is there to see
	return at, id
}

// request is one of an API.
type request struct{ method, path, body string }

// owned are requests of the product's own API about all that an Application
// has, with the objects of a namespace.
func (b *border) owned(at, namespace string) (ofApp, ofObjects []request) {
	for _, path := range []string{"/tree", "/diff", "/parameters", "/orphans"} {
		ofApp = append(ofApp, request{http.MethodGet, at + path, ""})
	}
	for _, v := range victims {
		q := "?" + url.Values{"group": {v.Group}, "version": {v.Version}, "kind": {v.Kind}, "objectNamespace": {namespace}, "objectName": {v.Name}}.Encode()
		ofObjects = append(ofObjects, request{http.MethodGet, at + "/object" + q, ""}, request{http.MethodGet, at + "/events" + q, ""},
			request{http.MethodGet, at + "/objects/actions" + q, ""}, request{http.MethodPost, at + "/objects/actions" + q, `{"action":"restart"}`})
	}
	pod := "?podNamespace=" + namespace + "&pod=victim-web"
	return ofApp, append(ofObjects, request{http.MethodGet, at + "/logs" + pod, ""}, request{http.MethodGet, at + "/terminal" + pod, ""})
}

// argos are the same of Argo CD's.
func (b *border) argos(id, namespace string) (ofApp, ofObjects []request) {
	at, here := "/v1/applications/"+id, "appNamespace="+b.ours
	for _, path := range []string{"/resource-tree", "/managed-resources", "/manifests", "/revisions/0123456789012345678901234567890123456789/metadata"} {
		ofApp = append(ofApp, request{http.MethodGet, at + path + "?" + here, ""})
	}
	for _, v := range victims {
		q := "?" + here + "&" + url.Values{"group": {v.Group}, "version": {v.Version}, "kind": {v.Kind}, "namespace": {namespace}, "resourceName": {v.Name}}.Encode()
		ofObjects = append(ofObjects, request{http.MethodGet, at + "/resource" + q, ""}, request{http.MethodGet, at + "/resource/actions" + q, ""},
			request{http.MethodPost, at + "/resource/actions" + q, `"restart"`},
			request{http.MethodGet, at + "/events?" + here + "&resourceNamespace=" + namespace + "&resourceName=" + v.Name, ""})
	}
	return ofApp, append(ofObjects, request{http.MethodGet, at + "/logs?" + here + "&podName=victim-web&namespace=" + namespace, ""})
}

// ask sends a request to either API.
func (b *border) ask(r request) (int, string) {
	b.T.Helper()
	if strings.HasPrefix(r.path, "/v1/") {
		code, text, err := b.argo.asks(b.T.Context(), r.method, r.path, r.body)
		if err != nil {
			b.T.Fatal(err)
		}
		return code, string(text)
	}
	var body any
	if r.body != "" {
		body = json.RawMessage(r.body)
	}
	var got json.RawMessage
	code, err := b.v.do(b.T.Context(), r.method, r.path, body, &got)
	if err != nil && code < http.StatusBadRequest {
		return code, err.Error() // a log is no JSON
	}
	return code, string(got) + b.v.refusal
}

// untouched tells that nothing was read of what is theirs.
func (b *border) untouched() {
	b.T.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, path := range b.read {
		if strings.Contains(path, "victim-") {
			b.T.Errorf("the engine asked for %s", path)
		}
	}
	if n := b.asked.Load(); n != 0 {
		b.T.Errorf("their repository was asked %d times", n)
	}
}

// Nothing is read or done for an Application that its project does not permit,
// whatever it says of itself: each answer says why, in the words of its condition.
func TestNothingForWhatAProjectRefuses(t *testing.T) {
	b := newBorder(t)
	cases := map[string]struct {
		reason string
		change func(*v1alpha1.ApplicationSpec)
		says   string
	}{
		"repository": {"a repository of theirs", func(s *v1alpha1.ApplicationSpec) { s.Source.RepoURL = b.vault }, "spec.sourceRepos"},
		"another": {"a repository of theirs beside one of ours", func(s *v1alpha1.ApplicationSpec) {
			s.Sources, s.Source = v1alpha1.ApplicationSources{*s.Source, {RepoURL: b.vault, Ref: "values"}}, nil
		}, "spec.sourceRepos"},
		"namespace": {"a namespace of theirs", func(s *v1alpha1.ApplicationSpec) { s.Destination.Namespace = b.theirs }, "spec.destinations"},
		"cluster":   {"another cluster", func(s *v1alpha1.ApplicationSpec) { s.Destination.Name = b.far }, "spec.destinations"},
		"both": {"their namespace of another cluster", func(s *v1alpha1.ApplicationSpec) {
			s.Destination.Name, s.Destination.Namespace = b.far, b.theirs
		}, "spec.destinations"},
		"project": {"their project, which does not know our namespace", func(s *v1alpha1.ApplicationSpec) { s.Project = "theirs" }, "spec.sourceNamespaces"},
	}
	for name, tc := range cases {
		at, id := b.forge(name, b.theirs, tc.change)
		ofApp, ofObjects := b.owned(at, b.theirs)
		argoApp, argoObjects := b.argos(id, b.theirs)
		for _, r := range slices.Concat(ofApp, ofObjects, argoApp, argoObjects) {
			if code, text := b.ask(r); code < http.StatusBadRequest || !strings.Contains(text, tc.says) || strings.Contains(text, "treasure") {
				t.Errorf("%s: %s %s: %d %s", tc.reason, r.method, r.path, code, text)
			}
		}
	}
	b.untouched()
}

// A status is what a writer of the Application says: an object that is not the
// application's is not there for it, wherever it is.
func TestForgedStatusShowsNothing(t *testing.T) {
	b := newBorder(t)
	for name, namespace := range map[string]string{"theirs": b.theirs, "neighbours": b.ours} {
		at, id := b.forge(name, namespace, func(*v1alpha1.ApplicationSpec) {})
		ofApp, ofObjects := b.owned(at, namespace)
		argoApp, argoObjects := b.argos(id, namespace)
		for _, r := range slices.Concat(ofApp, argoApp) {
			code, text := b.ask(r)
			if code != http.StatusOK && !strings.Contains(r.path, "/revisions/") || strings.Contains(text, "treasure") || namespace == b.theirs && strings.Contains(text, "victim-") {
				t.Errorf("%s: %s %s: %d %s", name, r.method, r.path, code, text)
			}
		}
		for _, r := range slices.Concat(ofObjects, argoObjects) {
			if code, text := b.ask(r); code < http.StatusBadRequest || strings.Contains(text, "treasure") {
				t.Errorf("%s: %s %s: %d %s", name, r.method, r.path, code, text)
			}
		}
		sees(t, b.v, at+"/tree", func(tree *api.Tree) error {
			for _, n := range tree.Nodes {
				if n.UID != "" || !n.Missing {
					return fmt.Errorf("%s is told of: %+v", n.Name, n)
				}
			}
			return nil
		})
	}
	b.untouched()
}

// Sources may name what the project does not permit: it is told of with the
// reason, and nothing that is live of it is looked at. Nor is an object there
// that bears a copy of the application's tracking id.
func TestSourcesThatReachOut(t *testing.T) {
	b := newBorder(t)
	b.Write("reach/a.yaml", fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: victim-settings, namespace: %s}, data: {colour: red}}", b.theirs))
	at, id := b.forge("reach", b.ours, func(s *v1alpha1.ApplicationSpec) { s.Source.Path = "reach" })
	marked := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: b.theirs, Name: "victim-marked"}, Data: map[string]string{"colour": "treasure"}}
	marked.Annotations = map[string]string{gitops.AnnotationTracking: gitops.TrackingID(b.ours+"_"+id, gitops.Key{Kind: "ConfigMap", Namespace: b.theirs, Name: marked.Name})}
	if err := b.Create(t.Context(), marked); err != nil {
		t.Fatal(err)
	}
	sees(t, b.v, at+"/diff", func(all *[]api.Difference) error {
		if len(*all) != 1 || (*all)[0].Name != "victim-settings" || !strings.Contains((*all)[0].Kept, "spec.destinations") || (*all)[0].Live != "" {
			return fmt.Errorf("the differences are %+v", *all)
		}
		return nil
	})
	code, text := b.ask(request{http.MethodGet, "/v1/applications/" + id + "/managed-resources?appNamespace=" + b.ours, ""})
	if code != http.StatusOK || strings.Contains(text, "treasure") || strings.Contains(text, "victim-marked") {
		t.Errorf("%d %s", code, text)
	}
	for _, name := range []string{"victim-settings", "victim-marked"} {
		code, text := b.ask(request{http.MethodGet, at + "/object?version=v1&kind=ConfigMap&objectName=" + name + "&objectNamespace=" + b.theirs, ""})
		if code < http.StatusBadRequest || !strings.Contains(text, "spec.destinations") {
			t.Errorf("%s: %d %s", name, code, text)
		}
	}
	b.untouched()
}

// What is cluster-scoped is so whatever namespace a request or a status names.
func TestNamespaceOfAClusterScopedObject(t *testing.T) {
	b := newBorder(t)
	at, _ := b.forge("roles", b.ours, func(*v1alpha1.ApplicationSpec) {})
	q := "?" + url.Values{"group": {"rbac.authorization.k8s.io"}, "version": {"v1"}, "kind": {"ClusterRole"}, "objectNamespace": {b.ours}, "objectName": {"cluster-admin"}}.Encode()
	if code, text := b.ask(request{http.MethodGet, at + "/object" + q, ""}); code < http.StatusBadRequest || !strings.Contains(text, "clusterResourceWhitelist") {
		t.Errorf("%d %s", code, text)
	}
}

// What is an application's own is shown: what bears its tracking id, what such
// a thing owns, and what its sources have before the first sync. What the
// project denies of that is left out.
func TestOwnObjectsAreShown(t *testing.T) {
	b := newBorder(t)
	b.App("own", "app", func(a *v1alpha1.Application) {
		a.Namespace, a.Spec.Project, a.Spec.Destination.Namespace, a.Spec.SyncPolicy = b.ours, "ours", b.ours, nil
	})
	left := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: b.ours, Name: "settings"}, Data: map[string]string{"colour": "green"}}
	if err := b.Create(t.Context(), left); err != nil {
		t.Fatal(err)
	}
	at := "/applications/" + b.ours + "/" + b.ID("own")
	object := at + "/object?version=v1&kind=ConfigMap&objectName=settings&objectNamespace=" + b.ours
	shows := func(colour string) func(*api.Object) error {
		return func(o *api.Object) error {
			if !strings.Contains(o.Live, colour) {
				return fmt.Errorf("the object is %+v", o)
			}
			return nil
		}
	}
	sees(t, b.v, object, shows("green"))
	b.v.wants(t, http.StatusAccepted, http.MethodPost, at+"/sync", api.Sync{}, nil)
	sees(t, b.v, object, shows("red"))
	var set *api.Node
	sees(t, b.v, at+"/tree", func(tree *api.Tree) error {
		i := slices.IndexFunc(tree.Nodes, func(n *api.Node) bool { return n.Kind == "Deployment" })
		if i < 0 || len(tree.Nodes[i].Children) == 0 {
			return fmt.Errorf("the tree is %+v", tree)
		}
		set = tree.Nodes[i].Children[0]
		return nil
	})
	child := at + "/object?group=apps&version=v1&kind=ReplicaSet&objectName=" + set.Name + "&objectNamespace=" + b.ours
	b.v.wants(t, http.StatusOK, http.MethodGet, child, nil, nil)

	p := &v1alpha1.AppProject{}
	if err := b.Get(t.Context(), client.ObjectKey{Namespace: b.Namespace, Name: "ours"}, p); err != nil {
		t.Fatal(err)
	}
	p.Spec.NamespaceResourceBlacklist = []metav1.GroupKind{{Group: "apps", Kind: "ReplicaSet"}}
	if err := b.Update(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		_, whole := b.ask(request{http.MethodGet, at + "/tree", ""})
		if code, text := b.ask(request{http.MethodGet, child, ""}); code < http.StatusBadRequest || !strings.Contains(text, "namespaceResourceBlacklist") || strings.Contains(whole, "ReplicaSet") {
			return fmt.Errorf("%d %s; the tree is %s", code, text, whole)
		}
		return nil
	})
}

// A copied tracking id makes nothing another application's: the id names the
// object that it is for.
func TestCopiedTrackingID(t *testing.T) {
	b := newBorder(t)
	at, id := b.forge("copied", b.ours, func(*v1alpha1.ApplicationSpec) {})
	o := &corev1.ConfigMap{}
	if err := b.Get(t.Context(), client.ObjectKey{Namespace: b.ours, Name: "victim-settings"}, o); err != nil {
		t.Fatal(err)
	}
	o.Annotations = map[string]string{
		gitops.AnnotationTracking: gitops.TrackingID(b.ours+"_"+id, gitops.Key{Kind: "ConfigMap", Namespace: b.ours, Name: "settings"}),
	}
	if err := b.Update(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	path := at + "/object?version=v1&kind=ConfigMap&objectName=victim-settings&objectNamespace=" + b.ours
	if code, text := b.ask(request{http.MethodGet, path, ""}); code != http.StatusNotFound {
		t.Errorf("%d %s", code, text)
	}
}

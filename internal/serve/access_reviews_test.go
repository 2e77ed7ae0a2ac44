package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/observe/action"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/rights"
	"github.com/causeway-gitops/causeway/internal/server/trail"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// doorman is an API server that lets in whoever is trusted, podders to pods, and
// remembers whom it was asked about.
type doorman struct {
	// away tells that it answers no question about rights.
	away atomic.Bool

	mu    sync.Mutex
	asked []string
}

func (d *doorman) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	tell := func(v any) { _ = json.NewEncoder(w).Encode(v) } //nolint:errchkjson // all that it tells can be encoded
	switch path := r.URL.Path; {
	case path == "/version":
		tell(version.Info{GitVersion: "v1.36.0"})
	case path == "/api":
		tell(metav1.APIVersions{Versions: []string{"v1"}})
	case path == "/apis":
		tell(metav1.APIGroupList{})
	case path == "/api/v1":
		verbs := metav1.Verbs{"get", "list", "watch", "patch", "create"}
		tell(metav1.APIResourceList{GroupVersion: "v1", APIResources: []metav1.APIResource{{Name: "pods", Kind: "Pod", Namespaced: true, Verbs: verbs}, {Name: "services", Kind: "Service", Namespaced: true, Verbs: verbs}}})
	case d.away.Load() && strings.HasSuffix(path, "/selfsubjectaccessreviews"):
		http.Error(w, "the authorizer is away", http.StatusInternalServerError)
	case strings.HasSuffix(path, "/selfsubjectaccessreviews"):
		review, err := reviewIn(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		tell(d.reviewed(r.Header.Get("Impersonate-User"), review))
	case strings.HasSuffix(path, "/log"):
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "a line\n")
	case strings.HasSuffix(path, "/events"):
		tell(corev1.EventList{})
	default:
		http.NotFound(w, r)
	}
}

// reviewIn is the question in a request, however it is encoded.
func reviewIn(r *http.Request) (*authorizationv1.SelfSubjectAccessReview, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	review := &authorizationv1.SelfSubjectAccessReview{}
	_, _, err = scheme.Codecs.UniversalDeserializer().Decode(body, nil, review)
	return review, err
}

func (d *doorman) reviewed(who string, review *authorizationv1.SelfSubjectAccessReview) *authorizationv1.SelfSubjectAccessReview {
	d.mu.Lock()
	d.asked = append(d.asked, who+": "+review.Spec.ResourceAttributes.Verb+" "+wordsOf(review.Spec.ResourceAttributes))
	d.mu.Unlock()
	review.Status.Allowed = who == "" || strings.Contains(who, "trusted") || strings.Contains(who, "podder") && review.Spec.ResourceAttributes.Resource == "pods"
	return review
}

// took returns what was asked since.
func (d *doorman) took() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := strings.Join(d.asked, "; ")
	d.asked = nil
	return out
}

// guarded is a fleet whose hub has a doorman.
func guarded(t *testing.T) (*fleet.Fleet, *doorman) {
	t.Helper()
	d := &doorman{}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	f, err := fleet.New(fleet.Options{
		Hub: &rest.Config{Host: server.URL}, Namespace: "argocd", Log: slog.New(slog.DiscardHandler), Convert: observe.New().Live,
		OnChange: func(gitops.Change) {}, OnCluster: func(string, bool) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f, d
}

// podLive is a pod that is live, and differs from what Git has.
type podLive struct{ decrypting }

func (p podLive) Diff(context.Context, *v1alpha1.Application) ([]plan.ObjectDiff, error) {
	d, err := plan.NewDiff(p.live, p.desired)
	return []plan.ObjectDiff{{Key: gitops.KeyOf(p.live), Verb: gitops.Update, Diff: d}}, err
}

func (podLive) pod(image string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "web", "namespace": "shop"},
		"spec":   map[string]any{"nodeName": "a", "containers": []any{map[string]any{"name": "main", "image": image}}},
		"status": map[string]any{"containerStatuses": []any{map[string]any{"name": "main", "state": map[string]any{"running": map[string]any{}}}}},
	}}
}

// written is an audit in memory.
type written struct{ entries []audit.Entry }

func (w *written) Append(_ context.Context, e *audit.Entry) (*audit.Entry, error) {
	w.entries = append(w.entries, *e)
	return e, nil
}
func (*written) Note(*audit.Entry) {}

// visit is what people do with what is live of an application.
type visit struct {
	looker

	app *v1alpha1.Application
}

func newVisit(t *testing.T, policy string) (*visit, *doorman, *written) {
	t.Helper()
	f, asked := guarded(t)
	log := slog.New(slog.DiscardHandler)
	may := rights.New(rights.Options{Namespace: "argocd", Settings: func() map[string]string { return nil }, Projects: &projectList{reader: heap{}}, Log: log})
	if !may.Put(map[string]string{"policy.csv": policy}) {
		t.Fatal("the policy cannot be read")
	}
	pods := podLive{}
	pods.live, pods.desired = pods.pod("live:1"), pods.pod("git:2")
	told := &written{}
	v := &visit{looker: looker{roles: may, trail: trail.New(told, log), kinds: newKindRights(0)}}
	v.on = &Options{
		Fleet: f, Log: log, Stages: pods, Live: pods, Checks: observe.New(), Hidden: func() []string { return nil }, Settings: func() map[string]string { return nil },
		Admit: func(_ context.Context, app *v1alpha1.Application) (*Admitted, error) {
			return &Admitted{Cluster: f.Hub(), Resources: app.Status.Resources}, nil
		},
		Account: func(context.Context, *v1alpha1.Application, string) (string, error) { return "", nil },
		Act: func(_ context.Context, _ *v1alpha1.Application, act Act) ([]plan.ObjectDiff, error) {
			patched := action.Change{Verb: gitops.Update, Object: pods.live, Patch: map[string]any{"spec": map[string]any{}}, StatusPatch: map[string]any{"phase": "Failed"}}
			return nil, act.May([]action.Change{patched, {Verb: gitops.Create, Object: pods.desired}})
		},
	}
	v.app = &v1alpha1.Application{}
	v.app.Namespace, v.app.Name, v.app.Spec.Project = "argocd", "web", "shop"
	return v, asked, told
}

var webPod = api.Ref{Version: "v1", Kind: "Pod", Namespace: "shop", Name: "web"}

// deeds are all that shows or changes what is live of one object.
var deeds = map[string]struct {
	do func(context.Context, *visit) error
	// asks is what a cluster is asked of who has their rights by Kubernetes' roles.
	asks []string
}{
	"object":  {func(ctx context.Context, v *visit) error { _, err := v.Object(ctx, v.app, webPod); return err }, []string{"get pods web in namespace shop"}},
	"events":  {func(ctx context.Context, v *visit) error { _, err := v.Events(ctx, v.app, webPod); return err }, []string{"list events in namespace shop"}},
	"actions": {func(ctx context.Context, v *visit) error { _, err := v.discover(ctx, v.app, webPod); return err }, []string{"get pods web in namespace shop"}},
	"logs": {func(ctx context.Context, v *visit) error {
		log, err := v.Logs(ctx, v.app, api.LogQuery{Namespace: "shop", Pod: "web", Tail: 1})
		if err != nil {
			return err
		}
		return log.Close()
	}, []string{"get pods/log web in namespace shop"}},
	"action": {
		func(ctx context.Context, v *visit) error {
			_, err := actor{v.looker}.Act(ctx, auth.From(ctx), v.app, api.Act{Object: webPod, Action: "restart"})
			return err
		}, []string{"patch pods web in namespace shop", "patch pods/status web in namespace shop", "create pods in namespace shop"},
	},
}

// What is live is shown and changed by Argo CD's policies for whom they let,
// however they signed in. Whom Kubernetes' roles let, the cluster is asked about,
// in their own name.
func TestWhoIsAskedAbout(t *testing.T) {
	const policy = "p, role:support, applications, *, shop/*, allow\np, role:support, logs, get, shop/*, allow\ng, ann, role:support\ng, system:serviceaccount:ci:known, role:support\n"
	claims := func(name string) map[string]any { return map[string]any{"sub": name} }
	kubernetes := func(name string) *auth.User {
		full := "system:serviceaccount:ci:" + name
		return &auth.User{Name: full, Via: auth.Kubernetes, Claims: claims(full)}
	}
	people := map[string]struct {
		who           *auth.User
		asked, barred bool
	}{
		"nobody":                           {who: nil},
		"an account":                       {who: &auth.User{Name: "ann", Via: auth.Local, Claims: claims("ann")}},
		"an account without a policy":      {who: &auth.User{Name: "bob", Via: auth.Local, Claims: claims("bob")}}, // is refused before
		"of an issuer":                     {who: &auth.User{Name: "ann", Via: auth.OIDC, Claims: claims("ann")}},
		"of a project's role":              {who: &auth.User{Name: "proj:shop:ci", Via: auth.Project, Claims: claims("proj:shop:ci")}},
		"of Kubernetes, by policy":         {who: kubernetes("known")},
		"of Kubernetes, with rights there": {who: kubernetes("trusted"), asked: true},
		"of Kubernetes, without":           {who: kubernetes("guest"), asked: true, barred: true},
	}
	for name, tc := range people {
		t.Run(name, func(t *testing.T) {
			v, asked, told := newVisit(t, policy)
			ctx := auth.With(t.Context(), tc.who)
			for what, deed := range deeds {
				if tc.who == nil && what == "action" {
					continue // nobody acts
				}
				told.entries = nil
				err := deed.do(ctx, v)
				if errors.As(err, &reach.Barred{}) != tc.barred || err != nil && !tc.barred {
					t.Errorf("%s: %v", what, err)
					continue
				}
				want := ""
				if tc.asked {
					var all []string
					for _, one := range deed.asks {
						all = append(all, tc.who.Name+": "+one)
					}
					if tc.barred {
						all = all[:1]
					}
					want = strings.Join(all, "; ")
				}
				if diff := cmp.Diff(want, asked.took()); diff != "" {
					t.Errorf("%s: the cluster was asked (-want +got):\n%s", what, diff)
				}
				if denied := len(told.entries) == 1 && told.entries[0].Outcome == audit.Denied && told.entries[0].Name == "web"; denied != tc.barred {
					t.Errorf("%s: the audit has %+v", what, told.entries)
				}
				if tc.barred && !strings.Contains(err.Error(), "cluster in-cluster does not let system:serviceaccount:ci:guest "+deed.asks[0]) {
					t.Errorf("%s: the refusal is %v", what, err)
				}
			}
		})
	}
}

// A shell runs in the name of whom Kubernetes knows, so that they need the right
// there whatever lets them open a terminal; for others the engine's counts.
func TestTerminalsAskOfEverybody(t *testing.T) {
	for name, want := range map[string]string{"known": "system:serviceaccount:ci:known: create pods/exec web in namespace shop", "": ": create pods/exec web in namespace shop"} {
		v, asked, _ := newVisit(t, "g, system:serviceaccount:ci:known, role:admin\n")
		u := &auth.User{Name: "ann", Via: auth.Local}
		if name != "" {
			u = &auth.User{Name: "system:serviceaccount:ci:" + name, Via: auth.Kubernetes}
		}
		_, refused, err := terminals{v.looker}.Containers(auth.With(t.Context(), u), u, v.app, api.TerminalAt{Namespace: "shop", Pod: "web"})
		if got := asked.took(); got != want || err != nil || (refused != nil) != (name != "") {
			t.Errorf("%s: asked %q, refused for %v, %v", u.Name, got, refused, err)
		}
	}
}

// Of objects that a cluster does not show to somebody, differences and lists of
// Argo CD's form have what Git has, and nothing of what is live.
func TestListsLeaveOutWhatIsBarred(t *testing.T) {
	for name, shown := range map[string]bool{"trusted": true, "guest": false} {
		v, asked, _ := newVisit(t, "")
		ctx := auth.With(t.Context(), &auth.User{Name: name, Via: auth.Kubernetes})
		differences, err := v.Diff(ctx, v.app)
		if err != nil || len(differences) != 1 {
			t.Fatal(differences, err)
		}
		if got := fmt.Sprint(differences); strings.Contains(got, "live:1") != shown || (differences[0].Kept == "") != shown {
			t.Errorf("%s is shown the difference %s", name, got)
		}
		if got := asked.took(); got != name+": get pods in namespace shop" {
			t.Errorf("the cluster was asked %q", got)
		}
		managed, err := details{v.looker}.Managed(ctx, v.app)
		if err != nil || len(managed) != 1 {
			t.Fatal(managed, err)
		}
		if got := fmt.Sprint(managed); strings.Contains(got, "live:1") != shown || !strings.Contains(got, "git:2") {
			t.Errorf("%s is shown of the list %s", name, got)
		}
	}
}

// Where a cluster cannot be asked, nothing of what is live is shown or done, and
// who asks is told which cluster it is. What Git has is shown without it.
func TestNothingIsLiveWhereNobodyIsAsked(t *testing.T) {
	v, door, _ := newVisit(t, "")
	door.away.Store(true)
	ctx := auth.With(t.Context(), &auth.User{Name: "trusted", Via: auth.Kubernetes})
	for what, deed := range deeds {
		if err := deed.do(ctx, v); !away(err) || !strings.Contains(err.Error(), "cluster in-cluster") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := v.Diff(ctx, v.app); !away(err) {
		t.Errorf("the difference: %v", err)
	}
	v.app.Status.Resources = []v1alpha1.ResourceStatus{{Version: "v1", Kind: "Pod", Namespace: "shop", Name: "web"}}
	o, err := v.Object(ctx, v.app, webPod)
	if err != nil || !o.Unanswered || o.Live != "" || !strings.Contains(o.Desired, "git:2") {
		t.Errorf("the object is %+v, %v", o, err)
	}
}

package serve

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// frontLive is a Service that owns a Pod, which owns a Service.
type frontLive struct{ podLive }

func (frontLive) Tree(context.Context, *v1alpha1.Application) ([]*observe.Node, error) {
	healthy := gitops.Health{Code: gitops.Healthy}
	side := &observe.Node{Key: gitops.Key{Kind: "Service", Namespace: "shop", Name: "side"}, UID: "3", Health: healthy}
	web := &observe.Node{Key: gitops.Key{Kind: "Pod", Namespace: "shop", Name: "web"}, UID: "2", Images: []string{"live:1"}, Children: []*observe.Node{side}}
	return []*observe.Node{{Key: gitops.Key{Kind: "Service", Namespace: "shop", Name: "front"}, UID: "1", Health: healthy, Children: []*observe.Node{web}}}, nil
}

// drawn is a tree on one line: what is live has a UID.
func drawn(all []*api.Node) string {
	var out []string
	for _, n := range all {
		text := n.Name
		if n.UID != "" {
			text += "#" + n.UID
		}
		if n.Health != "" {
			text += " " + n.Health
		}
		if len(n.Images) > 0 {
			text += " " + strings.Join(n.Images, " ")
		}
		if n.Missing {
			text += " missing"
		}
		if len(n.Children) > 0 {
			text += " (" + drawn(n.Children) + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// kubernetesUser is somebody whom Kubernetes knows.
func kubernetesUser(name string) *auth.User {
	return &auth.User{Name: name, Via: auth.Kubernetes, Claims: map[string]any{"sub": name}}
}

// Of kinds that a cluster does not let somebody read, a tree has what the status
// says, and what is below them as far as that may be read.
func TestTreesLeaveOutWhatIsBarred(t *testing.T) {
	const whole = "front#1 Healthy (web#2 live:1 (side#3 Healthy))"
	const pods, services = ": get pods in namespace shop", ": get services in namespace shop"
	cases := map[string]struct {
		reason string
		away   bool
		want   string
		asked  []string
		says   []string
	}{
		"known":   {"a policy lets them", false, whole, nil, nil},
		"trusted": {"the cluster lets them", false, whole, []string{pods, services}, nil},
		"podder":  {"a Pod comes in the place of the Service that has it", false, "front Degraded (web#2 live:1)", []string{pods, services}, []string{"does not let podder get services"}},
		"guest":   {"what the status says is the hub's", false, "front Degraded", []string{pods, services}, []string{"does not let guest get services", "does not let guest get pods"}},
		"trustee": {"nobody can be asked", true, "front Degraded", nil, []string{"cluster in-cluster"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			v, door, told := newVisit(t, "p, known, applications, get, shop/*, allow\n")
			v.on.Live = frontLive{}
			door.away.Store(tc.away)
			v.app.Status.Resources = []v1alpha1.ResourceStatus{{Version: "v1", Kind: "Service", Namespace: "shop", Name: "front", Health: &v1alpha1.HealthStatus{Status: v1alpha1.HealthStatusDegraded}}}
			tree, err := v.Tree(auth.With(t.Context(), kubernetesUser(name)), v.app)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, drawn(tree.Nodes)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			for _, text := range tc.says {
				if !strings.Contains(tree.Partial, text) {
					t.Errorf("%s: no %q in %q", tc.reason, text, tree.Partial)
				}
			}
			if (tree.Partial == "") != (tc.says == nil) {
				t.Errorf("%s: it says %q", tc.reason, tree.Partial)
			}
			var want []string
			for _, one := range tc.asked {
				want = append(want, name+one)
			}
			if got := door.all(); !slices.Equal(got, want) {
				t.Errorf("%s: the cluster was asked %q, want %q", tc.reason, got, want)
			}
			if len(told.entries) > 0 {
				t.Errorf("the audit has what nobody tried: %+v", told.entries)
			}
		})
	}
}

// all is what was asked since, in order of the questions.
func (d *doorman) all() []string {
	got := d.took()
	if got == "" {
		return nil
	}
	out := strings.Split(got, "; ")
	slices.Sort(out)
	return out
}

// strays are objects that no application has.
type strays struct{ api.Surroundings }

func (strays) Orphans(context.Context, *v1alpha1.Application) (*api.Orphans, error) {
	return &api.Orphans{Asked: true, Objects: []api.Unowned{{Kind: "Pod", Namespace: "shop", Name: "left"}, {Kind: "Service", Namespace: "shop", Name: "lost"}}}, nil
}

// Objects that no application has are told of to who may read them there.
func TestOrphansThatAreBarred(t *testing.T) {
	for name, tc := range map[string]struct {
		want string
		says []string
	}{
		"known":   {"[left lost]", nil},
		"trusted": {"[left lost]", nil},
		"podder":  {"[left]", []string{"does not let podder get services"}},
		"guest":   {"[]", []string{"does not let guest get pods", "does not let guest get services"}},
	} {
		v, door, _ := newVisit(t, "p, known, applications, get, shop/*, allow\n")
		a, ctx := around{v.looker, strays{}}, auth.With(t.Context(), kubernetesUser(name))
		found, err := a.Orphans(ctx, v.app)
		if err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, o := range found.Objects {
			names = append(names, o.Name)
		}
		if got := fmt.Sprint(names); got != tc.want || !found.Asked {
			t.Errorf("%s is told of %s, want %s", name, got, tc.want)
		}
		for _, text := range tc.says {
			if !strings.Contains(found.Partial, text) {
				t.Errorf("%s: no %q in %q", name, text, found.Partial)
			}
		}
		if (found.Partial == "") != (tc.says == nil) {
			t.Errorf("%s is told that %q is left out", name, found.Partial)
		}
		a.kinds = newKindRights(0)
		door.away.Store(true)
		if found, err = a.Orphans(ctx, v.app); away(err) != (name != "known") {
			t.Errorf("where nobody can be asked %s is told of %+v, %v", name, found, err)
		}
	}
}

// What is not known yet is asked about before what was known, and what is known takes
// no place: each look of a large tree learns more.
func TestEachLookLearnsMore(t *testing.T) {
	v, door, _ := newVisit(t, "")
	now := time.Unix(1000, 0)
	v.kinds.now = func() time.Time { return now }
	var many []gitops.Key
	for i := range kindsAsked + 10 {
		many = append(many, gitops.Key{Kind: "Pod", Namespace: fmt.Sprint("shop-", i), Name: "a"})
	}
	last := many[len(many)-1]
	look := func() (asked []string, shown bool) {
		shows := v.showsAll(auth.With(t.Context(), kubernetesUser("trusted")), v.on.Fleet.Hub(), v.app, many)
		return door.all(), shows(last) == nil
	}
	if asked, shown := look(); len(asked) != kindsAsked || shown {
		t.Fatalf("at first %d are asked about, and the last is shown: %v", len(asked), shown)
	}
	now = now.Add(30 * time.Second) // two polls of a page
	if asked, shown := look(); len(asked) != 10 || !shown {
		t.Errorf("then %d are asked about, and the last is shown: %v", len(asked), shown)
	}
	now = now.Add(kindsFor - 30*time.Second)
	many = append(many, gitops.Key{Kind: "Pod", Namespace: "new", Name: "a"})
	asked, shown := look()
	if !slices.Contains(asked, "trusted: get pods in namespace new") || len(asked) != kindsAsked || !shown {
		t.Errorf("what was not known is not among the %d that are asked about, or the last is not shown: %v", len(asked), shown)
	}
}

// A kind is asked about once for a moment, of each person, and no more of them than
// a cluster is asked at once.
func TestKindsAreAskedAboutOnce(t *testing.T) {
	v, door, _ := newVisit(t, "")
	now := time.Unix(1000, 0)
	v.kinds.now = func() time.Time { return now }
	pod := []gitops.Key{{Kind: "Pod", Namespace: "shop", Name: "a"}, {Kind: "Pod", Namespace: "shop", Name: "b"}}
	look := func(name string, all []gitops.Key) func(gitops.Key) error {
		return v.showsAll(auth.With(t.Context(), kubernetesUser(name)), v.on.Fleet.Hub(), v.app, all)
	}
	for _, step := range []struct {
		reason, who string
		later       time.Duration
		away        bool
		want        int
	}{
		{"it is not known", "trusted", 0, false, 1},
		{"it is known", "trusted", kindsFor - 1, false, 0},
		{"it is known of somebody else", "guest", 0, false, 1},
		{"that it is barred is known as well", "guest", 0, false, 0},
		{"it was known", "trusted", 1, false, 1},
		{"nobody can be asked", "other", 0, true, 0},
		{"that nobody could be asked is not remembered", "other", 0, false, 1},
	} {
		now = now.Add(step.later)
		door.away.Store(step.away)
		shows := look(step.who, pod)
		if got := len(door.all()); got != step.want {
			t.Errorf("%s: %d questions about %s, want %d", step.reason, got, step.who, step.want)
		}
		if (shows(pod[0]) == nil) != (step.who == "trusted") {
			t.Errorf("%s: %s gets %v", step.reason, step.who, shows(pod[0]))
		}
	}
	var many []gitops.Key
	for i := range kindsAsked + 10 {
		many = append(many, gitops.Key{Kind: "Pod", Namespace: fmt.Sprint("shop-", i), Name: "a"})
	}
	shows := look("trusted", many)
	if got := len(door.all()); got > kindsAsked {
		t.Errorf("%d questions for one look", got)
	}
	if why := shows(many[len(many)-1]); why == nil || !strings.Contains(why.Error(), "is not shown") {
		t.Errorf("what was not asked about is shown: %v", why)
	}
}

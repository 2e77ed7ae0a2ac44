package applicationset

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/report"
)

func TestOwner(t *testing.T) {
	yes, no := true, false
	cases := map[string]struct {
		reason string
		refs   []metav1.OwnerReference
		want   []string
	}{
		"none":       {"an application of its own", nil, nil},
		"set":        {"the set that controls it", []metav1.OwnerReference{{Kind: "ApplicationSet", Name: "addons", Controller: &yes}}, []string{"addons"}},
		"mere owner": {"an owner that does not control it writes nothing", []metav1.OwnerReference{{Kind: "ApplicationSet", Name: "addons", Controller: &no}}, nil},
		"unsaid":     {"nor does one that does not say", []metav1.OwnerReference{{Kind: "ApplicationSet", Name: "addons"}}, nil},
		"other kind": {"another controller's", []metav1.OwnerReference{{Kind: "Platform", Name: "addons", Controller: &yes}}, nil},
		"second":     {"several owners, one of which controls", []metav1.OwnerReference{{Kind: "Platform", Name: "p"}, {Kind: "ApplicationSet", Name: "addons", Controller: &yes}}, []string{"addons"}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			got := Owner(&v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{OwnerReferences: c.refs}})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

func TestRejected(t *testing.T) {
	made := []v1alpha1.Application{{}, {}}
	cases := map[string]struct {
		reason   string
		rejected []generate.Rejected
		want     string
	}{
		"none": {"all can be created", nil, ""},
		"some": {"each is named with its reason, in the order of the names", []generate.Rejected{{Name: "web", Err: errors.New("no project")}, {Name: "db", Err: errors.New("no cluster")}},
			"cannot create 2 of 4 applications: db: no cluster; web: no project"},
		"veiled": {
			"of those whose names may come from clusters it is told how many there are", []generate.Rejected{
				{Name: "of-vault-1", Err: errors.New("no cluster vault-1"), Bare: "generator 1: no cluster …"}, {Name: "db", Err: errors.New("no cluster")},
				{Name: "of-vault-2", Err: errors.New("no cluster vault-2"), Bare: "generator 1: no cluster …"},
			},
			"cannot create 3 of 5 applications: db: no cluster; 2 times: generator 1: no cluster …; what is left out is in the engine's log",
		},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			err := rejected(&generate.Expansion{Applications: made, Rejected: c.rejected}, 0)
			if c.want == "" {
				if err != nil {
					t.Errorf("%s: got %v", c.reason, err)
				}
				return
			}
			if err == nil || err.Error() != c.want {
				t.Fatalf("%s: got %v, want %s", c.reason, err, c.want)
			}
			if class := report.Classify(err); class != report.Terminal {
				t.Errorf("%s: the class is %s: trying again would not help", c.reason, class)
			}
			var problem *gitops.Problem
			if !errors.As(err, &problem) {
				t.Errorf("%s: no problem that a person can act on", c.reason)
			}
		})
	}
}

func TestStatus(t *testing.T) {
	app := func(name string, health v1alpha1.HealthStatusCode) v1alpha1.Application {
		a := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: name}}
		a.Status.Sync.Status, a.Status.Health.Status = v1alpha1.SyncStatusCodeSynced, health
		return a
	}
	many := make([]v1alpha1.Application, listed+3)
	cases := map[string]struct {
		reason string
		apps   []v1alpha1.Application
		names  []string
		count  int64
	}{
		"none":   {"a set without applications", nil, nil, 0},
		"sorted": {"the order does not move with the cache's", []v1alpha1.Application{app("web", v1alpha1.HealthStatusHealthy), app("db", "")}, []string{"db", "web"}, 2},
		"many":   {"the count is whole although the list is cut", many, nil, listed + 3},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			set := &v1alpha1.ApplicationSet{}
			(&Reconciler{}).status(set, c.apps)
			if set.Status.ResourcesCount != c.count || len(set.Status.Resources) != min(len(c.apps), listed) {
				t.Errorf("%s: %d named of %d, want %d", c.reason, len(set.Status.Resources), set.Status.ResourcesCount, c.count)
			}
			for i, name := range c.names {
				if set.Status.Resources[i].Name != name {
					t.Errorf("%s: number %d is %s, want %s", c.reason, i, set.Status.Resources[i].Name, name)
				}
			}
		})
	}
	if h := healthOf(&v1alpha1.Application{}); h != nil {
		t.Errorf("an application that was never looked at has the health %+v", h)
	}
}

func TestNothingIsDeletedWhileSomethingIsRejected(t *testing.T) {
	old := []v1alpha1.Application{{ObjectMeta: metav1.ObjectMeta{Name: "old"}}}
	cases := map[string]struct {
		reason   string
		rejected []generate.Rejected
		held     int
		deleted  int
	}{
		"all is well":      {reason: "what is no longer generated goes", deleted: 1},
		"a name is broken": {reason: "it may be the new name of what would go", rejected: []generate.Rejected{{Name: "ne{{w", Err: errors.New("no name")}}, held: 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			changes := &generate.Changes{Delete: old}
			if held := hold(changes, &v1alpha1.ApplicationSet{}, &generate.Expansion{Rejected: c.rejected}); held != c.held || len(changes.Delete) != c.deleted {
				t.Errorf("%s: %d held and %d deleted, want %d and %d", c.reason, held, len(changes.Delete), c.held, c.deleted)
			}
		})
	}
}

package application

import (
	"context"
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/controller/application/appcache"
	"github.com/causeway-gitops/causeway/internal/controller/application/deletion"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// stocktaking is a cluster in which something happens while it is asked what it has.
type stocktaking struct {
	emptied

	has       []*gitops.Live
	meanwhile func()
}

func (stocktaking) Scope() gitops.Scope {
	return func(string, string) (namespaced, known bool) { return true, true }
}

func (c stocktaking) Live(context.Context, string, []schema.GroupVersionKind, []gitops.Key) (map[gitops.Key]*gitops.Live, error) {
	out := map[gitops.Key]*gitops.Live{}
	for _, l := range c.has {
		out[l.Key] = l
	}
	c.meanwhile()
	return out, nil
}

// TestNarrowedProjectInADeletion: each step of a deletion goes by the project as it is when its objects are known.
func TestNarrowedProjectInADeletion(t *testing.T) {
	for name, tc := range map[string]struct {
		reason    string
		meanwhile func(*narrowing)
		sent, err string
	}{
		"Same":      {"all of it goes", func(*narrowing) {}, "prune blue/b, prune red/a", ""},
		"Account":   {"as whom the project names now", func(n *narrowing) { n.act("two") }, "prune blue/b as two, prune red/a as two", ""},
		"Namespace": {"what is not permitted any more stays", func(n *narrowing) { n.permit("red") }, "prune red/a", ""},
		"Lost":      {"nobody knows what is permitted", func(n *narrowing) { n.Projects = lostProject{} }, "", "it is not there"},
		"Nobody":    {"there is nobody to act as", func(n *narrowing) { n.Acting = func() policy.Acting { return policy.ActAlways } }, "", "names no service account"},
		"Unlisted":  {"the Application may not use the project", func(n *narrowing) { n.target.App.Namespace = "team" }, "", "cannot use project"},
		"Cluster":   {"nothing is permitted on the cluster", func(n *narrowing) { n.permit() }, "", "permits nothing on cluster"},
	} {
		for _, step := range []string{"cascade", "cleanHooks"} {
			t.Run(name+"/"+step, func(t *testing.T) {
				n := narrowingOf()
				n.Apps, n.Acting = appcache.New(empty{}), func() policy.Acting { return policy.ActIfNamed }
				at := metav1.NewTime(at)
				n.target.App.DeletionTimestamp, n.target.Tracking = &at, "web"
				c := stocktaking{emptied: n.target.Cluster.(emptied), meanwhile: func() { tc.meanwhile(n) }}
				for _, k := range []gitops.Key{{Kind: "ConfigMap", Namespace: "red", Name: "a"}, {Kind: "ConfigMap", Namespace: "blue", Name: "b"}} {
					c.has = append(c.has, &gitops.Live{Key: k, Tracking: gitops.TrackingID("web", k), Annotations: map[string]string{
						gitops.AnnotationHook: "PreDelete", "argocd.argoproj.io/hook-delete-policy": "HookSucceeded",
					}})
				}
				n.target.Cluster = c
				d, remover := &deletion.Removal{Subject: &n.target.Subject, Writer: n.target.Writer}, n.remover()
				run := remover.Cascade
				if step == "cleanHooks" {
					run = func(ctx context.Context, d *deletion.Removal) error {
						return remover.CleanHooks(ctx, d, gitops.PreDelete)
					}
				}
				err := run(t.Context(), d)
				if _, waits := errors.AsType[*deletion.Blocked](err); waits != (tc.err == "") || !waits && (err == nil || !strings.Contains(err.Error(), tc.err)) {
					t.Errorf("%s: it ends with %v", tc.reason, err)
				}
				if got := strings.Join(n.sent, ", "); got != tc.sent {
					t.Errorf("%s: sent %q, want %q", tc.reason, got, tc.sent)
				}
			})
		}
	}
}

// empty is a cache that has nothing.
type empty struct{ client.Client }

func (empty) Get(_ context.Context, name types.NamespacedName, _ client.Object, _ ...client.GetOption) error {
	return apierrors.NewNotFound(schema.GroupResource{}, name.Name)
}

func (empty) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

package chronicle

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/store"
	"github.com/causeway-gitops/causeway/internal/store/audit"
	"github.com/causeway-gitops/causeway/test/await"
)

// deleting is a client that deletes, or fails.
type deleting struct {
	client.Client

	err error
}

func (d deleting) Delete(context.Context, client.Object, ...client.DeleteOption) error { return d.err }

// noted is the newest entry of the audit, once there are so many.
func noted(t *testing.T, c *Chronicle, count int) audit.Entry {
	t.Helper()
	var last audit.Entry
	await.Until(t, func(ctx context.Context) error {
		all, err := c.Store.Audit(ctx, store.AuditQuery{Limit: 10})
		if err != nil {
			return err
		}
		if len(all) < count {
			return fmt.Errorf("the audit has %+v, want %d entries", all, count)
		}
		last = all[0]
		return nil
	})
	return last
}

func TestDeletionsOfControllersAreInTheAudit(t *testing.T) {
	yes := true
	owned := metav1.ObjectMeta{Namespace: "argocd", Name: "web", Finalizers: []string{"a", "b"}, OwnerReferences: []metav1.OwnerReference{{Kind: "ApplicationSet", Name: "webs", Controller: &yes}}}
	app := &v1alpha1.Application{ObjectMeta: owned}
	app.Spec.Destination = v1alpha1.ApplicationDestination{Server: "https://prod"}
	cases := map[string]struct {
		reason string
		object client.Object
		want   audit.Entry
	}{
		"Application": {"of whom it was, where it ran, and whether its objects go with it", app, audit.Entry{
			Resource: "applications", Project: "default", Namespace: "argocd", Name: "web", Cluster: "https://prod", Message: "deleted by ApplicationSet webs",
			Changes: []audit.Change{{Path: "/metadata/finalizers", Old: `"a,b"`}},
		}},
		"Secret": {"of a kind that policies know", &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "s"}}, audit.Entry{
			Resource: "secrets", Namespace: "argocd", Name: "s", Message: "deleted by Cluster",
		}},
		"Other": {"another kind goes by its name", &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}}, audit.Entry{Resource: "ConfigMap", Name: "c", Message: "deleted by Cluster"}},
	}
	c, _ := opened(t, Options{CacheDir: t.TempDir()})
	count := 0
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if err := (Deleter{Client: deleting{}, Chronicle: c, By: "Cluster"}).Delete(t.Context(), tc.object); err != nil {
				t.Fatal(err)
			}
			count++
			got := noted(t, c, count)
			tc.want.Who, tc.want.Outcome, tc.want.Verb = audit.Who{Name: audit.Engine}, audit.Allowed, "delete"
			got = audit.Entry{
				Who: got.Who, Outcome: got.Outcome, Verb: got.Verb, Resource: got.Resource, Project: got.Project, Namespace: got.Namespace,
				Name: got.Name, Cluster: got.Cluster, Message: got.Message, Changes: got.Changes,
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	refused := errors.New("forbidden")
	if err := (Deleter{Client: deleting{err: refused}, Chronicle: c}).Delete(t.Context(), app); !errors.Is(err, refused) {
		t.Errorf("a deletion that was refused is told as %v", err)
	}
	c.Deleted(app, gitops.Cluster{Name: "prod", Server: "https://prod"}, []gitops.Key{{Group: "apps", Kind: "Deployment", Namespace: "n", Name: "a"}, {Kind: "Node", Name: "b"}}, "the application goes", "sync-1")
	got := noted(t, c, count+1)
	want := []audit.Change{{Path: "apps/Deployment n/a", Old: `"deleted"`}, {Path: "Node b", Old: `"deleted"`}}
	if diff := cmp.Diff(want, got.Changes); diff != "" || got.Sequence != int64(count+1) {
		t.Errorf("what was refused is not in the audit, and what went besides pruning is (-want +got):\n%s", diff)
	}
	if got.Verb != "prune" || got.Cluster != "prod" || got.Operation != "sync-1" || got.Message != "deleted 2 objects: the application goes" {
		t.Errorf("told is %+v", got)
	}
}

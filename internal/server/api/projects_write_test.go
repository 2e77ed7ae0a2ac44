package api

import (
	"context"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// drafting writes projects of a world down.
type drafting struct{ world *world }

func (d drafting) Put(_ context.Context, u *auth.User, _ *v1alpha1.AppProject, want ProjectWish) (*v1alpha1.AppProject, error) {
	d.world.asked = append(d.world.asked, "put "+want.Name+" by "+u.Name)
	out := &v1alpha1.AppProject{Spec: want.Spec}
	out.Name = want.Name
	return out, nil
}

func (d drafting) Remove(_ context.Context, u *auth.User, old *v1alpha1.AppProject) error {
	d.world.asked = append(d.world.asked, "delete "+old.Name+" by "+u.Name)
	return nil
}

// The project of Applications that name none stays, and the answer says why.
func TestProjectDefaultStays(t *testing.T) {
	w := newWorld()
	o := w.options()
	o.Applications = withDefault{w}
	o.Rights = everything{w}
	got := send(t, as(New(o)), "writer", "DELETE", "/projects/default", "")
	if text := got.Body.String(); got.Code != http.StatusConflict || !strings.Contains(text, "which name none") || strings.Contains(text, "in use") {
		t.Errorf("%d %s", got.Code, text)
	}
}

type withDefault struct{ *world }

func (withDefault) Projects(context.Context) ([]v1alpha1.AppProject, error) {
	return []v1alpha1.AppProject{{ObjectMeta: metav1.ObjectMeta{Name: "default"}}}, nil
}

// everything is allowed.
type everything struct{ *world }

func (everything) Permit(context.Context, *auth.User, reach.Access) error { return nil }

// Who deletes a project is told of the Applications in it that they may read,
// and of others that there are some.
func TestUsersOfAProject(t *testing.T) {
	rows := []*view.Row{
		{Name: "web-dev", Project: "shop"}, {Name: "web-prod", Project: "shop"}, {Name: "vault", Project: "shop"},
		{Name: "web-lone", Project: "lone"}, {Name: "dns", Project: "closed"},
		{Namespace: "theirs", Name: "says-so", Project: "empty"}, {Namespace: "listed", Name: "web-listed", Project: "lists"},
	}
	for project, want := range map[string]string{
		"shop": "2 applications, and others that you may not read", "lone": "1 application", "closed": "applications that you may not read", "empty": "", "lists": "1 application",
	} {
		p := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: project}}
		p.Spec.SourceNamespaces = []string{"listed"}
		if got := usersOf(p, "argocd", rows, isWeb); got != want {
			t.Errorf("project %s has %q, want %q", project, got, want)
		}
	}
}

func TestManagedBy(t *testing.T) {
	owned, tracked := metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{Kind: "Application", Name: "a"}, {Kind: "Application", Name: "b"}}}, metav1.ObjectMeta{}
	tracked.Annotations = map[string]string{v1alpha1.AnnotationTrackingID: "projects:argoproj.io/AppProject:argocd/shop"}
	for want, meta := range map[string]metav1.ObjectMeta{"": {}, "Application a": owned, "Application projects": tracked} {
		if got := ManagedBy(&v1alpha1.AppProject{ObjectMeta: meta}); got != want {
			t.Errorf("%+v is managed by %q, want %q", meta, got, want)
		}
	}
}

func TestProjectsByRights(t *testing.T) { knocks(t, projectKnocks()) }

func projectKnocks() map[string]knock {
	const at, mine = "/projects/shop", `{"name":"shop","spec":{"sourceRepos":["*"]}}`
	return map[string]knock{
		"get":        {"GET", at, "", [4]int{401, 200, 200, 404}},
		"create":     {"POST", "/projects", mine, [4]int{401, 403, 201, 403}},
		"change":     {"PUT", at, mine, [4]int{401, 403, 200, 404}},
		"in use":     {"DELETE", at, "", [4]int{401, 403, 409, 404}},
		"unknown":    {"GET", "/projects/none", "", [4]int{401, 404, 404, 404}},
		"not a spec": {"POST", "/projects", `{"name":"shop","spec":{"colour":"red"}}`, [4]int{401, 422, 422, 422}},
	}
}

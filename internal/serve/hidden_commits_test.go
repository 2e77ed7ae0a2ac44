package serve_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app/apptest"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/environment"
)

// cellOf is the cell that has an Application.
func cellOf(m *environment.Matrix, name string) (environment.Cell, bool) {
	for i := range m.Items {
		for _, cell := range m.Items[i].Cells {
			for _, app := range cell.Applications {
				if app.Name == name {
					return cell, true
				}
			}
		}
	}
	return environment.Cell{}, false
}

// Who may write an Application names in it another team's repository and a commit
// of it: the history is not read for what its project does not permit, so that
// nothing is told of who made the commit, and what for.
func TestCommitsOfRepositoriesThatAreNotPermitted(t *testing.T) {
	b := newBorder(t)
	b.App("own", "app", func(a *v1alpha1.Application) {
		a.Namespace, a.Spec.Project, a.Spec.Destination.Namespace, a.Spec.SyncPolicy = b.ours, "ours", b.ours, nil
	})
	at := "/applications/" + b.ours + "/" + b.ID("own")
	b.v.wants(t, http.StatusAccepted, http.MethodPost, at+"/sync", api.Sync{}, nil)
	revision := ""
	sees(t, b.v, "/environments", func(m *environment.Matrix) error {
		cell, is := cellOf(m, b.ID("own"))
		if revision = cell.Version; !is || cell.Subject == "" || len(revision) != 40 {
			return fmt.Errorf("of our own commit there is %+v", cell)
		}
		return nil
	})
	// The project theirs permits their repository alone.
	spy := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: b.ID("spy"), Annotations: map[string]string{v1alpha1.AnnotationSkipReconcile: "true"}}}
	spy.Spec = v1alpha1.ApplicationSpec{
		Project: "theirs", Source: &v1alpha1.ApplicationSource{RepoURL: apptest.RepoURL, Path: "app", TargetRevision: revision},
		Destination: v1alpha1.ApplicationDestination{Name: "in-cluster", Namespace: b.theirs},
	}
	if err := b.Create(t.Context(), spy); err != nil {
		t.Fatal(err)
	}
	sees(t, b.v, "/environments", func(m *environment.Matrix) error {
		cell, is := cellOf(m, spy.Name)
		if !is {
			return errors.New("it is not listed yet")
		}
		if cell.Author != "" || cell.Subject != "" || !cell.Committed.IsZero() {
			return fmt.Errorf("of a commit that the project does not permit there is %q by %q", cell.Subject, cell.Author)
		}
		return nil
	})
}

package serve_test

import (
	"fmt"
	"net/http"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app/apptest"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// A roll-out in steps is held by who may change its set, and goes on.
func TestRolloutIsPausedByAPI(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(oneMap, "settings", `""`)})
	set := &v1alpha1.ApplicationSet{}
	set.Name = "steps"
	set.Spec.Generators = []v1alpha1.ApplicationSetGenerator{{List: &v1alpha1.ListGenerator{Elements: []apiextensionsv1.JSON{{Raw: fmt.Appendf(nil, `{"name":%q}`, s.ID("a"))}}}}}
	set.Spec.Template.Name = "{{name}}"
	set.Spec.Template.Spec = v1alpha1.ApplicationSpec{
		Project: "default", Source: &v1alpha1.ApplicationSource{RepoURL: apptest.RepoURL, Path: "app", TargetRevision: "HEAD"},
		Destination: v1alpha1.ApplicationDestination{Name: "in-cluster", Namespace: s.Namespace},
	}
	once := set.DeepCopy()
	once.Name, once.Spec.Generators = "once", nil
	once.Spec.Generators = []v1alpha1.ApplicationSetGenerator{{List: &v1alpha1.ListGenerator{}}}
	set.Spec.Strategy = &v1alpha1.ApplicationSetStrategy{Type: v1alpha1.ApplicationSetStrategyRollingSync, RollingSync: &v1alpha1.ApplicationSetRolloutStrategy{
		Steps: []v1alpha1.ApplicationSetRolloutStep{{MatchExpressions: []v1alpha1.ApplicationMatchExpression{}}},
	}}
	s.Make(set)
	s.Make(once)
	v := s.visitor("")
	v.signIn(t)
	at := "/applicationsets/" + s.Namespace + "/"
	is := func(paused bool) {
		t.Helper()
		sees(t, v, at+"steps", func(d *api.SetDetail) error {
			if d.Rollout == nil || d.Rollout.Paused != paused || len(d.Rollout.Steps) != 1 || d.Rollout.Steps[0].Total != 1 {
				return fmt.Errorf("the roll-out is %+v", d.Rollout)
			}
			return nil
		})
	}
	is(false)
	v.wants(t, http.StatusAccepted, http.MethodPost, at+"steps/pause", nil, nil)
	is(true)
	v.wants(t, http.StatusAccepted, http.MethodPost, at+"steps/resume", nil, nil)
	is(false)
	sees(t, v, at+"once", func(*api.SetDetail) error { return nil })
	v.wants(t, http.StatusUnprocessableEntity, http.MethodPost, at+"once/pause", nil, nil)
	s.wasApproved(t, v, "admin pause allowed", "admin resume allowed", "admin pause failed")
}

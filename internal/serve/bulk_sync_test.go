package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/batch"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Several are synced at once, each by its own rights; what cannot be done to
// one is told of that one, and the rest goes on.
func TestAPISyncsMany(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"a", "b", "c"} {
		files[name+"/cm.yaml"] = "{apiVersion: v1, kind: ConfigMap, metadata: {name: of-" + name + "}, data: {app: " + name + "}}\n"
	}
	s := serveSite(t, files)
	keys := make([]view.Key, 0, 4)
	for _, name := range []string{"a", "b", "c", "none"} {
		keys = append(keys, view.Key{Namespace: s.Namespace, Name: s.ID(name)})
		if name != "none" {
			s.App(name, name, manual)
		}
	}
	// ann may sync two of them, and read the third.
	rule := func(verbs []string, names ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{v1alpha1.Group}, Resources: []string{"applications"}, Verbs: verbs, ResourceNames: names}
	}
	ann := s.permitted("ann", rule([]string{"list", "get"}), rule([]string{"patch"}, s.ID("a"), s.ID("b")))
	for _, k := range keys[:3] {
		ann.wants(t, http.StatusOK, http.MethodGet, "/applications/"+k.Namespace+"/"+k.Name, nil, nil)
	}
	var begun batch.Batch
	ann.wants(t, http.StatusAccepted, http.MethodPost, "/applications/sync", api.BulkSync{Applications: keys}, &begun)
	sees(t, ann, "/operations/"+begun.ID, func(b *batch.Batch) error {
		if b.State != batch.Done {
			return fmt.Errorf("the operation is %+v", b)
		}
		begun = *b
		return nil
	})
	if c := begun.Counts; c.Total != 4 || c.Asked != 2 || c.Failed != 2 {
		t.Fatalf("the counts are %+v of %+v", c, begun.Results)
	}
	who := "system:serviceaccount:" + s.Namespace + ":ann"
	for i, name := range []string{"a", "b"} {
		app := s.Until(name, "synced", func(a *v1alpha1.Application) bool {
			return a.Status.OperationState != nil && a.Status.OperationState.Phase == v1alpha1.OperationSucceeded && a.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced
		})
		if by := app.Status.OperationState.Operation.InitiatedBy.Username; by != who || begun.Results[i].Mark == "" {
			t.Errorf("%s was synced by %q, mark %q", name, by, begun.Results[i].Mark)
		}
		if cm, err := s.ConfigMap("of-" + name); err != nil || cm.Data["app"] != name {
			t.Errorf("%s has %v, %v", name, cm, err)
		}
	}
	for i, says := range map[int]string{2: "may not sync", 3: "does not exist, or you may not read it"} {
		if r := begun.Results[i]; r.Stage != batch.Failed || !strings.Contains(r.Error, says) {
			t.Errorf("%s: %+v, want %q", r.Name, r, says)
		}
	}
	if _, err := s.ConfigMap("of-c"); err == nil {
		t.Error("c was synced by who may not")
	}

	admin := s.visitor("")
	admin.signIn(t)
	admin.wants(t, http.StatusNotFound, http.MethodGet, "/operations/"+begun.ID, nil, nil)
	for _, want := range []string{"sync operations " + begun.ID + " allowed", "sync applications " + s.ID("b") + " allowed", "sync applications " + s.ID("c") + " denied"} {
		audited(t, admin, "limit=500&verb=sync", want, func(e *audit.Entry) bool {
			return e.Who.Name == who && strings.Join([]string{e.Verb, e.Resource, e.Name, string(e.Outcome)}, " ") == want
		})
	}
}

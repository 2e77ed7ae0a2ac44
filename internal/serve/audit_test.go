package serve_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// audited waits until the audit has an entry.
func audited(t *testing.T, v *visitor, query, what string, right func(*audit.Entry) bool) audit.Entry {
	t.Helper()
	var found audit.Entry
	sees(t, v, "/audit?"+query, func(p *api.AuditPage) error {
		at := slices.IndexFunc(p.Items, func(e audit.Entry) bool { return right(&e) })
		if at < 0 {
			return fmt.Errorf("no entry of %s: %+v", what, p.Items)
		}
		found = p.Items[at]
		return nil
	})
	return found
}

func changed(e *audit.Entry, path, value string) bool {
	return slices.ContainsFunc(e.Changes, func(c audit.Change) bool { return c.Path == path && c.New == value })
}

// Who did what is in the audit: writes with why and what they change, what was
// denied, who came and who went; and the chain holds.
func TestAPIKeepsAnAudit(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")})
	s.App("app", "app", manual)
	at := "/applications/" + s.Namespace + "/" + s.ID("app")
	reader := s.account("reader", "get", "list")
	s.visitor("no token").wants(t, http.StatusUnauthorized, http.MethodGet, at, nil, nil)
	v := s.visitor("")
	v.wants(t, http.StatusUnauthorized, http.MethodPost, "/session", api.Credentials{Username: "admin", Password: "wrong"}, nil)
	v.signIn(t)
	v.reason = "ticket 4711"
	var asked api.Asked
	v.wants(t, http.StatusAccepted, http.MethodPost, at+"/sync", api.Sync{Prune: true}, &asked)
	reader.wants(t, http.StatusForbidden, http.MethodPost, at+"/sync", api.Sync{}, nil)
	reader.wants(t, http.StatusForbidden, http.MethodGet, "/audit", nil, nil)

	audited(t, v, "outcome=denied", "a wrong token", func(e *audit.Entry) bool { return e.Who.Name == "" && e.Message != "" })
	audited(t, v, "verb=sign-in&outcome=denied", "a wrong password", func(e *audit.Entry) bool { return e.Who.Name == "admin" })
	audited(t, v, "verb=sign-in&outcome=allowed&who=admin", "signing in", func(e *audit.Entry) bool { return e.From.Address == "127.0.0.1" })
	audited(t, v, "verb=sync&outcome=allowed&who=admin&q=4711", "the sync", func(e *audit.Entry) bool {
		return e.Operation == asked.ID && e.Reason == v.reason && e.Name == s.ID("app") && e.Project == "default" && changed(e, "/operation/sync/prune", "true") &&
			changed(e, "/operation/initiatedBy/username", `"admin"`)
	})
	audited(t, v, "verb=sync&outcome=denied&namespace="+s.Namespace, "who may not sync", func(e *audit.Entry) bool {
		return strings.HasSuffix(e.Who.Name, ":reader") && e.Who.Via == "kubernetes"
	})
	audited(t, v, "verb=get&outcome=denied", "who may not read the audit", func(e *audit.Entry) bool { return strings.HasSuffix(e.Who.Name, ":reader") && e.Resource == "audit" })

	v.wants(t, http.StatusAccepted, http.MethodDelete, at+"?objects=orphan", nil, nil)
	audited(t, v, "verb=delete&outcome=allowed&name="+s.ID("app"), "the deletion", func(e *audit.Entry) bool { return e.Reason == v.reason })
	v.wants(t, http.StatusNoContent, http.MethodDelete, "/session", nil, nil)
	v.signIn(t)
	audited(t, v, "verb=sign-out&who=admin", "signing out", func(*audit.Entry) bool { return true })
	exportHolds(t, v)
}

// What the server was asked for is told of before it begins, and not again when
// it has ended, as what was written at the hub is.
func TestAuditTellsOfASyncOnce(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")})
	s.App("app", "app", manual)
	v := s.visitor("")
	v.signIn(t)
	v.wants(t, http.StatusAccepted, http.MethodPost, "/applications/"+s.Namespace+"/"+s.ID("app")+"/sync", api.Sync{}, nil)
	written := s.Until("app", "synced", func(app *v1alpha1.Application) bool {
		return app.Operation == nil && app.Status.OperationState != nil && app.Status.OperationState.Phase == v1alpha1.OperationSucceeded
	})
	before := written.DeepCopy()
	written.Operation = &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}, InitiatedBy: v1alpha1.OperationInitiator{Username: "ann"}}
	if err := s.Patch(t.Context(), written, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	const noted = "verb=sync&who=" + audit.Engine
	audited(t, v, noted, "the sync at the hub", func(e *audit.Entry) bool { return strings.Contains(e.Message, "by ann (unverified)") })
	var all api.AuditPage
	v.wants(t, http.StatusOK, http.MethodGet, "/audit?"+noted, nil, &all)
	if len(all.Items) != 1 {
		t.Errorf("the engine noted %+v", all.Items)
	}
}

// exportHolds exports the audit and follows its chain.
func exportHolds(t *testing.T, v *visitor) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.site.url+api.Prefix+"/audit/export", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := v.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	chain, lines := audit.NewVerifier(""), bufio.NewScanner(resp.Body)
	for lines.Scan() {
		text, hash, err := audit.Split(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		e, err := audit.Parse(text, hash)
		if err == nil {
			_, err = chain.Take(e.Sequence, text, hash)
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(lines.Text(), adminPassword) || strings.Contains(lines.Text(), "hunter2") {
			t.Errorf("a secret is in the audit: %s", lines.Text())
		}
	}
	if report, err := chain.End(); err != nil || report.Entries < 8 || lines.Err() != nil {
		t.Errorf("the export is %+v, %v, %v", report, err, lines.Err())
	}
}

// Kubernetes' rights count for the audit, too.
func TestAuditByKubernetesRights(t *testing.T) {
	s := serveSite(t, nil)
	auditor := s.account("auditor")
	meta := metav1.ObjectMeta{Namespace: s.Namespace, Name: "auditor"}
	for _, o := range []client.Object{
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{causeway.Group}, Resources: []string{"audit"}, Verbs: []string{"get"}}}},
		&rbacv1.RoleBinding{
			ObjectMeta: meta, RoleRef: rbacv1.RoleRef{Kind: "Role", Name: "auditor"}, Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "auditor", Namespace: s.Namespace}},
		},
	} {
		if err := s.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	auditor.wants(t, http.StatusOK, http.MethodGet, "/audit", nil, nil)
}

// Where no audit can be kept nothing is written, and everything can be read.
func TestNothingIsDoneThatTheAuditDoesNotTellOf(t *testing.T) {
	s := serveSite(t, map[string]string{"app/a.yaml": fmt.Sprintf(pageObjects, "red")}, func(c *app.Config) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		c.History.URL = filepath.Join(file, "history.db")
	})
	s.App("app", "app", manual)
	at := "/applications/" + s.Namespace + "/" + s.ID("app")
	writer := s.account("writer", "get", "list", "patch")
	writer.wants(t, http.StatusOK, http.MethodGet, at, nil, nil)
	writer.wants(t, http.StatusServiceUnavailable, http.MethodPost, at+"/sync", api.Sync{}, nil)
	s.visitor("").wants(t, http.StatusServiceUnavailable, http.MethodPost, "/session", api.Credentials{Username: "admin", Password: adminPassword}, nil)
	s.Until("app", "left alone", func(app *v1alpha1.Application) bool { return app.Operation == nil && app.Status.OperationState == nil })
}

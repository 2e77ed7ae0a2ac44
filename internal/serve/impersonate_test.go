package serve_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// described are forms that somebody fills in, each with what it becomes.
type described struct {
	resource string
	// collection is where one is made, at where the one that was made is.
	collection, at string
	wish, next     any
	// object is what is written, as long as it is there.
	object client.Object
}

// forms are one of each kind, for somebody: no two of them have one address.
func (s *site) forms(t *testing.T, of string) []*described {
	t.Helper()
	repository := withPassword("https://git.example.com/"+of+"/apps", gitPassword)
	renamed := api.RepositoryWish{RepositoryFields: repository.RepositoryFields}
	renamed.Name = "apps of " + of
	cert, key := string(s.Hub.CertData), string(s.Hub.KeyData)
	member := api.MemberWish{
		MemberFields: api.MemberFields{Name: of + "-" + s.Namespace, Server: "https://" + of + ".example.com", CA: string(s.Hub.CAData)},
		Secrets:      api.MemberSecrets{Cert: &cert, Key: &key},
	}
	labelled := api.MemberWish{MemberFields: member.MemberFields}
	labelled.Labels = map[string]string{"region": "eu"}
	project := api.ProjectWish{Name: of, Spec: v1alpha1.AppProjectSpec{SourceRepos: []string{"*"}}}
	explained := project
	explained.Spec.Description = "of " + of
	return []*described{
		{"repositories", "/repositories", "", repository, renamed, &corev1.Secret{}},
		{"clusters", "/clusters", "", member, labelled, &corev1.Secret{}},
		{"projects", "/projects", "", project, explained, &v1alpha1.AppProject{}},
	}
}

// make makes one, and remembers where it is.
func (f *described) make(t *testing.T, v *visitor) {
	t.Helper()
	var made struct{ ID, Name string }
	v.wants(t, http.StatusCreated, http.MethodPost, f.collection, f.wish, &made)
	name := made.ID
	if name == "" {
		name = made.Name
	}
	f.at = f.collection + "/" + name
	v.wants(t, http.StatusOK, http.MethodGet, f.at, nil, nil) // the cache has it
}

// Who signs in by a token of Kubernetes writes what the forms have by their own
// rights: that a policy of Argo CD lets them is not enough, for the engine's
// rights are not lent; nor is reading.
func TestAPIWritesAsKubernetesUsers(t *testing.T) {
	s := serveSite(t, nil)
	all := func(verbs ...string) []rbacv1.PolicyRule {
		return []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: verbs},
			{APIGroups: []string{v1alpha1.Group}, Resources: []string{"appprojects"}, Verbs: verbs},
		}
	}
	holder := s.permitted("holder", all("get", "list", "create", "update", "delete")...)
	reader := s.permitted("reader", all("get", "list")...)
	none, lent := s.permitted("none"), s.permitted("lent")
	subject := "system:serviceaccount:" + s.Namespace + ":lent"
	var policy strings.Builder
	for _, resource := range []string{"repositories", "clusters", "projects"} {
		fmt.Fprintf(&policy, "p, %s, %s, *, *, allow\n", subject, resource)
	}
	s.Make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: rbac.ConfigMap}, Data: map[string]string{"policy.csv": policy.String()}})
	admin := s.visitor("")
	admin.signIn(t)

	theirs := s.forms(t, "lent")
	for i, f := range s.forms(t, "holder") {
		f.make(t, holder)
		holder.wants(t, http.StatusOK, http.MethodPut, f.at, f.next, nil)
		reader.wants(t, http.StatusOK, http.MethodGet, f.at, nil, nil)
		reader.wants(t, http.StatusForbidden, http.MethodPut, f.at, f.next, nil)
		reader.wants(t, http.StatusForbidden, http.MethodDelete, f.at, nil, nil)
		none.wants(t, http.StatusNotFound, http.MethodGet, f.at, nil, nil)
		none.wants(t, http.StatusNotFound, http.MethodPut, f.at, f.next, nil)
		none.wants(t, http.StatusNotFound, http.MethodDelete, f.at, nil, nil)
		none.wants(t, http.StatusForbidden, http.MethodPost, f.collection, theirs[i].wish, nil)

		remove := f.at
		if f.resource == "clusters" {
			var d api.MemberDeletion
			holder.wants(t, http.StatusOK, http.MethodGet, f.at+"/deletion", nil, &d)
			remove += "?confirm=" + d.Confirm
		}
		// The policy lets them see and change it; Kubernetes does not.
		lent.wants(t, http.StatusOK, http.MethodGet, f.at, nil, nil)
		for _, ask := range []struct {
			method, at string
			body       any
		}{{http.MethodPost, f.collection, theirs[i].wish}, {http.MethodPut, f.at, f.next}, {http.MethodDelete, remove, nil}} {
			lent.wants(t, http.StatusForbidden, ask.method, ask.at, ask.body, nil)
			if !strings.Contains(lent.refusal, "Kubernetes does not let you change") || strings.Contains(lent.refusal, gitPassword) {
				t.Errorf("%s %s: %s", ask.method, ask.at, lent.refusal)
			}
		}
		audited(t, admin, "outcome=denied&who="+subject, "what Kubernetes refused", func(e *audit.Entry) bool {
			return e.Resource == f.resource && e.Who.Name == subject && e.Of > 0
		})
		audited(t, admin, "verb=update&outcome=allowed", "what was changed", func(e *audit.Entry) bool {
			return e.Resource == f.resource && e.Who.Name == "system:serviceaccount:"+s.Namespace+":holder" && e.Who.Via == "kubernetes"
		})
		key := client.ObjectKey{Namespace: s.Namespace, Name: f.at[strings.LastIndex(f.at, "/")+1:]}
		if err := s.Get(t.Context(), key, f.object); err != nil {
			t.Errorf("what nobody may delete is gone: %v", err)
		}
		holder.wants(t, http.StatusNoContent, http.MethodDelete, remove, nil, nil)
		if err := s.Get(t.Context(), key, f.object); client.IgnoreNotFound(err) != nil || err == nil {
			t.Errorf("what was deleted is there: %v", err)
		}
	}
}

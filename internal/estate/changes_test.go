package estate

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// TestAuditKnowsNoSecrets: it tells that a secret is there, and that it is another one.
func TestAuditKnowsNoSecrets(t *testing.T) {
	const url = "https://git.example.com/x"
	r := &Repositories{}
	old := written(v1alpha1.SecretTypeRepository, map[string]string{"url": url, "password": "hunter2", "bearerToken": "hunter3", "username": "u"})
	now := written(v1alpha1.SecretTypeRepository, map[string]string{"url": url, "password": "hunter4", "bearerToken": "hunter3", "sshPrivateKey": "hunter5"})
	cases := map[string]struct {
		reason        string
		before, after map[string]any
		want          []audit.Change
	}{
		"New":     {"one that is new has them", r.public(nil, nil), r.public(old, nil), []audit.Change{{Path: "/kind", New: `"repository"`}, {Path: "/secrets/bearerToken", New: `"(set)"`}, {Path: "/secrets/password", New: `"(set)"`}, {Path: "/url", New: `"` + url + `"`}, {Path: "/username", New: `"u"`}}},
		"Changed": {"others are told as such, and those that stay are not", r.public(old, nil), r.public(now, old), []audit.Change{{Path: "/secrets/password", Old: `"(set)"`, New: `"(changed)"`}, {Path: "/secrets/sshPrivateKey", New: `"(set)"`}, {Path: "/username", Old: `"u"`}}},
		"Taken":   {"one of several that is taken away", r.public(now, nil), r.public(old, now), []audit.Change{{Path: "/secrets/password", Old: `"(set)"`, New: `"(changed)"`}, {Path: "/secrets/sshPrivateKey", Old: `"(set)"`}, {Path: "/username", New: `"u"`}}},
		"Same":    {"nothing is told of what stays", r.public(old, nil), r.public(old, old), nil},
		"Gone":    {"what goes was there", r.public(now, nil), map[string]any{}, []audit.Change{{Path: "/kind", Old: `"repository"`}, {Path: "/secrets", Old: `{"bearerToken":"(set)","password":"(set)","sshPrivateKey":"(set)"}`}, {Path: "/url", Old: `"` + url + `"`}}},
		"Labels":  {"of labels, too, those that differ", map[string]any{"labels": map[string]any{"a": "1", "b": "2", "c": "3"}}, map[string]any{"labels": map[string]any{"a": "1", "b": "9"}}, []audit.Change{{Path: "/labels/b", Old: `"2"`, New: `"9"`}, {Path: "/labels/c", Old: `"3"`}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := changesOf(tc.before, tc.after)
			if text := strings.Join(textsOf(got), " "); strings.Contains(text, "hunter") {
				t.Errorf("%s: a secret is in the audit: %s", tc.reason, text)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func textsOf(all []audit.Change) (out []string) {
	for _, c := range all {
		out = append(out, c.Path, c.Old, c.New)
	}
	return out
}

// TestWhatTheAPIServerSays is told in words of what was changed, and by the kind of problem that it is.
func TestWhatTheAPIServerSays(t *testing.T) {
	secrets := schema.GroupResource{Resource: "secrets"}
	known := gitops.Problemf(gitops.Forbidden, "as it was")
	cases := map[string]struct {
		reason string
		err    error
		kind   gitops.ProblemKind
		want   string
	}{
		"Gone":     {"it is not there", apierrors.NewNotFound(secrets, "a"), gitops.NotFound, "cluster a does not exist"},
		"Denied":   {"Kubernetes knows who asks", apierrors.NewForbidden(secrets, "a", errors.New("no")), gitops.Forbidden, "Kubernetes does not let you change cluster a"},
		"Conflict": {"somebody else was faster", apierrors.NewConflict(secrets, "a", errors.New("no")), gitops.NotReady, "cluster a is being changed by somebody else; load it again and make the change there"},
		"There":    {"also in making it", apierrors.NewAlreadyExists(secrets, "a"), gitops.NotReady, "cluster a is being changed by somebody else"},
		"Invalid":  {"a webhook, or the API server itself", apierrors.NewBadRequest("no such field"), gitops.Invalid, "the API server refuses cluster a: no such field"},
		"Known":    {"what is said already", known, gitops.Forbidden, "as it was"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if err := explained(tc.err, "cluster a"); !gitops.IsProblem(err, tc.kind) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v; want %q", tc.reason, err, tc.want)
			}
		})
	}
	if err := explained(context.DeadlineExceeded, "cluster a"); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "cannot change cluster a") {
		t.Errorf("of no answer: %v", err)
	}
	if explained(nil, "cluster a") != nil {
		t.Error("no error is one")
	}
}

// TestTokensStayWithTheirRoles: they are given out elsewhere, so that a project that is written neither makes nor takes
// any.
func TestTokensStayWithTheirRoles(t *testing.T) {
	role := func(name string, tokens ...int64) v1alpha1.ProjectRole {
		r := v1alpha1.ProjectRole{Name: name}
		for _, at := range tokens {
			r.JWTTokens = append(r.JWTTokens, v1alpha1.JWTToken{IssuedAt: at})
		}
		return r
	}
	old := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{Roles: []v1alpha1.ProjectRole{role("a", 1), role("b", 2, 3)}}}
	next := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{Roles: []v1alpha1.ProjectRole{role("b"), role("new", 9), role("a", 1, 8)}}}
	keepTokens(old, next)
	if diff := cmp.Diff([]v1alpha1.ProjectRole{role("b", 2, 3), role("new"), role("a", 1)}, next.Spec.Roles); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	first := &v1alpha1.AppProject{Spec: v1alpha1.AppProjectSpec{Roles: []v1alpha1.ProjectRole{role("a", 1)}}}
	if keepTokens(nil, first); len(first.Spec.Roles[0].JWTTokens) > 0 {
		t.Error("a new project comes with tokens that nobody gave out")
	}
}

// TestProjectsThatDoNotFit name the field.
func TestProjectsThatDoNotFit(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*v1alpha1.AppProject)
		want   []string
	}{
		"Fine": {"one that fits", func(*v1alpha1.AppProject) {}, nil},
		"Name": {"a name that no object can have", func(p *v1alpha1.AppProject) { p.Name = "Team A" }, []string{"name"}},
		"Window": {"a window that is none", func(p *v1alpha1.AppProject) {
			p.Spec.SyncWindows = v1alpha1.SyncWindows{{Kind: "allow", Schedule: "often", Duration: "1h"}}
		}, []string{"spec.syncWindows[0]"}},
		"Role": {"a role whose policies are none", func(p *v1alpha1.AppProject) {
			p.Spec.Roles = []v1alpha1.ProjectRole{{Name: "dev", Policies: []string{"p, proj:other:dev, applications, get, other/*, allow"}}}
		}, []string{"spec.roles"}},
		"Both": {"all are told at once", func(p *v1alpha1.AppProject) {
			p.Name, p.Spec.Roles = "Team A", []v1alpha1.ProjectRole{{Name: "dev"}, {Name: "dev"}}
		}, []string{"name", "spec.roles"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := &v1alpha1.AppProject{}
			p.Name, p.Namespace = "team", "argocd"
			tc.change(p)
			err := checkProject(p)
			if diff := cmp.Diff(tc.want, unfitFields(err)); diff != "" {
				t.Errorf("%s: %v, -want +got:\n%s", tc.reason, err, diff)
			}
			if err != nil && strings.Contains(err.Error(), "is not valid") {
				t.Errorf("%s: the project is named in its own form: %v", tc.reason, err)
			}
		})
	}
}

// TestWhatIsWishedOfACluster: what the API does not know of a config stays, and credentials that are not sent, too.
func TestWhatIsWishedOfACluster(t *testing.T) {
	before := memberSecret("", `{"username":"u","password":"p","bearerToken":"t","other":{"a":1},"tlsClientConfig":{"insecure":true,"caData":"eA==","keyData":"aw==","more":2},"awsAuthConfig":{"clusterName":"c","extra":"x"},"execProviderConfig":{"command":"old"}}`)
	before.Labels["team"], before.Annotations = "a", map[string]string{gitops.AnnotationDraining: "true", "note": "n"}
	none, cert := "", "CERT"
	want := api.MemberWish{MemberFields: api.MemberFields{
		Name: "spoke", Server: "https://spoke.example.com", Namespaces: []string{"a", "b"}, Labels: map[string]string{"env": "dev"}, ServerName: "n",
	}, Secrets: api.MemberSecrets{Password: &none, Cert: &cert}}
	s, err := (&Clusters{Writer: &Writer{}}).wished(before, &want)
	if err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	if diff := cmp.Diff(config{
		"bearerToken": "t", "other": object{"a": 1.0},
		"tlsClientConfig": object{"insecure": false, "serverName": "n", "keyData": "aw==", "certData": "Q0VSVAo=", "more": 2.0},
	}, configOf(s)); diff != "" {
		t.Errorf("config: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"env": "dev", v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}, s.Labels); diff != "" {
		t.Errorf("labels: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{gitops.AnnotationDraining: "true"}, s.Annotations); diff != "" {
		t.Errorf("annotations: -want +got:\n%s", diff)
	}
	if got := string(s.Data["namespaces"]); got != "a,b" || s.Data["project"] != nil {
		t.Errorf("namespaces are %q, and the data %v", got, s.Data)
	}
	if len(before.Data["namespaces"]) > 0 || before.Labels["team"] != "a" {
		t.Error("what the cache has is written over")
	}
}

// TestConfigsThatAreNone: a Secret that somebody else broke can be written anew.
func TestConfigsThatAreNone(t *testing.T) {
	for _, text := range []string{"", "null", "[]", "{", `"x"`} {
		s := &corev1.Secret{Data: map[string][]byte{"config": []byte(text)}}
		if got := configOf(s); got == nil || len(got) > 0 {
			t.Errorf("of %q: %v", text, got)
		}
		got := wishedConfig(configOf(s), &api.MemberWish{MemberFields: api.MemberFields{Insecure: true}})
		if diff := cmp.Diff(map[string]any{"insecure": true}, map[string]any(got.below("tlsClientConfig"))); diff != "" {
			t.Errorf("of %q: %s", text, diff)
		}
	}
}

package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// every is one resource of each kind that the documented Role is for.
var every = `
resource "causeway_cluster" "spoke" {
  cluster_name = "spoke"
}
` + strings.SplitN(declared, `resource "causeway_manifest"`, 2)[0]

// TestLeastRights: the Role of docs/how-to/terraform.md is enough, and without
// any verb of it something does not work.
func TestLeastRights(t *testing.T) {
	documented := documentedRole(t)
	if problem := livesWith(t, documented.Rules); problem != "" {
		t.Fatalf("the documented Role is not enough: %s", problem)
	}
	for i, rule := range documented.Rules {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				t.Run(resource+"/"+verb, func(t *testing.T) {
					if livesWith(t, without(documented.Rules, i, resource, verb)) == "" {
						t.Errorf("nobody needs to %s %s", verb, resource)
					}
				})
			}
		}
	}
}

// documentedRole is the YAML of the page.
func documentedRole(t *testing.T) *rbacv1.Role {
	t.Helper()
	page, err := os.ReadFile("../../../../docs/how-to/terraform.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(page), "```yaml\n")
	text, _, closed := strings.Cut(text, "```")
	role := &rbacv1.Role{}
	if err := yaml.UnmarshalStrict([]byte(text), role); err != nil || !found || !closed || len(role.Rules) == 0 {
		t.Fatalf("the page has no Role: %v", err)
	}
	return role
}

// without takes one verb for one resource away.
func without(rules []rbacv1.PolicyRule, i int, resource, verb string) []rbacv1.PolicyRule {
	out := slices.Clone(rules)
	others, rest := *rules[i].DeepCopy(), *rules[i].DeepCopy()
	others.Resources = slices.DeleteFunc(others.Resources, func(r string) bool { return r == resource })
	rest.Resources, rest.Verbs = []string{resource}, slices.DeleteFunc(rest.Verbs, func(v string) bool { return v == verb })
	out[i] = rest
	if len(others.Resources) > 0 {
		out = append(out, others)
	}
	return out
}

// livesWith makes, looks at and takes away one of each kind, as an account with
// no other rights, and returns what did not work. What is made is looked at by
// all data sources as well.
func livesWith(t *testing.T, rules []rbacv1.PolicyRule) (problem string) {
	t.Helper()
	w := newWorkspace(t, every)
	fleet := filepath.Join(t.TempDir(), "fleet")
	copyFleet(t, fleet, w.namespace)
	w.env = []string{"XDG_CACHE_HOME=" + t.TempDir()}
	w.file("main.tf", block+fmt.Sprintf("provider \"causeway\" {\n  host = %q\n  cluster_ca_certificate = file(\"${path.module}/ca.pem\")\n  token = %q\n  namespace = %q\n  causeway_path = %q\n}\n",
		hub.Host, w.account(rules), w.namespace, program(t)))
	w.file("ca.pem", string(hub.CAData))
	for _, command := range []string{"apply", "plan", "destroy"} {
		out, code := w.terraform(command)
		if code != 0 || strings.Contains(out, "cannot be told") {
			return fmt.Sprintf("terraform %s: exit code %d\n%s", command, code, out)
		}
		w.file("looks.tf", strings.Replace(looks, `repository = "."`, fmt.Sprintf("repository = %q", fleet), 1))
	}
	return ""
}

// account makes an account with these rights in the control namespace, and
// returns a token of it.
func (w *workspace) account(rules []rbacv1.PolicyRule) (token string) {
	w.t.Helper()
	c, ctx, meta := client(w.t), w.t.Context(), metav1.ObjectMeta{Name: "terraform-user"}
	if _, err := c.CoreV1().ServiceAccounts(w.namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: meta}, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	if _, err := c.RbacV1().Roles(w.namespace).Create(ctx, &rbacv1.Role{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: w.namespace, Name: meta.Name}},
	}
	if _, err := c.RbacV1().RoleBindings(w.namespace).Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	issued, err := c.CoreV1().ServiceAccounts(w.namespace).CreateToken(ctx, meta.Name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return issued.Status.Token
}

package charts_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestDefinitionsAreThoseOfTheTypes(t *testing.T) {
	want, got := folder(t, "../crds"), folder(t, "causeway/crds")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("run `make generate`: the chart's definitions are not those of deploy/crds (-want +got):\n%s", diff)
	}
}

func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no definitions in %s: %v", dir, err)
	}
	out := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(name)] = string(text)
	}
	return out
}

func TestPodIsLockedDown(t *testing.T) {
	objects, _ := render(t, "argocd", nil)
	pod := find[appsv1.Deployment](t, objects, "Deployment")[0].Spec.Template.Spec
	container := pod.Containers[0]
	set := func(b *bool) bool { return b != nil && *b }
	for name, c := range map[string]struct {
		reason string
		holds  bool
	}{
		"user":        {"a break-out must not be root", set(pod.SecurityContext.RunAsNonRoot) && *pod.SecurityContext.RunAsUser != 0},
		"seccomp":     {"rare system calls are not needed", pod.SecurityContext.SeccompProfile.Type == corev1.SeccompProfileTypeRuntimeDefault},
		"escalation":  {"no program of the image gains rights", container.SecurityContext.AllowPrivilegeEscalation != nil && !*container.SecurityContext.AllowPrivilegeEscalation},
		"file system": {"only the cache can be written", set(container.SecurityContext.ReadOnlyRootFilesystem)},
		"rights":      {"no capability is needed", slices.Equal(container.SecurityContext.Capabilities.Drop, []corev1.Capability{"ALL"}) && len(container.SecurityContext.Capabilities.Add) == 0},
		"host":        {"nothing of the node is shared", !pod.HostNetwork && !pod.HostPID && !pod.HostIPC},
		"cache":       {"a full cache must not fill the node", pod.Volumes[0].EmptyDir != nil && !pod.Volumes[0].EmptyDir.SizeLimit.IsZero()},
		"memory":      {"the node is protected from us", !container.Resources.Limits.Memory().IsZero()},
		"temporary":   {"temporary files need a place", container.Env[0].Name == "TMPDIR" && container.Env[0].Value == container.VolumeMounts[0].MountPath},
	} {
		if !c.holds {
			t.Errorf("%s: %s", name, c.reason)
		}
	}
}

func TestValuesAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		reason string
		given  values
		want   string
	}{
		"typing error":           {"a value that nothing reads is a mistake", values{"replica": 2}, "replica"},
		"unknown nested":         {"below the top too", values{"engine": values{"intervall": "2m"}}, "intervall"},
		"interval without unit":  {"the engine would refuse it at its start", values{"engine": values{"interval": "120"}}, "interval"},
		"kubeconfigs, off":       {"nothing would read them", values{"clusterSources": values{"namespaces": []any{"a"}}}, "clusterSources.enabled"},
		"both grants":            {"one would hide the other", values{"destination": values{"clusterAdmin": true, "rules": someRules()}}, "exclude each other"},
		"namespaces, no rules":   {"they limit nothing", values{"destination": values{"namespaces": []any{"a"}}}, "give rules"},
		"administrator, limited": {"cluster-admin cannot be limited by namespace here", values{"destination": values{"clusterAdmin": true, "namespaces": []any{"a"}}}, "give rules"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := tryRender("argocd", c.given)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got error %v, want one with %q", c.reason, err, c.want)
			}
		})
	}
}

func someRules(resources ...any) []any {
	return []any{values{"apiGroups": []any{""}, "resources": append([]any{"configmaps"}, resources...), "verbs": []any{"get", "list", "watch", "create", "patch", "delete"}}}
}

// valuesBlock is YAML in a page that says that it is values of the chart.
var valuesBlock = regexp.MustCompile("(?ms)^```yaml\n# values.yaml\n(.*?)^```")

func TestValuesInPagesAreTaken(t *testing.T) {
	for _, page := range []string{"install.md", "mirrors.md", "clusters.md"} {
		text, err := os.ReadFile(filepath.Join("../../docs/how-to", page))
		if err != nil {
			t.Fatal(err)
		}
		found := valuesBlock.FindAllStringSubmatch(string(text), -1)
		if len(found) == 0 {
			t.Errorf("%s shows no values", page)
		}
		for _, m := range found {
			var given values
			if err := yaml.Unmarshal([]byte(m[1]), &given); err != nil {
				t.Fatalf("%s: %v", page, err)
			}
			if _, _, err := tryRender("argocd", given); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

func TestNothingIsGrantedUnasked(t *testing.T) {
	objects, notes := render(t, "argocd", nil)
	bindings := find[rbacv1.ClusterRoleBinding](t, objects, "ClusterRoleBinding")
	roles := find[rbacv1.ClusterRole](t, objects, "ClusterRole")
	if len(bindings) != 1 || len(roles) != 1 || len(roles[0].Rules) != 1 || bindings[0].RoleRef.Name != roles[0].Name {
		t.Errorf("got %d cluster-wide roles, want the one that lists definitions", len(roles))
	}
	if !strings.Contains(notes, "may deploy nothing into this cluster yet") {
		t.Errorf("the notes do not say so:\n%s", notes)
	}
	for _, o := range objects {
		if o.GetNamespace() != "argocd" && o.GetNamespace() != "" {
			t.Errorf("%s %s is in namespace %s", o.GetKind(), o.GetName(), o.GetNamespace())
		}
	}
}

// To act as people with a token of Kubernetes is to act with what limits them,
// and with nothing else.
func TestPeopleActWithinTheirTokens(t *testing.T) {
	objects, _ := render(t, "argocd", values{"server": values{"enabled": true, "kubernetesUsers": true, "userExtras": []any{"example.com/desk"}}})
	var got []string
	for _, rule := range find[rbacv1.ClusterRole](t, objects, "ClusterRole")[0].Rules {
		if slices.Contains(rule.APIGroups, "authentication.k8s.io") && slices.Contains(rule.Verbs, "impersonate") {
			got = rule.Resources
		}
	}
	if !slices.Contains(got, "userextras/example.com/desk") || !slices.Contains(got, "userextras/authentication.kubernetes.io/credential-id") || slices.Contains(got, "*") {
		t.Errorf("got %v", got)
	}
}

// What values.yaml says of the network policy is so: it lets in what is served, and
// from whom it says, each port alike.
func TestNetworkPolicyOpensWhatIsServed(t *testing.T) {
	for server, want := range map[bool][]string{false: {"http"}, true: {"http", "server"}} {
		objects, _ := render(t, "argocd", values{"networkPolicy": values{"enabled": true, "from": []any{values{"podSelector": values{}}}}, "server": values{"enabled": server}})
		var got []string
		for _, rule := range find[networkingv1.NetworkPolicy](t, objects, "NetworkPolicy")[0].Spec.Ingress {
			for _, port := range rule.Ports {
				got = append(got, port.Port.String())
			}
			if len(rule.From) != 1 {
				t.Errorf("with the server %t: a rule lets in from %v", server, rule.From)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("with the server %t the ports %v are open, want %v", server, got, want)
		}
	}
}

func TestOptions(t *testing.T) {
	for name, c := range map[string]struct {
		given values
		kinds []string // more than by default
		args  []string
	}{
		"administrator":    {given: values{"destination": values{"clusterAdmin": true}}, kinds: []string{"ClusterRoleBinding"}},
		"rules":            {given: values{"destination": values{"rules": someRules()}}, kinds: []string{"ClusterRole", "ClusterRoleBinding"}},
		"rules, limited":   {given: values{"destination": values{"rules": someRules(), "namespaces": []any{"a", "b"}}}, kinds: []string{"ClusterRole", "RoleBinding", "RoleBinding"}},
		"kubeconfigs":      {given: values{"clusterSources": values{"enabled": true, "namespaces": []any{"a", "b"}}}, kinds: []string{"ClusterRole", "RoleBinding", "RoleBinding"}},
		"network policy":   {given: values{"networkPolicy": values{"enabled": true}}, kinds: []string{"NetworkPolicy"}},
		"monitoring":       {given: values{"monitoring": values{"alerts": true, "serviceMonitor": true, "dashboard": true}}, kinds: []string{"ConfigMap", "PrometheusRule", "ServiceMonitor"}},
		"budget":           {given: values{"replicas": 2, "podDisruptionBudget": values{"enabled": true}}, kinds: []string{"PodDisruptionBudget"}},
		"mirrors, workers": {given: values{"engine": values{"workers": 8, "mirrors": values{"https://c.example.com": "/m"}}}, args: []string{"--workers=8", "--mirror=https://c.example.com=/m"}},
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := render(t, "argocd", nil)
			after, _ := render(t, "argocd", c.given)
			want := append(kinds(before), c.kinds...)
			slices.Sort(want)
			if diff := cmp.Diff(want, kinds(after)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			args := find[appsv1.Deployment](t, after, "Deployment")[0].Spec.Template.Spec.Containers[0].Args
			for _, arg := range c.args {
				if !slices.Contains(args, arg) {
					t.Errorf("no argument %s in %s", arg, args)
				}
			}
		})
	}
}

func kinds(objects []*unstructured.Unstructured) []string {
	var out []string
	for _, o := range objects {
		out = append(out, o.GetKind())
	}
	slices.Sort(out)
	return out
}

func TestApplicationsInOtherNamespaces(t *testing.T) {
	cases := map[string]struct {
		reason     string
		namespaces []any
		bindings   int
		everywhere bool
	}{
		"None":    {"no rights elsewhere", nil, 0, false},
		"Names":   {"rights in each of them alone", []any{"team-a", "team-b"}, 2, false},
		"Pattern": {"a pattern may match any", []any{"team-a", "team-*"}, 0, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objects, _ := render(t, "control", values{"applications": values{"namespaces": tc.namespaces}})
			count, everywhere := 0, false
			for _, o := range objects {
				if strings.HasSuffix(o.GetName(), ":applications") {
					everywhere = everywhere || o.GetKind() == "ClusterRoleBinding"
					if o.GetKind() == "RoleBinding" {
						count++
					}
				}
			}
			if count != tc.bindings || everywhere != tc.everywhere {
				t.Errorf("%s: %d bindings in namespaces, everywhere %v", tc.reason, count, everywhere)
			}
		})
	}
}

// TestRightsInOtherNamespaces holds what is granted there to what the engine does
// with Applications, and to what it may do with those of its own namespace.
func TestRightsInOtherNamespaces(t *testing.T) {
	always := []string{"create /events", "list argoproj.io/applications", "patch /events", "patch argoproj.io/applications", "watch argoproj.io/applications"}
	for name, tc := range map[string]struct {
		reason string
		given  values
		more   []string
	}{
		"Engine":   {"it reads them and tells what became of them", nil, nil},
		"Server":   {"people look at their events and delete them", values{"server": values{"enabled": true}}, []string{"delete argoproj.io/applications", "list /events"}},
		"Clusters": {"they go with the cluster that they are on", values{"declaredClusters": values{"enabled": true}}, []string{"delete argoproj.io/applications"}},
	} {
		t.Run(name, func(t *testing.T) {
			given := values{"applications": values{"namespaces": []any{"team"}}}
			maps.Copy(given, tc.given)
			objects, _ := render(t, "control", given)
			var elsewhere []string
			for _, role := range find[rbacv1.ClusterRole](t, objects, "ClusterRole") {
				if strings.HasSuffix(role.Name, ":applications") {
					elsewhere = granting(role.Rules)
				}
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(append(tc.more, always...))), elsewhere); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			var own []string
			for _, right := range granting(find[rbacv1.Role](t, objects, "Role")[0].Rules) {
				// Sets make and delete Applications in the engine's own namespace alone.
				about := strings.HasSuffix(right, " argoproj.io/applications") || strings.HasSuffix(right, " /events")
				if about && right != "create argoproj.io/applications" && (right != "delete argoproj.io/applications" || slices.Contains(tc.more, right)) {
					own = append(own, right)
				}
			}
			if diff := cmp.Diff(own, elsewhere); diff != "" {
				t.Errorf("the engine may not do the same with Applications elsewhere (-own +elsewhere):\n%s", diff)
			}
		})
	}
}

// granting are the rights of rules, in order.
func granting(rules []rbacv1.PolicyRule) []string {
	var out []string
	for _, right := range rightsOf(rules) {
		out = append(out, right.right())
	}
	slices.Sort(out)
	return out
}

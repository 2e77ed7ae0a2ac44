package clustersource

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// kubeconfigOf is a kubeconfig with a user of the given fields.
func kubeconfigOf(server, user string) []byte {
	return fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: %s, insecure-skip-tls-verify: true}}]
users: [{name: u, user: {%s}}]
`, server, user)
}

// TestWanted has which kubeconfigs become cluster Secrets, and what is told of
// the others; no message has a credential.
func TestWanted(t *testing.T) {
	one := func(name, from string) found {
		return found{name: name, from: from, namespace: "team", text: kubeconfigOf("https://10.0.0.1", "token: hunter2"), labels: map[string]string{"tier": "gold", "env": "Not A Label"}}
	}
	with := func(text []byte) found { f := one("a", "team/a"); f.text = text; return f }
	proxied := []byte(strings.Replace(string(kubeconfigOf("https://10.0.0.1", "token: hunter2")), "server:", `proxy-url: "http://proxy.test:3128", server:`, 1))
	cases := map[string]struct {
		reason  string
		spec    causeway.ClusterSourceSpec
		found   []found
		want    []string // names of cluster Secrets that are written
		problem string
		origins map[string]string
	}{
		"Names":      {"each by its own name", causeway.ClusterSourceSpec{}, []found{one("a", "team/a"), one("b", "team/b")}, []string{"a", "b"}, "", nil},
		"Renamed":    {"the source names them", causeway.ClusterSourceSpec{ClusterName: "$(namespace)-$(name)-$(labels.tier)"}, []found{one("a", "team/a")}, []string{"team-a-gold"}, "", nil},
		"Twice":      {"of two with one name none is written: they would take turns", causeway.ClusterSourceSpec{}, []found{one("a", "team/a"), one("b", "team/b"), one("a", "other/a")}, []string{"b"}, "of Secret team/a and of Secret other/a", nil},
		"ThreeTimes": {"nor of three", causeway.ClusterSourceSpec{ClusterName: "same"}, []found{one("a", "team/a"), one("b", "team/b"), one("c", "team/c")}, nil, "of Secret team/a and of Secret team/c", nil},
		"NoName":     {"a label that is not there leaves no name", causeway.ClusterSourceSpec{ClusterName: "$(labels.none)"}, []found{one("a", "team/a")}, nil, `cluster name ""`, nil},
		"Unknown":    {"what is no reference stays, and is no name", causeway.ClusterSourceSpec{ClusterName: "$(nome)"}, []found{one("a", "team/a")}, nil, `cluster name "$(nome)"`, nil},
		"BadLabel":   {"a copied label that is none is told with its key", causeway.ClusterSourceSpec{Labels: map[string]string{"x": "$(labels.env)"}}, []found{one("a", "team/a")}, nil, "label x", nil},
		"Hub":        {"nobody gets the engine's own rights", causeway.ClusterSourceSpec{}, []found{with(kubeconfigOf("https://kubernetes.default.svc/", "token: hunter2"))}, nil, "hub's own address", nil},
		"Program":    {"nor runs programs beside the engine", causeway.ClusterSourceSpec{}, []found{with(kubeconfigOf("https://10.0.0.1", "exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, interactiveMode: Never}"))}, nil, "program (exec)", nil},
		"NoUser":     {"without credentials it is no connection", causeway.ClusterSourceSpec{}, []found{with(kubeconfigOf("https://10.0.0.1", ""))}, nil, "no credentials", nil},
		"Nothing":    {"there is no kubeconfig", causeway.ClusterSourceSpec{}, []found{with(nil)}, nil, "Secret team/a: its kubeconfig cannot be used", nil},
		"Broken":     {"what is in it is not repeated", causeway.ClusterSourceSpec{}, []found{with([]byte("token: [hunter2"))}, nil, "Secret team/a: its kubeconfig cannot be used", nil},
		"HubAlias":   {"by any name of it", causeway.ClusterSourceSpec{}, []found{with(kubeconfigOf("https://KUBERNETES.default:443", "token: hunter2"))}, nil, "hub's own address", nil},
		"HubDomain":  {"in the cluster's domain", causeway.ClusterSourceSpec{}, []found{with(kubeconfigOf("https://kubernetes.default.svc.cluster.local./", "token: hunter2"))}, nil, "hub's own address", nil},
		"Proxy":      {"what goes to a cluster goes through nobody's hands", causeway.ClusterSourceSpec{}, []found{with(proxied)}, nil, "proxy-url) that spec.proxies does not list", nil},
		"Proxies":    {"unless the source says whose", causeway.ClusterSourceSpec{Proxies: []string{"http://proxy.test:3128"}}, []found{with(proxied)}, []string{"a"}, "", nil},
		"Taken":      {"a name stays with the kubeconfig that had it", causeway.ClusterSourceSpec{}, []found{one("a", "other/a"), one("a", "team/a")}, []string{"a"}, "of Secret other/a is that of Secret team/a", map[string]string{"a": "team/a"}},
		"Away":       {"also while that is away", causeway.ClusterSourceSpec{}, []found{one("a", "other/a")}, nil, "of Secret other/a is that of Secret team/a", map[string]string{"a": "team/a"}},
		"Older":      {"one that does not say where it was found is taken over", causeway.ClusterSourceSpec{}, []found{one("a", "team/a")}, []string{"a"}, "", map[string]string{"a": ""}},
		"Checked":    {"the fleet refuses it", causeway.ClusterSourceSpec{Project: "refused"}, []found{one("a", "team/a")}, nil, "the fleet says no", nil},
	}
	r := &Reconciler{Options: Options{Namespace: "argocd", Check: func(s *corev1.Secret) error {
		if string(s.Data["project"]) == "refused" {
			return errors.New("the fleet says no")
		}
		return nil
	}}}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := &outcome{}
			source := &causeway.ClusterSource{ObjectMeta: metav1.ObjectMeta{Name: "source"}, Spec: tc.spec}
			var got []string
			for _, w := range r.wanted(source, tc.found, tc.origins, out) {
				if !r.make(source, &w, out) {
					continue
				}
				got = append(got, w.object.Name)
				if w.object.Annotations[causeway.AnnotationFoundIn] != w.from {
					t.Errorf("it does not say that it was found in %s: %v", w.from, w.object.Annotations)
				}
				if w.object.Labels[v1alpha1.LabelSecretType] != v1alpha1.SecretTypeCluster || w.object.Labels[causeway.LabelClusterSource] != "source" {
					t.Errorf("labels %v", w.object.Labels)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			told := strings.Join(out.problems, "\n")
			if (tc.problem == "") != (told == "") || !strings.Contains(told, tc.problem) || strings.Contains(told, "hunter2") {
				t.Errorf("%s: told %q", tc.reason, told)
			}
		})
	}
}

// TestProblemsAreBounded has more of them than anybody reads.
func TestProblemsAreBounded(t *testing.T) {
	out := &outcome{}
	var all []found
	for i := range 1000 {
		all = append(all, found{name: fmt.Sprint("Not A Name ", i, strings.Repeat("x", 5000)), from: fmt.Sprint("team/", i), namespace: "team"})
	}
	if got := (&Reconciler{}).wanted(&causeway.ClusterSource{}, all, nil, out); len(got) != 0 {
		t.Errorf("%d are written", len(got))
	}
	if n := len(out.problems); n != mostShown {
		t.Errorf("%d problems are kept", n)
	}
	if told := out.told(); len(told) > mostShown*(mostSaid+10) || !strings.HasPrefix(told, "Secret team/0: ") || !strings.HasSuffix(told, "\nand 990 more problems") {
		t.Errorf("told %q", told)
	}
}

func TestMetadata(t *testing.T) {
	k := found{name: "a", namespace: "team", labels: map[string]string{"tier": "gold"}, annotations: map[string]string{"vpc": "vpc-1"}}
	from := map[string]string{"tier": "gold", "aws/region": "eu-1", "aws/account": "1", corev1.LastAppliedConfigAnnotation: "long",
		v1alpha1.AnnotationSkipReconcile: "true", gitops.AnnotationDraining: "true", gitops.AnnotationDeclaredBy: "x", causeway.LabelClusterSource: "x", "a.causeway.io/b": "x"}
	cases := map[string]struct {
		reason string
		said   map[string]string
		copied []string
		want   map[string]string
	}{
		"Nothing":  {"nothing is copied unless it is said", nil, nil, map[string]string{}},
		"Name":     {"one by its name", nil, []string{"tier", "none"}, map[string]string{"tier": "gold"}},
		"Prefix":   {"all with a prefix", nil, []string{"aws/*"}, map[string]string{"aws/region": "eu-1", "aws/account": "1"}},
		"All":      {"all but what kubectl keeps for itself, and what steers the engine", nil, []string{"*"}, map[string]string{"tier": "gold", "aws/region": "eu-1", "aws/account": "1"}},
		"Steers":   {"nor by its name", nil, []string{v1alpha1.AnnotationSkipReconcile, gitops.AnnotationDraining}, map[string]string{}},
		"Said":     {"what is said counts", map[string]string{"tier": "silver"}, []string{"*"}, map[string]string{"tier": "silver", "aws/region": "eu-1", "aws/account": "1"}},
		"Expanded": {"of what the cluster was found by", map[string]string{"x": "$(namespace)/$(name)/$(labels.tier)/$(annotations.vpc)/$(labels.none)"}, nil, map[string]string{"x": "team/a/gold/vpc-1/"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, metadata(tc.said, tc.copied, from, k)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRefuse has what other clusters have already.
func TestRefuse(t *testing.T) {
	o := &others{all: []gitops.Cluster{
		{Name: gitops.HubName, Server: gitops.HubServer},
		{Name: "prod", Server: "https://Prod.example.com", Secret: "cluster-prod"},
		{Name: "mine", Server: "https://mine.example.com", Secret: "mine", Source: "s"},
	}}
	cases := map[string]struct {
		reason, name, server string
		problem              string
	}{
		"Free":    {"nobody has it", "new", "https://new.example.com", ""},
		"Own":     {"it is its own", "mine", "https://mine.example.com", ""},
		"Moved":   {"it may move", "mine", "https://moved.example.com", ""},
		"Name":    {"a name of another Secret", "prod", "https://new.example.com", "taken by cluster Secret cluster-prod"},
		"Server":  {"a server of another Secret", "new", "https://Prod.example.com", "that of cluster Secret cluster-prod"},
		"Spelled": {"however it is spelled", "new", "https://PROD.example.com.:0443//", "that of cluster Secret cluster-prod"},
		"MovedTo": {"nor may it move there", "mine", "https://prod.example.com:443", "that of cluster Secret cluster-prod"},
		"Hub":     {"the hub's name", gitops.HubName, "https://new.example.com", "taken by the hub"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := wanted{from: "team/a", object: &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: tc.name}, Data: map[string][]byte{"server": []byte(tc.server)}}}
			told := ""
			if err := o.refuse(w); err != nil {
				told = err.Error()
			}
			if (tc.problem == "") != (told == "") || !strings.Contains(told, tc.problem) {
				t.Errorf("%s: told %q", tc.reason, told)
			}
		})
	}
}

// TestTakes has Secrets with the label of a source, and none.
func TestTakes(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, secret string
		live           *metav1.ObjectMeta
		problem        string
	}{
		"New":      {"nobody has it", "dev", nil, ""},
		"Own":      {"it is its own", "dev", &metav1.ObjectMeta{Labels: map[string]string{causeway.LabelClusterSource: "s"}}, ""},
		"Another":  {"it is somebody else's", "dev", &metav1.ObjectMeta{}, "is not of this ClusterSource"},
		"Moved":    {"it was made of another kubeconfig", "dev", &metav1.ObjectMeta{Labels: map[string]string{causeway.LabelClusterSource: "s"}, Annotations: map[string]string{causeway.AnnotationFoundIn: "team/b"}}, `"dev" of Secret team/a is that of Secret team/b`},
		"Reserved": {"the engine may make one of this name later", "causeway-later", nil, "names that begin with causeway-"},
		"Argo":     {"a hub without Argo CD lacks it", "argocd-secret", nil, "names that begin with argocd-"},
		"Older":    {"a cluster that was called so before goes on", "argocd-prod", &metav1.ObjectMeta{Labels: map[string]string{causeway.LabelClusterSource: "s"}}, ""},
		"Planted":  {"but not in what the engine goes by", "causeway-keys", &metav1.ObjectMeta{Labels: map[string]string{causeway.LabelClusterSource: "s"}}, "names that begin with causeway-"},
	} {
		t.Run(name, func(t *testing.T) {
			w, live := wanted{secret: tc.secret, from: "team/a", object: &corev1.Secret{}, fresh: tc.live == nil}, &metav1.PartialObjectMetadata{}
			if tc.live != nil {
				live.ObjectMeta = *tc.live
			}
			told := ""
			if err := w.takes(live, "s"); err != nil {
				told = err.Error()
			}
			if (tc.problem == "") != (told == "") || !strings.Contains(told, tc.problem) {
				t.Errorf("%s: told %q", tc.reason, told)
			}
		})
	}
}

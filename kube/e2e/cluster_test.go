package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/causeway-gitops/causeway/kube/internal/await"
)

func eventually(t *testing.T, check func() error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, await.Limit, true, func(context.Context) (bool, error) {
		last = check()
		return last == nil, nil
	})
	if err != nil {
		t.Fatal(last)
	}
}

// TestTemporary starts one cluster and tries everything that needs no restart.
func TestTemporary(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	audit := filepath.Join(t.TempDir(), "audit.log")
	p := start(t, "--nodes=2", "--name=west", "--audit-log="+audit)
	client := p.client(t)

	t.Run("Access", func(t *testing.T) { testAccess(t, p) })
	t.Run("Release", func(t *testing.T) { testRelease(t, client) })
	t.Run("Definitions", func(t *testing.T) { testDefinitionsThatGo(t, p) })
	t.Run("Nodes", func(t *testing.T) { testNodes(t, client) })
	t.Run("Deployments", func(t *testing.T) { testDeployments(t, client) })
	t.Run("Jobs", func(t *testing.T) { testJobs(t, client) })
	t.Run("Kubectl", func(t *testing.T) { testKubectl(t, p) })
	t.Run("Logs", func(t *testing.T) { testLogs(t, p) })
	t.Run("Follow", func(t *testing.T) { testFollow(t, p) })
	t.Run("Simulated", func(t *testing.T) { testSimulated(t, client) })
	t.Run("Tokens", func(t *testing.T) { testTokens(t, p) })
	t.Run("Counts", func(t *testing.T) { testCounts(t, client, audit) })

	if err := p.stop(t, syscall.SIGTERM); err != nil {
		t.Errorf("it exited with %v", err)
	}
	for _, path := range []string{p.kubeconfig, filepath.Join(temporary, "causeway-kube-*")} {
		if left, _ := filepath.Glob(path); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// testAccess makes sure that nobody but the user of this machine gets in.
func testAccess(t *testing.T, p *process) {
	info, err := os.Stat(p.kubeconfig)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the kubeconfig can be read by others: %v, %v", info.Mode(), err)
	}
	raw, err := clientcmd.LoadFromFile(p.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	server, err := url.Parse(raw.Clusters["west"].Server)
	if err != nil {
		t.Fatal(err)
	}
	if ip := net.ParseIP(server.Hostname()); ip == nil || !ip.IsLoopback() {
		t.Errorf("the server is at %s, which is not loopback", server.Host)
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses {
		ip := address.(*net.IPNet).IP
		if ip.IsLoopback() && ip.To4() != nil {
			continue
		}
		connection, err := net.DialTimeout("tcp", net.JoinHostPort(ip.String(), server.Port()), time.Second)
		if err == nil {
			_ = connection.Close()
			t.Errorf("the server can be reached at %s", ip)
		}
	}
	stranger, err := kubernetes.NewForConfig(&rest.Config{
		Host: server.String(), TLSClientConfig: rest.TLSClientConfig{CAData: raw.Clusters["west"].CertificateAuthorityData},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stranger.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("a client without a certificate can list namespaces")
	}
}

func testRelease(t *testing.T, client *kubernetes.Clientset) {
	got, err := client.Discovery().ServerVersion()
	if err != nil || got.Major != "1" || !strings.HasPrefix(got.GitVersion, "v1."+got.Minor+".") {
		t.Errorf("the version is %+v, %v: charts would refuse it", got, err)
	}
}

func testNodes(t *testing.T, client kubernetes.Interface) {
	nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(nodes.Items) != 2 {
		t.Fatalf("got %d nodes, %v", len(nodes.Items), err)
	}
	for _, node := range nodes.Items {
		if len(node.Spec.Taints) != 0 {
			t.Errorf("%s has taints: %v", node.Name, node.Spec.Taints)
		}
	}
}

// testSimulated tries what a cloud would do: volumes and addresses.
func testSimulated(t *testing.T, client kubernetes.Interface) {
	claims := client.CoreV1().PersistentVolumeClaims("default")
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "front"},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
	}
	ingress := &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Name: "front"},
		Spec: networkingv1.IngressSpec{DefaultBackend: &networkingv1.IngressBackend{
			Service: &networkingv1.IngressServiceBackend{Name: "front", Port: networkingv1.ServiceBackendPort{Number: 80}},
		}},
	}
	_, err1 := claims.Create(t.Context(), claim, metav1.CreateOptions{})
	_, err2 := client.CoreV1().Services("default").Create(t.Context(), service, metav1.CreateOptions{})
	_, err3 := client.NetworkingV1().Ingresses("default").Create(t.Context(), ingress, metav1.CreateOptions{})
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		got, err := claims.Get(t.Context(), "data", metav1.GetOptions{})
		if err == nil && got.Status.Phase != corev1.ClaimBound {
			err = fmt.Errorf("the claim is %s", got.Status.Phase)
		}
		return err
	})
	eventually(t, func() error {
		got, err := client.CoreV1().Services("default").Get(t.Context(), "front", metav1.GetOptions{})
		if err == nil && len(got.Status.LoadBalancer.Ingress) == 0 {
			err = errors.New("the load balancer has no address")
		}
		return err
	})
	eventually(t, func() error {
		got, err := client.NetworkingV1().Ingresses("default").Get(t.Context(), "front", metav1.GetOptions{})
		if err == nil && len(got.Status.LoadBalancer.Ingress) == 0 {
			err = errors.New("the ingress has no address")
		}
		return err
	})
	if err := claims.Delete(t.Context(), "data", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		volumes, err := client.CoreV1().PersistentVolumes().List(t.Context(), metav1.ListOptions{})
		if err == nil && len(volumes.Items) != 0 {
			err = fmt.Errorf("%d volumes outlive their claims", len(volumes.Items))
		}
		return err
	})
}

// testTokens gets in as a service account, the way that agents and registered clusters do.
func testTokens(t *testing.T, p *process) {
	token, err := p.client(t).CoreV1().ServiceAccounts("default").
		CreateToken(t.Context(), "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", p.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	anonymous := rest.AnonymousClientConfig(config)
	anonymous.BearerToken = token.Status.Token
	review, err := kubernetes.NewForConfigOrDie(anonymous).AuthenticationV1().SelfSubjectReviews().
		Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil || review.Status.UserInfo.Username != "system:serviceaccount:default:default" {
		t.Errorf("the token is for %q, %v", review.Status.UserInfo.Username, err)
	}
}

// testCounts reads the two places that benchmarks count requests in.
func testCounts(t *testing.T, client *kubernetes.Clientset, audit string) {
	metrics, err := client.RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	if err != nil || !strings.Contains(string(metrics), `apiserver_request_total{`) {
		t.Errorf("the metrics do not count requests: %v", err)
	}
	body, err := os.ReadFile(audit)
	if err != nil || !strings.Contains(string(body), `"verb":"create"`) {
		t.Errorf("the audit log does not count requests: %v", err)
	}
}

// TestKept stops a cluster, once in order and once not, and expects to find it again.
func TestKept(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	first := start(t, "--data-dir="+data)
	client := first.client(t)
	for _, name := range []string{"one", "two"} {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	deployment(t, client, "kept", 1, nil)
	logged(t, first, "app=kept")
	define(t, first)
	if err := first.stop(t, syscall.SIGINT); err != nil {
		t.Errorf("it exited with %v", err)
	}

	second := start(t, "--data-dir="+data)
	if _, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "one", metav1.GetOptions{}); err != nil {
		t.Errorf("with the first kubeconfig, after an orderly stop: %v", err)
	}
	deployment(t, client, "new", 1, nil) // pods are scheduled and played again
	onePod(t, client, "app=new", func(pod corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning })
	logged(t, second, "app=kept") // the kubelet serves on another port now
	if err := second.stop(t, syscall.SIGKILL); err == nil {
		t.Error("a killed process exited well")
	}

	unestablish(t, data)
	third := start(t, "--data-dir="+data)
	if _, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "two", metav1.GetOptions{}); err != nil {
		t.Errorf("after a crash: %v", err)
	}
	established(t, third)
	if err := third.stop(t, syscall.SIGTERM); err != nil {
		t.Errorf("it exited with %v", err)
	}
}

package breakout

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// secrets are attempts of who writes a Secret that a ClusterSource or a ClusterMetadata reads.
func secrets() map[string]attempt {
	const token = "token: hunter2"
	elsewhere := func(name string) string { return "https://" + name + ".test" }
	config := func(reason, cluster, user string, says ...string) attempt {
		return attempt{reason: reason, play: kubeconfig("red-made", cluster, user), says: says}
	}
	return map[string]attempt{
		"KubeconfigProgram":    config("a kubeconfig starts a program of the engine's machine", `server: "`+elsewhere("exec")+`"`, "exec: {apiVersion: client.authentication.k8s.io/v1, command: $TRAP}", "it has a program (exec) that gets its credential"),
		"KubeconfigProvider":   config("the same, in the form of long ago", `server: "`+elsewhere("provider")+`"`, "auth-provider: {name: gcp, config: {cmd-path: $TRAP}}", "it has an auth-provider"),
		"KubeconfigTokenFile":  config("the engine's own token is sent to a server of red's", `server: "`+elsewhere("file")+`"`, "tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token", "it names a file with tokenFile"),
		"KubeconfigKeyFile":    config("a key of the engine's machine signs in at a server of red's", `server: "`+elsewhere("key")+`"`, "client-certificate: /etc/tls.crt, client-key: /etc/tls.key", "it names a file with client-certificate"),
		"KubeconfigCAFile":     config("a file of the engine's machine is read", `server: "`+elsewhere("ca")+`", certificate-authority: /etc/passwd`, token, "it names a file with certificate-authority"),
		"KubeconfigOtherUser":  config("the engine acts as somebody else", `server: "`+elsewhere("as")+`"`, token+", as: blue", "it acts as another user (as)"),
		"KubeconfigProxy":      config("what is sent to a cluster goes by red's server", `server: "`+elsewhere("proxy")+`", proxy-url: "$RED"`, token, "it has a proxy (proxy-url) that spec.proxies does not list"),
		"KubeconfigOfTheHub":   config("a cluster of red's is the hub", `server: "`+inCluster+`"`, token, "its server is the hub's own address"),
		"KubeconfigOfAll":      config("a cluster of red's is every server, the hub among them", `server: "https://*"`, token, "it has the sign * of patterns"),
		"KubeconfigOfSome":     config("it is one of several", `server: "https://{kubernetes.default.svc,x}"`, token, "it has the sign { of patterns"),
		"KubeconfigOfBlues":    config("a cluster of red's takes the server of blue's", `server: "$HUB", insecure-skip-tls-verify: true`, token, "is that of cluster Secret blues-cluster"),
		"KubeconfigNoServer":   config("a cluster without a server is the one that the engine is in", `server: ""`, token, "its cluster has no server"),
		"KubeconfigWithNobody": config("a cluster without credentials gets the engine's", `server: "`+elsewhere("nobody")+`"`, "", "its user has no credentials"),
		"NameOfARepository":    {reason: "a cluster takes the place of a Secret of the operator's", play: kubeconfig("blue-repo", `server: "`+elsewhere("repo")+`"`, token), says: []string{`cluster name "blue-repo" of Secret red/blue-repo is taken`}, looks: []string{"get /api/v1/namespaces/argocd/secrets/blue-repo"}},
		"NameOfBluesCluster":   {reason: "a cluster takes the place of blue's", play: kubeconfig("blues-cluster", `server: "`+elsewhere("cluster")+`"`, token), says: []string{`cluster name "blues-cluster" of Secret red/blues-cluster is taken`}, looks: []string{"get /api/v1/namespaces/argocd/secrets/blues-cluster"}},
		"NameOfTheHub":         {reason: "a cluster takes the name of a hub that has no Secret", play: kubeconfig("in-cluster", `server: "`+elsewhere("hub")+`"`, token), says: []string{`cluster name "in-cluster" of Secret red/in-cluster is taken by the hub`}},
		"ValueWithLines":       {reason: "a value becomes more keys than its own", play: value("gold\nargocd.argoproj.io/secret-type: repository")},
		"ValueWithTemplate":    {reason: "a value is a template that reads others", play: value(`{{ index .metadata.annotations "x" }}$(labels.x)`)},
		"ValueAsReference":     {reason: "a value is a reference to another Secret", play: value("secret://blue-repo/password")},
	}
}

// kubeconfig writes a Secret of a kubeconfig and waits until the operator's ClusterSource tells why it does not count.
func kubeconfig(name, cluster, user string) func(*stage) {
	return func(s *stage) {
		text := s.fill(fmt.Sprintf(`{current-context: c, contexts: [{name: c, context: {cluster: c, user: c}}], clusters: [{name: c, cluster: {%s}}], users: [{name: c, user: {%s}}]}`, cluster, user))
		s.have(&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: redNS, Labels: map[string]string{"kubeconfig": "yes", "tier": "gold"}},
			StringData: map[string]string{"config": text},
		})
		embeddedtest.Eventually(s.t, func(ctx context.Context) error {
			source := &causeway.ClusterSource{}
			if err := s.Get(ctx, client.ObjectKey{Namespace: control, Name: "red-clusters"}, source); err != nil {
				return err
			}
			c := meta.FindStatusCondition(source.Status.Conditions, causeway.ConditionReady)
			for _, word := range append(s.says, redNS+"/"+name) {
				if c == nil || !strings.Contains(c.Message, word) {
					return fmt.Errorf("the ClusterSource does not say %q: %+v", word, c)
				}
			}
			return nil
		})
	}
}

// value writes a value that the operator's ClusterMetadata gives red's cluster, and looks at all that it has become.
func value(text string) func(*stage) {
	return func(s *stage) {
		s.have(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "red-values", Namespace: control}, StringData: map[string]string{"tier": text}})
		cluster := &corev1.Secret{}
		embeddedtest.Eventually(s.t, func(ctx context.Context) error {
			if err := s.Get(ctx, client.ObjectKey{Namespace: control, Name: "red-cluster"}, cluster); err != nil {
				return err
			}
			if got := cluster.Annotations["tier"]; got != text {
				return fmt.Errorf("the value is %q", got)
			}
			return nil
		})
		if len(cluster.Labels) != 1 || string(cluster.Data["project"]) != "red" || strings.Contains(fmt.Sprint(cluster.Annotations), bluesPassword) {
			s.t.Errorf("lost: %s: labels %v, annotations %v", s.reason, cluster.Labels, cluster.Annotations)
		}
	}
}

package adopt

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// secrets has one Secret, or an answer of the API server instead.
type secrets struct {
	client.Reader

	data map[string][]byte
	err  error
}

func (s secrets) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if secret, ok := into.(*corev1.Secret); ok {
		secret.Data = s.data
	}
	return s.err
}

const twoContexts = `apiVersion: v1
kind: Config
current-context: first
contexts: [{name: first, context: {cluster: a, user: u}}, {name: second, context: {cluster: b, user: u}}]
clusters: [{name: a, cluster: {server: "https://a.example.com"}}, {name: b, cluster: {server: "https://b.example.com"}}]
users: [{name: u, user: {token: hunter2}}]
`

// TestMake has what the Secret of a kubeconfig may lack: each lack is of a kind
// that reports whether somebody has to mend it, and says no secret.
func TestMake(t *testing.T) {
	resource := schema.GroupResource{Resource: "secrets"}
	at := func(text string) map[string][]byte { return map[string][]byte{"config": []byte(text)} }
	cases := map[string]struct {
		reason  string
		secrets secrets
		context string
		server  string
		kind    gitops.ProblemKind
		problem string
	}{
		"Current":   {"the current context", secrets{data: at(twoContexts)}, "", "https://a.example.com", 0, ""},
		"Named":     {"the context that is named", secrets{data: at(twoContexts)}, "second", "https://b.example.com", 0, ""},
		"NoContext": {"there is no such context", secrets{data: at(twoContexts)}, "third", "", gitops.Invalid, "no context of the name that is asked for"},
		"Gone":      {"somebody has to create it", secrets{err: apierrors.NewNotFound(resource, "dev")}, "", "", gitops.NotFound, "create it, or correct adopt.secretRef"},
		"Denied":    {"somebody has to allow it", secrets{err: apierrors.NewForbidden(resource, "dev", errors.New("no"))}, "", "", gitops.Refused, "let the engine's role get it"},
		"Away":      {"it may work next time", secrets{err: errors.New("connection refused")}, "", "", gitops.Unreachable, "connection refused"},
		"NoKey":     {"it has other keys", secrets{data: map[string][]byte{"value": []byte(twoContexts)}}, "", "", gitops.NotFound, `no key "config"`},
		"Broken":    {"what is in it is not repeated", secrets{data: at("token: [hunter2")}, "", "", gitops.Invalid, "cannot use the kubeconfig"},
		"Files":     {"files on another machine are of no use", secrets{data: at(strings.Replace(twoContexts, "token: hunter2", "tokenFile: /home/hunter2", 1))}, "", "", gitops.Invalid, "kubectl config view --flatten"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "dev"}, Spec: causeway.ClusterSpec{Adopt: &causeway.AdoptedCluster{
				SecretRef: causeway.KeyReference{Name: "dev", Key: "config"}, Context: tc.context,
			}}}
			got, err := Driver{Secrets: tc.secrets}.Make(t.Context(), c)
			if tc.problem == "" {
				if err != nil || got.Server != tc.server || got.Login.BearerToken != "hunter2" {
					t.Errorf("%s: %s, %v", tc.reason, got.Server, err)
				}
				return
			}
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != tc.kind || !strings.Contains(err.Error(), tc.problem) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// A Cluster whose spec names another driver by now is one of this driver still, while it goes.
func TestClustersOfAnotherDriver(t *testing.T) {
	c := &causeway.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "dev"}, Spec: causeway.ClusterSpec{Kind: &causeway.KindCluster{}}}
	if _, err := (Driver{}).Make(t.Context(), c); !gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), "write spec.adopt again") {
		t.Errorf("got %v", err)
	}
	if err := (Driver{}).Remove(t.Context(), c); err != nil {
		t.Errorf("a cluster that somebody else made keeps its Cluster: %v", err)
	}
}

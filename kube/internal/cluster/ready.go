package cluster

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/causeway-gitops/causeway/kube/internal/kwok"
)

// interval is how often readiness is looked at.
const interval = 50 * time.Millisecond

// readiness asks the cluster itself whether it can be used.
type readiness struct {
	client kubernetes.Interface
	nodes  int
}

// apiServer waits until requests are answered and the built-in roles exist.
func (r readiness) apiServer(ctx context.Context) error {
	return until(ctx, "kube-apiserver", func(ctx context.Context) error {
		return r.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
}

// everything waits until kubelets are played, which the state of nodes does not tell after a restart, and until pods
// can be scheduled on every node, and made in the default namespace.
func (r readiness) everything(ctx context.Context, playing <-chan struct{}) error {
	select {
	case <-playing:
	case <-ctx.Done():
		return fmt.Errorf("kwok is missing: %w", ctx.Err())
	}
	for i := 1; i <= r.nodes; i++ {
		name := kwok.NodeName(i)
		if err := until(ctx, name, func(ctx context.Context) error { return r.node(ctx, name) }); err != nil {
			return err
		}
	}
	return until(ctx, "the default service account", func(ctx context.Context) error {
		_, err := r.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

func (r readiness) node(ctx context.Context, name string) error {
	node, err := r.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, taint := range node.Spec.Taints {
		if taint.Key == corev1.TaintNodeNotReady || taint.Key == corev1.TaintNodeUnreachable {
			return fmt.Errorf("%s still has the taint %s", name, taint.Key)
		}
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
			return nil
		}
	}
	return fmt.Errorf("%s is not ready", name)
}

// until tries check again and again; when ctx ends it tells what was still missing.
func until(ctx context.Context, what string, check func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		last = check(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%s is missing: %w", what, last)
	}
	return nil
}

package install

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Wait waits until the engine is ready and the root applications are Synced
// and Healthy.
func (b *Bootstrap) Wait(ctx context.Context, p *Plan) error {
	ctx, cancel := context.WithTimeoutCause(ctx, b.Within, fmt.Errorf("not ready within %s", b.Within))
	defer cancel()
	if err := Until(ctx, func(ctx context.Context) (string, error) { return b.waking(ctx, p.deployments) }); err != nil {
		return fmt.Errorf("the engine does not run: %w", err)
	}
	if err := Until(ctx, b.unsettled); err != nil {
		return fmt.Errorf("the engine runs, and its root applications are not Synced and Healthy: %w", err)
	}
	return nil
}

// waking tells which Deployment of the engine is not ready, and why.
func (b *Bootstrap) waking(ctx context.Context, names []string) (string, error) {
	for i, name := range names {
		b.Progress("engine", i, len(names))
		d, err := b.clients.AppsV1().Deployments(b.namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return "", fmt.Errorf("cannot read Deployment %s: %w", name, err)
		}
		if rolledOut(d) {
			continue
		}
		reasons, err := stuckPods(ctx, b.clients, d)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("Deployment %s has %d of %d replicas ready%s", name, d.Status.AvailableReplicas, wantedReplicas(d), reasons), nil
	}
	return "", nil
}

func wantedReplicas(d *appsv1.Deployment) int32 {
	if d.Spec.Replicas == nil {
		return 1
	}
	return *d.Spec.Replicas
}

// rolledOut reports whether a Deployment runs what was written last.
func rolledOut(d *appsv1.Deployment) bool {
	want := wantedReplicas(d)
	return d.Status.ObservedGeneration >= d.Generation && d.Status.UpdatedReplicas >= want && d.Status.AvailableReplicas >= want
}

// stuckPods tells what the Pods of a Deployment wait for.
func stuckPods(ctx context.Context, clients kubernetes.Interface, d *appsv1.Deployment) (string, error) {
	selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector)
	if err != nil {
		return "", fmt.Errorf("cannot read the selector of %s: %w", d.Name, err)
	}
	list, err := clients.CoreV1().Pods(d.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String(), Limit: 50})
	if err != nil {
		return "", fmt.Errorf("cannot list the Pods of %s: %w", d.Name, err)
	}
	var out []string
	for i := range list.Items {
		for _, c := range list.Items[i].Status.ContainerStatuses {
			if w := c.State.Waiting; w != nil && w.Reason != "" {
				out = append(out, strings.TrimSpace(list.Items[i].Name+" waits: "+w.Reason+" "+w.Message))
			}
		}
		for _, c := range list.Items[i].Status.Conditions {
			if c.Type == "PodScheduled" && c.Status == "False" {
				out = append(out, list.Items[i].Name+" is not scheduled: "+c.Message)
			}
		}
	}
	if len(out) == 0 {
		return "", nil
	}
	return "; " + ShortList(out), nil
}

// unsettled tells which root application is not as it should be, and why.
func (b *Bootstrap) unsettled(ctx context.Context) (string, error) {
	var missing []string
	for _, root := range b.Member.Roots {
		text, err := b.missingOf(ctx, root)
		if err != nil {
			return "", err
		}
		if text != "" {
			missing = append(missing, text)
		}
	}
	b.Progress("roots", len(b.Member.Roots)-len(missing), len(b.Member.Roots))
	return ShortList(missing), nil
}

// missingOf tells what a root application lacks; nothing when it is good.
func (b *Bootstrap) missingOf(ctx context.Context, root string) (string, error) {
	a := &v1alpha1.Application{}
	key := client.ObjectKey{Namespace: b.namespace, Name: root}
	err := b.installer.client.Get(ctx, key, a)
	if apierrors.IsNotFound(err) {
		return b.unmade(ctx, key), nil
	}
	if err != nil {
		return "", fmt.Errorf("cannot read application %s: %w", root, err)
	}
	if a.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && a.Status.Health.Status == v1alpha1.HealthStatusHealthy {
		return "", nil
	}
	text := fmt.Sprintf("application %s is %s and %s", root, cmp.Or(a.Status.Sync.Status, "not compared yet"), cmp.Or(a.Status.Health.Status, "of unknown health"))
	for _, c := range a.Status.Conditions {
		if strings.HasSuffix(c.Type, "Error") {
			return text + ": " + c.Message, nil
		}
	}
	if o := a.Status.OperationState; o != nil && o.Message != "" {
		text += ": " + o.Message
	}
	return text, nil
}

// unmade tells why a set has not made its application.
func (b *Bootstrap) unmade(ctx context.Context, key client.ObjectKey) string {
	set := &v1alpha1.ApplicationSet{}
	text := fmt.Sprintf("application %s is not made yet", key.Name)
	if err := b.installer.client.Get(ctx, key, set); err != nil {
		return text
	}
	for _, c := range set.Status.Conditions {
		if c.Type == v1alpha1.ApplicationSetConditionErrorOccurred && c.Status == v1alpha1.ApplicationSetConditionStatusTrue {
			return text + ": " + c.Message
		}
	}
	return text
}

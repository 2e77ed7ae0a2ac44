package install

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// What a takeover leaves in the hub, as the command `causeway import argocd`
// writes it.
const (
	recordName     = "causeway-takeover"
	replicasBefore = "causeway.io/takeover-replicas"
)

// The stages of a takeover that the provider tells apart.
const (
	adopting  = "adopting"
	reverting = "reverting"
)

// argo is what a namespace has of Argo CD.
type argo struct {
	// running are the controllers that must not run beside the engine, and
	// stopped those that a takeover has scaled to 0.
	running, stopped []string
	// stage is how far a takeover came; empty for none.
	stage string
}

// waits reports whether the engine must not start before a takeover.
func (a argo) waits() bool { return len(a.running) > 0 || a.stage == adopting || a.stage == reverting }

// taken reports whether there is something to hand back.
func (a argo) taken() bool {
	return len(a.stopped) > 0 || len(a.running) > 0 && slices.Contains([]string{adopting, reverting}, a.stage)
}

// findArgo looks what is there.
func findArgo(ctx context.Context, hub *object.Client, namespace string) (argo, error) {
	all, err := hub.Workloads(ctx, namespace)
	if err != nil {
		return argo{}, err
	}
	var out argo
	for i := range all {
		w := &all[i]
		if !controller(w) {
			continue
		}
		name := strings.ToLower(w.GetKind()) + "/" + w.GetName()
		if replicasOf(w) > 0 {
			out.running = append(out.running, name)
			continue
		}
		if _, before := w.GetAnnotations()[replicasBefore]; before {
			out.stopped = append(out.stopped, name)
		}
	}
	out.stage, err = stage(ctx, hub, namespace)
	return out, err
}

// stage reads how far a takeover came.
func stage(ctx context.Context, hub *object.Client, namespace string) (string, error) {
	record := &unstructured.Unstructured{}
	record.SetAPIVersion("v1")
	record.SetKind("ConfigMap")
	record.SetNamespace(namespace)
	record.SetName(recordName)
	live, err := hub.Read(ctx, record)
	if err != nil || live == nil {
		return "", err
	}
	text, _, _ := unstructured.NestedString(live.Object, "data", "stage")
	return text, nil
}

// controllers are the parts of Argo CD that write to Applications, or to what
// those deploy.
var controllers = []string{"application-controller", "applicationset-controller"}

// controller tells them by their labels, and by their names in old manifests.
func controller(w *unstructured.Unstructured) bool {
	labels := w.GetLabels()
	if labels["app.kubernetes.io/part-of"] != "argocd" && !strings.Contains(w.GetName(), "argocd-") {
		return false
	}
	if component := labels["app.kubernetes.io/component"]; component != "" {
		return slices.Contains(controllers, component)
	}
	return slices.ContainsFunc(controllers, func(c string) bool { return strings.HasSuffix(w.GetName(), "argocd-"+c) })
}

// replicasOf is 1 where nothing is said, as for the API server.
func replicasOf(o *unstructured.Unstructured) int64 {
	n, said, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	if !said {
		return 1
	}
	return n
}

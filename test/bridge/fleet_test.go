package bridge

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

const namespace = "argocd"

var clusters = []string{"hub", "dev", "staging", "prod"}

// fleet is the clusters as a client of its own sees them.
type fleet struct {
	hub     dynamic.Interface
	clients map[string]kubernetes.Interface
}

func (p place) fleet() fleet {
	p.t.Helper()
	f := fleet{clients: map[string]kubernetes.Interface{}}
	rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: filepath.Join(p.dir, "examples/bridge/.causeway/bridge/kubeconfig")}
	for _, name := range clusters {
		config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: name}).ClientConfig()
		if err != nil {
			p.t.Fatal(err)
		}
		if f.clients[name], err = kubernetes.NewForConfig(config); err != nil {
			p.t.Fatal(err)
		}
		if name != "hub" {
			continue
		}
		if f.hub, err = dynamic.NewForConfig(config); err != nil {
			p.t.Fatal(err)
		}
	}
	return f
}

// applications are those on the hub, each with its state.
func (f fleet) applications(ctx context.Context) (map[string]string, error) {
	list, err := f.hub.Resource(v1alpha1.ApplicationGVR).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for i := range list.Items {
		status, _, _ := unstructured.NestedString(list.Items[i].Object, "status", "sync", "status")
		health, _, _ := unstructured.NestedString(list.Items[i].Object, "status", "health", "status")
		out[list.Items[i].GetName()] = status + " " + health
	}
	return out, nil
}

// deployments are all of a cluster's, as NAMESPACE/NAME with their replicas.
func (f fleet) deployments(ctx context.Context, cluster string) ([]string, error) {
	list, err := f.clients[cluster].AppsV1().Deployments("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	out := []string{}
	for _, d := range list.Items {
		out = append(out, fmt.Sprintf("%s/%s %d of %d", d.Namespace, d.Name, d.Status.AvailableReplicas, *d.Spec.Replicas))
	}
	slices.Sort(out)
	return out, nil
}

// differs tells how the fleet differs from what is wanted: all applications
// synced and healthy, and exactly these Deployments on each cluster.
func (f fleet) differs(ctx context.Context, applications []string, deployments map[string][]string) error {
	want := map[string]string{}
	for _, name := range applications {
		want[name] = "Synced Healthy"
	}
	got, err := f.applications(ctx)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("applications (-want +got):\n%s", diff)
	}
	for _, cluster := range clusters {
		got, err := f.deployments(ctx, cluster)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(deployments[cluster], got); diff != "" {
			return fmt.Errorf("Deployments of %s (-want +got):\n%s", cluster, diff)
		}
	}
	return nil
}

// held tells what of names is missing in what an ApplicationSet says of the
// deletions that it holds.
func (f fleet) held(ctx context.Context, set string, names ...string) error {
	o, err := f.hub.Resource(v1alpha1.ApplicationSetGVR).Namespace(namespace).Get(ctx, set, metav1.GetOptions{})
	if err != nil {
		return err
	}
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		condition, _ := c.(map[string]any)
		message, _ := condition["message"].(string)
		missing := slices.ContainsFunc(names, func(n string) bool { return !strings.Contains(message, n) })
		if condition["type"] == "DeletionHeld" && condition["status"] == "True" && !missing {
			return nil
		}
	}
	return fmt.Errorf("ApplicationSet %s does not hold %s: %v", set, strings.Join(names, ", "), conditions)
}

// left tells what is left of the fleet in clusters that still run.
func (f fleet) left(ctx context.Context) error {
	all := []error{f.differs(ctx, nil, map[string][]string{"hub": {}, "dev": {}, "staging": {}, "prod": {}})}
	sets, err := f.hub.Resource(v1alpha1.ApplicationSetGVR).Namespace(namespace).List(ctx, metav1.ListOptions{})
	all = append(all, err)
	if err == nil && len(sets.Items) > 0 {
		all = append(all, fmt.Errorf("%d ApplicationSets", len(sets.Items)))
	}
	secrets, err := f.clients["hub"].CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.LabelSecretType + "=" + v1alpha1.SecretTypeCluster})
	all = append(all, err)
	if err == nil && len(secrets.Items) > 0 {
		all = append(all, fmt.Errorf("%d descriptions of clusters", len(secrets.Items)))
	}
	return errors.Join(all...)
}

package observe

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// hookFinalizer keeps a finished hook until its sync has seen the result; an
// object that waits for nothing else still has the health it ended with.
const hookFinalizer = gitops.AnnotationPrefix + "hook-finalizer"

// Check assesses one object of a kind. With an error the health is Unknown
// and its message says why.
type Check func(o *unstructured.Unstructured) (gitops.Health, error)

// Checks is a table of health checks by group and kind.
type Checks struct {
	table map[schema.GroupKind]Check
}

// NewChecks returns a table without any check.
func NewChecks() *Checks { return &Checks{table: map[schema.GroupKind]Check{}} }

// Set adds a check, or replaces the one that the kind has. It must not be
// called once the table is in use.
func (c *Checks) Set(group, kind string, check Check) {
	c.table[schema.GroupKind{Group: group, Kind: kind}] = check
}

// Has tells whether a kind has a check.
func (c *Checks) Has(group, kind string) bool {
	return c.table[schema.GroupKind{Group: group, Kind: kind}] != nil
}

// Health assesses an object. The zero Health means that its kind has no check.
func (c *Checks) Health(o *unstructured.Unstructured) (gitops.Health, error) {
	meta := reader{o: o.Object}
	if meta.text("metadata", "deletionTimestamp") != "" && !hasText(meta.items("metadata", "finalizers"), hookFinalizer) {
		return gitops.Health{Code: gitops.Progressing, Message: "Pending deletion"}, nil
	}
	gvk := o.GroupVersionKind()
	check := c.table[gvk.GroupKind()]
	if check == nil {
		return gitops.Health{}, nil
	}
	h, err := check(o)
	if err != nil {
		err = fmt.Errorf("cannot assess %s: %w", gitops.KeyOf(o), err)
		return gitops.Health{Code: gitops.HealthUnknown, Message: err.Error()}, err
	}
	return h, nil
}

// BuiltIn returns the checks of the kinds that the engine knows by itself.
func BuiltIn() *Checks {
	c := NewChecks()
	c.Set("apps", "Deployment", only(deployment, "v1"))
	c.Set("apps", "StatefulSet", only(statefulSet, "v1"))
	c.Set("apps", "DaemonSet", only(daemonSet, "v1"))
	c.Set("apps", "ReplicaSet", only(replicaSet, "v1"))
	c.Set("", "Pod", only(pod, "v1"))
	c.Set("batch", "Job", only(job, "v1"))
	c.Set("batch", "CronJob", cronJob)
	c.Set("", "Service", only(service, "v1"))
	c.Set("networking.k8s.io", "Ingress", ingress)
	c.Set("extensions", "Ingress", ingress)
	c.Set("", "PersistentVolumeClaim", only(volumeClaim, "v1"))
	c.Set("autoscaling", "HorizontalPodAutoscaler", only(autoscaler, "v1", "v2"))
	c.Set("policy", "PodDisruptionBudget", disruptionBudget)
	c.Set("apiregistration.k8s.io", "APIService", only(apiService, "v1", "v1beta1"))
	c.Set("apiextensions.k8s.io", "CustomResourceDefinition", definition)
	c.Set("argoproj.io", "Workflow", workflow)
	c.Set("argoproj.io", "Application", application)
	c.Set("argoproj.io", "ApplicationSet", applicationSet)
	return c
}

var builtIn = BuiltIn()

// Health assesses an object with the built-in checks.
func Health(o *unstructured.Unstructured) (gitops.Health, error) { return builtIn.Health(o) }

// only refuses versions whose fields a check was not written for.
func only(check Check, versions ...string) Check {
	return func(o *unstructured.Unstructured) (gitops.Health, error) {
		gvk := o.GroupVersionKind()
		for _, v := range versions {
			if gvk.Version == v {
				return check(o)
			}
		}
		return gitops.Health{}, fmt.Errorf("no health check for version %s of %s", gvk.Version, gvk.Kind)
	}
}

func healthy(message string) gitops.Health {
	return gitops.Health{Code: gitops.Healthy, Message: message}
}

func progressing(format string, args ...any) gitops.Health {
	return gitops.Health{Code: gitops.Progressing, Message: fmt.Sprintf(format, args...)}
}

func degraded(message string) gitops.Health {
	return gitops.Health{Code: gitops.Degraded, Message: message}
}

func suspended(message string) gitops.Health {
	return gitops.Health{Code: gitops.Suspended, Message: message}
}

package main

import (
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
)

// assessed is how many objects a pass over a fleet assesses.
const assessed = 10_000

// health measures a pass over many objects by Lua, by CEL and by a check in
// Go: the first time, and again when no object changed.
func health() error {
	out := newTable(fmt.Sprintf("health of %d objects, on one processor", assessed))
	builtIn, err := passes(nil, "apps/v1", "Deployment")
	if err != nil {
		return err
	}
	out.row("built in: Deployment", cpu(builtIn[0]), "1.0×")
	for _, c := range []struct {
		what, apiVersion, kind string
		says                   map[string]string
	}{
		{"Lua that ships: Certificate", "cert-manager.io/v1", "Certificate", nil},
		{"Lua of the installation", "example.com/v1", "Widget", map[string]string{"resource.customizations.health.example.com_Widget": luaOfWidgets}},
		{"CEL of the installation", "example.com/v1", "Widget", map[string]string{"resource.customizations.readyExpressions.example.com_Widget": celOfWidgets}},
	} {
		took, err := passes(c.says, c.apiVersion, c.kind)
		if err != nil {
			return err
		}
		out.row(c.what, cpu(took[0]), fmt.Sprintf("%.1f× built in", took[0].Seconds()/builtIn[0].Seconds()))
		out.row("  again, nothing changed", cpu(took[1]), fmt.Sprintf("%.1f× built in", took[1].Seconds()/builtIn[0].Seconds()))
	}
	fmt.Print(out)
	return nil
}

const (
	luaOfWidgets = `
for i, c in ipairs(obj.status.conditions) do
  if c.type == "Ready" and c.status == "True" then return {status = "Healthy", message = c.message} end
end
return {status = "Progressing"}`
	celOfWidgets = `status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')`
)

func cpu(d time.Duration) string {
	return fmt.Sprintf("%.3f s of CPU, %.1f µs an object", d.Seconds(), float64(d.Microseconds())/assessed)
}

// passes assesses all objects twice and returns the CPU time of each pass.
func passes(says map[string]string, apiVersion, kind string) (took [2]time.Duration, err error) {
	checks := observe.New()
	if _, _, err := checks.Customize(says); err != nil {
		return took, err
	}
	objects := make([]*unstructured.Unstructured, assessed)
	for i := range objects {
		objects[i] = ready(i, apiVersion, kind)
	}
	if _, err := checks.Health("", ready(-1, apiVersion, kind)); err != nil { // compiles the script
		return took, err
	}
	runtime.GC()
	for i := range took {
		begin := cpuTime()
		for _, o := range objects {
			if h, err := checks.Health("", o); err != nil || h.Code != gitops.Healthy {
				return took, fmt.Errorf("%s is %s: %w", o.GetName(), h.Code, err)
			}
		}
		took[i] = cpuTime() - begin
	}
	return took, nil
}

// cpuTime is what this process has used so far, with its garbage collection.
func cpuTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ready is a healthy object of an ordinary size.
func ready(i int, apiVersion, kind string) *unstructured.Unstructured {
	conditions := make([]any, 0, 4)
	for _, name := range []string{"Issued", "Synced", "Available", "Ready"} {
		conditions = append(conditions, map[string]any{
			"type": name, "status": "True", "reason": "AsExpected", "message": "all is as expected",
			"lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": int64(3),
		})
	}
	labels := map[string]any{"app.kubernetes.io/name": "web", "app.kubernetes.io/part-of": "shop", "tier": "front"}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiVersion, "kind": kind,
		"metadata": map[string]any{
			"name": fmt.Sprintf("object-%d", i), "namespace": "shop", "uid": fmt.Sprintf("uid-%d", i), "resourceVersion": "1",
			"generation": int64(3), "labels": labels, "annotations": map[string]any{"argocd.argoproj.io/tracking-id": "shop:x/y:shop/z"},
		},
		"spec": map[string]any{
			"replicas": int64(2), "selector": map[string]any{"matchLabels": labels}, "progressDeadlineSeconds": int64(600),
			"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{"containers": []any{map[string]any{
				"name": "web", "image": "registry.example.com/web:1", "ports": []any{map[string]any{"containerPort": int64(8080)}},
				"env": []any{map[string]any{"name": "A", "value": "1"}, map[string]any{"name": "B", "value": "2"}},
			}}}},
		},
		"status": map[string]any{
			"observedGeneration": int64(3), "replicas": int64(2), "updatedReplicas": int64(2), "readyReplicas": int64(2),
			"availableReplicas": int64(2), "conditions": conditions,
		},
	}}
}

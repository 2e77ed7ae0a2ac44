package faults

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/test/faults/scene"
)

// What is told of a scene that failed, which is seldom and may come once.
const (
	tellingTime = 10 * time.Second
	mostLines   = 30
)

// told is what the set and the pods of a scene say of themselves, and what the engine said of it last: an Application that
// is missing has no conditions, one that waits for a workload does not tell of its pods, and the folder of the test goes away.
func (s *session) told(ctx context.Context, sc *scene.Scene) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tellingTime)
	defer cancel()
	var b strings.Builder
	if sc.Set {
		name := sc.Namespace + "-set"
		set, err := s.dynamic.Resource(resourceOf("ApplicationSet")).Namespace(control).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			fmt.Fprintf(&b, "\n\tApplicationSet/%s: %v", name, err)
		} else {
			conditions, _, _ := unstructured.NestedSlice(set.Object, "status", "conditions")
			fmt.Fprintf(&b, "\n\tApplicationSet/%s: conditions %v", name, conditions)
		}
	}
	pods, err := s.clients.CoreV1().Pods(sc.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		fmt.Fprintf(&b, "\n\tpods: %v", err)
	} else {
		for i := range pods.Items {
			p := &pods.Items[i]
			fmt.Fprintf(&b, "\n\tPod/%s: %s on %q, of %s", p.Name, p.Status.Phase, p.Spec.NodeName, p.CreationTimestamp.UTC().Format(time.RFC3339))
		}
	}
	for _, line := range linesOf(s.engine.LogFile(), sc.Namespace) {
		b.WriteString("\n\tengine: " + line)
	}
	return b.String()
}

// linesOf are the last lines of a log that are of a scene.
func linesOf(file, of string) []string {
	text, err := os.ReadFile(file)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, of) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out[max(0, len(out)-mostLines):]
}

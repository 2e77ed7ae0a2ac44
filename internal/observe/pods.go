package observe

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ignoreRestartPolicy makes a pod with a finite life count as a server.
const ignoreRestartPolicy = gitops.AnnotationPrefix + "ignore-restart-policy"

func pod(o *unstructured.Unstructured) (gitops.Health, error) {
	r := &reader{o: o.Object}
	h := podHealth(r)
	return h, r.err
}

func podHealth(r *reader) gitops.Health {
	containers, message := r.items("status", "containerStatuses"), r.text("status", "message")
	server := runsForever(r)
	if server {
		if stuck := stuckContainers(containers); len(stuck) > 0 {
			return degraded(strings.Join(stuck, ", "))
		}
	}
	switch r.text("status", "phase") {
	case "Pending":
		return progressing("%s", message)
	case "Succeeded":
		return healthy(message)
	case "Failed":
		return failedPod(r, containers, message)
	case "Running":
		if !server {
			return progressing("%s", message)
		}
		return runningPod(r, containers, message)
	}
	return gitops.Health{Code: gitops.HealthUnknown, Message: message}
}

// runsForever tells pods that are meant to keep running from those that end.
func runsForever(r *reader) bool {
	if r.text("spec", "restartPolicy") == "Always" {
		return true
	}
	hook := r.text("metadata", "annotations", gitops.AnnotationHook)
	return hook == "" && r.text("metadata", "annotations", ignoreRestartPolicy) == "true"
}

// stuckContainers returns a message for each container that waits for a
// reason which looks like an error, such as ErrImagePull or CrashLoopBackOff.
func stuckContainers(containers []any) []string {
	var out []string
	for _, item := range containers {
		c := containerOf(item)
		reason := c.text("state", "waiting", "reason")
		if strings.HasPrefix(reason, "Err") || strings.HasSuffix(reason, "Error") || strings.HasSuffix(reason, "BackOff") {
			out = append(out, c.text("state", "waiting", "message"))
		}
	}
	return out
}

func containerOf(item any) *reader {
	m, _ := item.(map[string]any)
	return &reader{o: m}
}

func failedPod(r *reader, containers []any, message string) gitops.Health {
	if message != "" {
		return degraded(message)
	}
	for _, list := range [][]any{r.items("status", "initContainerStatuses"), containers} {
		for _, item := range list {
			if why := exitMessage(containerOf(item)); why != "" {
				return degraded(why)
			}
		}
	}
	return degraded("")
}

func exitMessage(c *reader) string {
	if m := c.text("state", "terminated", "message"); m != "" {
		return m
	}
	if reason := c.text("state", "terminated", "reason"); reason == "OOMKilled" {
		return reason
	}
	if code := c.count("state", "terminated", "exitCode"); code != 0 {
		return fmt.Sprintf("container %q failed with exit code %d", c.text("name"), code)
	}
	return ""
}

func runningPod(r *reader, containers []any, message string) gitops.Health {
	if ready, ok := find(r.conditions(), "Ready"); ok && ready.status == "True" {
		return healthy(message)
	}
	for _, item := range containers {
		if containerOf(item).fields("lastState", "terminated") != nil {
			return degraded(message)
		}
	}
	return progressing("%s", message)
}

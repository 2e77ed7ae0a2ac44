package e2e

import (
	"fmt"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestPodsOfTheLastStart kills a cluster whose pods have a node and are not ready yet, and has them played to their end
// by the next start. Nothing changes these pods in between, so that they are seen once.
func TestPodsOfTheLastStart(t *testing.T) {
	data := t.TempDir()
	first := start(t, "--data-dir="+data)
	client := first.client(t)
	const replicas = 20
	deployment(t, client, "half", replicas, map[string]string{prefix + "ready-after": "8s"})
	job(t, client, "running", map[string]string{prefix + "complete-after": "8s"})
	pods := client.CoreV1().Pods("default")
	eventually(t, func() error {
		list, err := pods.List(t.Context(), metav1.ListOptions{FieldSelector: "spec.nodeName!="})
		if err == nil && len(list.Items) <= replicas {
			err = fmt.Errorf("%d pods have a node", len(list.Items))
		}
		return err
	})
	if err := first.stop(t, syscall.SIGKILL); err == nil {
		t.Error("a killed process exited well")
	}

	second := start(t, "--data-dir="+data)
	client = second.client(t)
	eventually(t, func() error {
		got, err := client.AppsV1().Deployments("default").Get(t.Context(), "half", metav1.GetOptions{})
		if err == nil && got.Status.AvailableReplicas != replicas {
			err = fmt.Errorf("%d pods are available", got.Status.AvailableReplicas)
		}
		return err
	})
	eventually(t, func() error {
		got, err := client.BatchV1().Jobs("default").Get(t.Context(), "running", metav1.GetOptions{})
		if err == nil && got.Status.Succeeded != 1 {
			err = fmt.Errorf("the job is %+v", got.Status)
		}
		return err
	})
}

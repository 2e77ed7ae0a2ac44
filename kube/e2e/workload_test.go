package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

const prefix = "kube.causeway.io/"

func template(policy corev1.RestartPolicy, annotations map[string]string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "x"}, Annotations: annotations},
		Spec: corev1.PodSpec{
			RestartPolicy:  policy,
			InitContainers: []corev1.Container{{Name: "init", Image: "none"}},
			Containers:     []corev1.Container{{Name: "main", Image: "none"}},
		},
	}
}

func deployment(t *testing.T, client kubernetes.Interface, name string, replicas int32, annotations map[string]string) {
	t.Helper()
	labels := map[string]string{"app": name}
	pods := template(corev1.RestartPolicyAlways, annotations)
	pods.Labels = labels
	_, err := client.AppsV1().Deployments("default").Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       appsv1.DeploymentSpec{Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: pods},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

func job(t *testing.T, client kubernetes.Interface, name string, annotations map[string]string) {
	t.Helper()
	var retries int32
	_, err := client.BatchV1().Jobs("default").Create(t.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       batchv1.JobSpec{BackoffLimit: &retries, Template: template(corev1.RestartPolicyNever, annotations)},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// testDeployments tries what the annotations make of pods that have to stay up.
func testDeployments(t *testing.T, client kubernetes.Interface) {
	deployments := client.AppsV1().Deployments("default")
	deployment(t, client, "plain", 3, nil)
	deployment(t, client, "delayed", 1, map[string]string{prefix + "ready-after": "2s"})
	deployment(t, client, "never", 1, map[string]string{prefix + "never-ready": "true"})
	deployment(t, client, "crash", 1, map[string]string{prefix + "fail": "true"})

	available := func(name string, want int32) *appsv1.Deployment {
		var got *appsv1.Deployment
		eventually(t, func() (err error) {
			got, err = deployments.Get(t.Context(), name, metav1.GetOptions{})
			if err == nil && got.Status.AvailableReplicas != want {
				err = fmt.Errorf("%s has %d available pods, want %d", name, got.Status.AvailableReplicas, want)
			}
			return err
		})
		return got
	}
	available("plain", 3)
	testReadyAgain(t, client)
	delayed := available("delayed", 1)
	for _, condition := range delayed.Status.Conditions {
		took := condition.LastTransitionTime.Sub(delayed.CreationTimestamp.Time)
		if condition.Type == appsv1.DeploymentAvailable && took < time.Second { // times are whole seconds
			t.Errorf("delayed was available after %s", took)
		}
	}
	crashing := onePod(t, client, "app=crash", func(pod corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning })
	if state := crashing.Status.ContainerStatuses[0].State.Waiting; state == nil || state.Reason != "CrashLoopBackOff" {
		t.Errorf("the crashing container is %+v", crashing.Status.ContainerStatuses[0].State)
	}
	onePod(t, client, "app=never", func(pod corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning })
	available("never", 0)
	available("crash", 0)
}

// testReadyAgain writes what the node lifecycle controller writes of a node that was away, and sees it put right.
func testReadyAgain(t *testing.T, client kubernetes.Interface) {
	pods := client.CoreV1().Pods("default")
	of := onePod(t, client, "app=plain", func(corev1.Pod) bool { return true })
	patch := []byte(`{"status":{"conditions":[{"type":"Ready","status":"False","reason":"NodeAway","message":"as a test has it"}]}}`)
	marked, err := pods.Patch(t.Context(), of.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if err != nil {
		t.Fatal(err)
	}
	if is := ready(marked); is.Status != corev1.ConditionFalse {
		t.Fatalf("the pod is not marked: %+v", is)
	}
	eventually(t, func() error {
		got, err := pods.Get(t.Context(), of.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if is := ready(got); is.Status != corev1.ConditionTrue || is.Reason != "" || is.Message != "" {
			return fmt.Errorf("the pod is %+v", is)
		}
		return nil
	})
}

func ready(pod *corev1.Pod) corev1.PodCondition {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c
		}
	}
	return corev1.PodCondition{}
}

func onePod(t *testing.T, client kubernetes.Interface, selector string, fits func(corev1.Pod) bool) corev1.Pod {
	t.Helper()
	var found corev1.Pod
	eventually(t, func() error {
		pods, err := client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return err
		}
		i := slices.IndexFunc(pods.Items, fits)
		if i < 0 {
			return fmt.Errorf("no fitting pod among the %d with %s", len(pods.Items), selector)
		}
		found = pods.Items[i]
		return nil
	})
	return found
}

// testJobs tries what the annotations make of pods that run to completion.
func testJobs(t *testing.T, client kubernetes.Interface) {
	job(t, client, "plain", nil)
	job(t, client, "slow", map[string]string{prefix + "complete-after": "2s"})
	job(t, client, "bad", map[string]string{prefix + "fail": "true"})
	finished := func(name string, want batchv1.JobConditionType) *batchv1.Job {
		var got *batchv1.Job
		eventually(t, func() (err error) {
			got, err = client.BatchV1().Jobs("default").Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			for _, condition := range got.Status.Conditions {
				if condition.Type == want && condition.Status == corev1.ConditionTrue {
					return nil
				}
			}
			return fmt.Errorf("job %s is not %s: %+v", name, want, got.Status.Conditions)
		})
		return got
	}
	finished("plain", batchv1.JobComplete)
	finished("bad", batchv1.JobFailed)
	slow := finished("slow", batchv1.JobComplete)
	if took := slow.Status.CompletionTime.Sub(slow.CreationTimestamp.Time); took < time.Second {
		t.Errorf("slow completed after %s", took)
	}
}

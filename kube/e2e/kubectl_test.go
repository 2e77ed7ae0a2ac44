package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/causeway-gitops/causeway/kube/internal/await"
)

// answer is what a kubectl had to say.
type answer struct {
	stdout, stderr string
	code           int
}

// outputDelay is how long what a command that ended has started may hold on to its output.
const outputDelay = 10 * time.Second

// kubectl runs the sub-command as a person with KUBECONFIG set would.
func (p *process) kubectl(t *testing.T, input string, args ...string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	command := exec.CommandContext(ctx, binary(), append([]string{"kubectl"}, args...)...)
	command.WaitDelay = outputDelay
	command.Env = append(os.Environ(), "KUBECONFIG="+p.kubeconfig, "HOME="+t.TempDir())
	command.Stdin = strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return answer{stdout: stdout.String(), stderr: stderr.String(), code: command.ProcessState.ExitCode()}
}

const settingsYAML = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue}
`

// testKubectl goes through what the guide asks newcomers to type; the steps build on one another.
func testKubectl(t *testing.T, p *process) {
	steps := []struct {
		reason string
		input  string
		args   []string
		want   string // in either output
		code   int
	}{
		{reason: "manifests come from a pipe", input: settingsYAML, args: []string{"apply", "-f", "-"}, want: "configmap/settings created"},
		{reason: "a second time there is nothing to do", input: settingsYAML, args: []string{"apply", "-f", "-"}, want: "configmap/settings unchanged"},
		{reason: "fields can be picked", args: []string{"get", "configmap", "settings", "-o", "jsonpath={.data.colour}"}, want: "blue"},
		{reason: "short names and tables are the server's", args: []string{"get", "cm", "settings"}, want: "settings   1 "},
		{reason: "labels steer generators", args: []string{"label", "cm", "settings", "tier=front"}, want: "configmap/settings labeled"},
		{reason: "the label is there", args: []string{"get", "cm", "-l", "tier=front", "-o", "name"}, want: "configmap/settings"},
		{reason: "contexts are named after the cluster", args: []string{"--context=west", "get", "nodes"}, want: "node-1"},
		{reason: "another context is an error", args: []string{"--context=east", "get", "nodes"}, want: "not found for specified context: east", code: 1},
		{reason: "the release is that of the cluster, without a warning", args: []string{"version", "--warnings-as-errors"}, want: "Client Version: v1."},
		{reason: "scripts read it", args: []string{"version", "--client", "-o", "json"}, want: `"gitVersion": "v1.`},
		{reason: "objects can be deleted", args: []string{"delete", "cm", "settings"}, want: `configmap "settings" deleted`},
		{reason: "what is gone is not found", args: []string{"get", "cm", "settings"}, want: `configmaps "settings" not found`, code: 1},
		{reason: "a typing error is named", args: []string{"gte", "cm"}, want: `unknown command "gte"`, code: 1},
		{reason: "plugins are not looked for", args: []string{"plugin", "list"}, want: `unknown command "plugin"`, code: 1},
		{reason: "help is complete", args: []string{"apply", "--help"}, want: "--server-side"},
	}
	for _, step := range steps {
		got := p.kubectl(t, step.input, step.args...)
		if got.code != step.code || !strings.Contains(got.stdout+got.stderr, step.want) {
			t.Errorf("%s: kubectl %s: code %d\n%s%s\nwant %q", step.reason, strings.Join(step.args, " "), got.code, got.stdout, got.stderr, step.want)
		}
	}
}

// testLogs reads what simulated containers have to say. It needs the pods of testDeployments.
func testLogs(t *testing.T, p *process) {
	ready := p.kubectl(t, "", "logs", "deployment/plain", "-c", "main")
	if ready.code != 0 || !strings.HasSuffix(ready.stdout, "image: none\nstarted\nready\n") {
		t.Errorf("a ready container says %+v", ready)
	}
	if init := p.kubectl(t, "", "logs", "deployment/plain", "-c", "init", "--tail=1"); init.stdout != "exited with code 0 (Completed)\n" {
		t.Errorf("an init container says %+v", init)
	}
	if previous := p.kubectl(t, "", "logs", "deployment/crash", "-c", "main", "--previous"); !strings.HasSuffix(previous.stdout, "exited with code 1 (Error)\n") {
		t.Errorf("a crashing container says %+v", previous)
	}
	if executed := p.kubectl(t, "", "exec", "deployment/plain", "-c", "main", "--", "true"); executed.code == 0 || !strings.Contains(executed.stderr, "simulated") {
		t.Errorf("a command in a container that does not run: %+v", executed)
	}
}

// testFollow reads a log until its container ends.
func testFollow(t *testing.T, p *process) {
	client := p.client(t)
	job(t, client, "told", map[string]string{prefix + "complete-after": "3s"})
	pod := onePod(t, client, "job-name=told", func(pod corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning })
	log := p.kubectl(t, "", "logs", "--follow", pod.Name, "-c", "main")
	if log.code != 0 || !strings.HasSuffix(log.stdout, "exited with code 0 (Completed)\n") || strings.Count(log.stdout, "started\n") != 1 {
		t.Errorf("the followed log is %+v", log)
	}
	err := client.BatchV1().Jobs("default").Delete(t.Context(), "told", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)})
	if err != nil {
		t.Error(err)
	}
}

// logged makes sure that the log of the only pod with a label can be read.
func logged(t *testing.T, p *process, selector string) {
	t.Helper()
	eventually(t, func() error {
		got := p.kubectl(t, "", "logs", "-l", selector, "-c", "main")
		if got.code != 0 || !strings.Contains(got.stdout, "ready\n") {
			return fmt.Errorf("the log of %s is %+v", selector, got)
		}
		return nil
	})
}

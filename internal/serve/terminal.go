package serve

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/fleet"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/terminal"
)

// terminals reach shells in pods of applications, where the installation wants that.
type terminals struct {
	looker
}

// usualShells are those of Argo CD.
var usualShells = []string{"bash", "sh", "powershell", "cmd"}

// mostShells bounds how many are tried.
const mostShells = 10

var shellName = regexp.MustCompile(`^[A-Za-z0-9/_][A-Za-z0-9._/-]{0,63}$`)

// Shells implements api.Terminals. What argocd-cm says counts before a flag, so
// that terminals can be switched off without a restart.
func (t terminals) Shells() []string {
	settings := t.on.Settings()
	on := t.on.At.Exec
	if said, ok := settings[v1alpha1.SettingExec]; ok {
		on = said == "true"
	}
	if !on {
		return nil
	}
	var out []string
	for name := range strings.SplitSeq(settings[v1alpha1.SettingShells], ",") {
		if name = strings.TrimSpace(name); shellName.MatchString(name) && len(out) < mostShells && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return usualShells
	}
	return out
}

// Containers implements api.Terminals.
func (t terminals) Containers(ctx context.Context, u *auth.User, app *v1alpha1.Application, at api.TerminalAt) (running []string, refused, err error) {
	cluster, pod, err := t.pod(ctx, app, at)
	if err != nil {
		return nil, nil, err
	}
	if running = runningIn(pod); len(running) == 0 {
		return nil, asleep(pod), nil
	}
	as, err := t.as(ctx, u, app, at.Namespace)
	if err == nil {
		err = lets(ctx, cluster, as, toExec(pod))
	}
	var p *gitops.Problem
	if errors.As(err, &p) && p.Kind == gitops.Forbidden {
		return running, p, nil
	}
	return running, nil, err
}

// Open implements api.Terminals.
func (t terminals) Open(ctx context.Context, u *auth.User, app *v1alpha1.Application, at api.TerminalAt) (terminal.Shell, error) {
	cluster, pod, err := t.pod(ctx, app, at)
	if err != nil {
		return nil, err
	}
	container, err := containerOf(pod, at.Container)
	if err != nil {
		return nil, err
	}
	as, err := t.as(ctx, u, app, at.Namespace)
	if err != nil {
		return nil, err
	}
	if err := lets(ctx, cluster, as, toExec(pod)); err != nil {
		return nil, err
	}
	return &shell{looker: t.looker, app: app, cluster: cluster, as: as, pod: pod, container: container, names: at.Shells}, nil
}

// pod is one that an application has, as it is now.
func (l looker) pod(ctx context.Context, app *v1alpha1.Application, at api.TerminalAt) (*fleet.Cluster, *corev1.Pod, error) {
	admitted, err := l.on.Admit(ctx, app)
	if err != nil {
		return nil, nil, err
	}
	live, err := l.read(ctx, admitted, app, api.Ref{Version: "v1", Kind: "Pod", Namespace: at.Namespace, Name: at.Pod})
	if err != nil {
		return nil, nil, err
	}
	if live == nil {
		return nil, nil, gitops.Problemf(gitops.NotFound, "pod %s is not there", at.Pod)
	}
	pod, err := podOf(live)
	return admitted.Cluster, pod, err
}

func podOf(live *unstructured.Unstructured) (*corev1.Pod, error) {
	if !bounded.QuantitiesFit(live.Object) {
		return nil, fmt.Errorf("cannot read pod %s: a quantity in it is too large", live.GetName())
	}
	pod := &corev1.Pod{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, pod); err != nil {
		return nil, fmt.Errorf("cannot read pod %s: %w", live.GetName(), err)
	}
	return pod, nil
}

// as is in whose name a shell runs: in their own where Kubernetes knows them,
// else in that of the account which syncs have there; empty for the engine's.
func (t terminals) as(ctx context.Context, u *auth.User, app *v1alpha1.Application, namespace string) (rest.ImpersonationConfig, error) {
	account, err := t.on.Account(ctx, app, namespace)
	if err != nil || u.Via != auth.Kubernetes {
		return rest.ImpersonationConfig{UserName: account}, err
	}
	return impersonating(u), nil
}

// toExec is the right to a connection into a pod.
func toExec(pod *corev1.Pod) right {
	return right{Verb: "create", Resource: "pods", Subresource: "exec", Namespace: pod.Namespace, Name: pod.Name}
}

// defaultContainer is what kubectl goes by.
const defaultContainer = "kubectl.kubernetes.io/default-container"

// statuses are those of all containers, in the order of kubectl's choice.
func statuses(pod *corev1.Pod) []corev1.ContainerStatus {
	order := map[string]int{pod.Annotations[defaultContainer]: -1}
	for i := range pod.Spec.Containers {
		if name := pod.Spec.Containers[i].Name; order[name] == 0 {
			order[name] = i + 1
		}
	}
	main := slices.Clone(pod.Status.ContainerStatuses)
	slices.SortStableFunc(main, func(a, b corev1.ContainerStatus) int { return order[a.Name] - order[b.Name] })
	return slices.Concat(main, pod.Status.InitContainerStatuses, pod.Status.EphemeralContainerStatuses)
}

func runningIn(pod *corev1.Pod) []string {
	var out []string
	for _, c := range statuses(pod) {
		if c.State.Running != nil {
			out = append(out, c.Name)
		}
	}
	return out
}

// asleep says why nothing of a pod runs.
func asleep(pod *corev1.Pod) *gitops.Problem {
	if pod.Spec.NodeName == "" {
		return gitops.Problemf(gitops.NotReady, "pod %s has no node yet: there is no container to open a terminal in", pod.Name).Do("look at its events")
	}
	return gitops.Problemf(gitops.NotReady, "no container of pod %s runs: it is %s", pod.Name, pod.Status.Phase).Do("look at its events and logs")
}

// containerOf is the status of a container that runs; of the usual one for no name.
func containerOf(pod *corev1.Pod, name string) (corev1.ContainerStatus, error) {
	running := runningIn(pod)
	if name == "" && len(running) > 0 {
		name = running[0]
	}
	named := func(c corev1.Container) bool { return c.Name == name }
	ephemeral := func(c corev1.EphemeralContainer) bool { return c.Name == name }
	known := slices.ContainsFunc(pod.Spec.Containers, named) || slices.ContainsFunc(pod.Spec.InitContainers, named) || slices.ContainsFunc(pod.Spec.EphemeralContainers, ephemeral)
	if name != "" && !known {
		return corev1.ContainerStatus{}, gitops.Problemf(gitops.NotFound, "pod %s has no container %s", pod.Name, name)
	}
	if len(running) == 0 {
		return corev1.ContainerStatus{}, asleep(pod)
	}
	for _, c := range statuses(pod) {
		if c.Name == name && c.State.Running != nil {
			return c, nil
		}
	}
	return corev1.ContainerStatus{}, gitops.Problemf(gitops.NotReady, "container %s of pod %s does not run now", name, pod.Name).Do("wait until it runs, or take one of " + strings.Join(running, ", "))
}

package get

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/fleet/reply"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/screen"
)

type logsFlags struct {
	*command.Global

	engine    bool
	follow    bool
	previous  bool
	container string
	pod       string
	tail      int64
	since     time.Duration
}

// NewLogs returns the command logs.
func NewLogs(g *command.Global) *cobra.Command {
	l := &logsFlags{Global: g}
	cmd := &cobra.Command{
		Use:   "logs APP | logs --engine",
		Short: "Print the logs of an application's pods, or of the engine of a local fleet",
		Long: "Print the logs of all pods of an application, each line with its pod and container; --container takes one container of\n" +
			"each. Or, with --engine, the log of the local fleet's engine.",
		Example: "  causeway logs shop -f\n  causeway logs shop --container web --since 5m\n  causeway logs --engine",
		Args: func(cmd *cobra.Command, args []string) error {
			if l.engine {
				return command.None(nil, args)
			}
			return command.One("an application, or ask for --engine")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := l.check(); err != nil {
				return err
			}
			if l.engine {
				return l.engineLog(cmd.Context())
			}
			if l.since > 0 && l.Server.Address != "" {
				return target.ErrServed("what was logged --since a time")
			}
			return l.appLog(cmd.Context(), args[0])
		},
		ValidArgsFunction: target.CompleteApps(g),
	}
	f := cmd.Flags()
	f.BoolVar(&l.engine, "engine", false, "the log of the local fleet's engine")
	f.BoolVarP(&l.follow, "follow", "f", false, "go on as more is logged")
	f.BoolVarP(&l.previous, "previous", "p", false, "what containers wrote before they were last started again")
	f.StringVarP(&l.container, "container", "c", "", "only this container")
	f.StringVar(&l.pod, "pod", "", "only this pod, as NAME or NAMESPACE/NAME")
	f.Int64Var(&l.tail, "tail", -1, "only the last lines of each log")
	f.DurationVar(&l.since, "since", 0, "only what is newer than this, as in 5m")
	return cmd
}

// check refuses flags that exclude each other.
func (l *logsFlags) check() error {
	for _, of := range []struct {
		flag  string
		given bool
	}{{"previous", l.previous}, {"container", l.container != ""}, {"pod", l.pod != ""}, {"since", l.since > 0}} {
		if l.engine && of.given {
			return command.Usagef("cannot take both --engine and --%s: --%s is of the pods of an application", of.flag, of.flag)
		}
	}
	return nil
}

// engineLog prints the log file of the local fleet.
func (l *logsFlags) engineLog(ctx context.Context) error {
	home, err := target.Home(l.Global)
	if err != nil {
		return err
	}
	f, err := os.Open(home.Log())
	if err != nil {
		return fmt.Errorf("cannot read the log of fleet %s: %w", home.Fleet(), err)
	}
	defer func() { _ = f.Close() }()
	if l.tail > 0 {
		if err := l.printTail(home); err != nil {
			return err
		}
	}
	if l.tail >= 0 {
		if _, err := f.Seek(0, io.SeekEnd); err != nil {
			return err
		}
	}
	for {
		if _, err := io.Copy(command.Exact(l.Out), f); err != nil || !l.follow {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(command.FollowPause):
		}
	}
}

// printTail prints the last lines: of an empty log there is none.
func (l *logsFlags) printTail(home local.Home) error {
	text := command.Tail(home.Log(), int(l.tail))
	if text == "" {
		return nil
	}
	_, err := fmt.Fprintln(command.Exact(l.Out), text)
	return err
}

func (l *logsFlags) appLog(ctx context.Context, name string) error {
	h, err := target.Reach(l.Global)
	if err != nil {
		return err
	}
	app, err := h.Application(ctx, name)
	if err != nil {
		return err
	}
	if h.Server != nil {
		return l.servedLog(ctx, h, app)
	}
	s, err := h.Destination(ctx, app.Spec.Destination)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(s.Config)
	if err != nil {
		return fmt.Errorf("cannot make a client for cluster %s: %w", s.Name, err)
	}
	pods, err := podsOf(ctx, client, app)
	if err != nil {
		return fmt.Errorf("cannot list the pods of application %s on cluster %s: %w", name, s.Name, err)
	}
	if len(pods) == 0 {
		return fmt.Errorf("application %s has no pods on cluster %s", name, s.Name)
	}
	pods = slices.DeleteFunc(pods, func(p corev1.Pod) bool { return !l.wants(p.Namespace, p.Name) })
	if len(pods) == 0 {
		return fmt.Errorf("application %s has no pod %s on cluster %s", name, l.pod, s.Name)
	}
	return l.stream(ctx, client, pods)
}

// wants reports whether the log of a pod is asked for.
func (l *logsFlags) wants(namespace, name string) bool {
	return l.pod == "" || l.pod == name || l.pod == namespace+"/"+name
}

// pageSize is how many objects are asked for at a time.
const pageSize = 500

// podsOf finds the pods below the objects of an application, by their owners.
func podsOf(ctx context.Context, client kubernetes.Interface, app *v1alpha1.Application) ([]corev1.Pod, error) {
	var found []corev1.Pod
	for _, namespace := range namespacesOf(app) {
		owned, err := ownedBy(ctx, client, namespace, app)
		if err != nil {
			return nil, err
		}
		err = reply.Pages(ctx, pageSize, client.CoreV1().Pods(namespace).List, func(page *corev1.PodList) {
			for i := range page.Items {
				if owned(&page.Items[i]) || owns(app, namespace, "Pod", page.Items[i].Name) {
					found = append(found, page.Items[i])
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func namespacesOf(app *v1alpha1.Application) []string {
	var all []string
	for _, r := range app.Status.Resources {
		if r.Namespace != "" && !slices.Contains(all, r.Namespace) {
			all = append(all, r.Namespace)
		}
	}
	return all
}

func owns(app *v1alpha1.Application, namespace, kind, name string) bool {
	return slices.ContainsFunc(app.Status.Resources, func(r v1alpha1.ResourceStatus) bool {
		return r.Kind == kind && r.Namespace == namespace && r.Name == name
	})
}

// ownedBy reports whether something is below an object of the application:
// directly, or through workloads, also those that an operator makes.
func ownedBy(ctx context.Context, client kubernetes.Interface, namespace string, app *v1alpha1.Application) (func(metav1.Object) bool, error) {
	between := map[types.UID]bool{}
	ours := func(m metav1.Object) bool {
		return slices.ContainsFunc(m.GetOwnerReferences(), func(o metav1.OwnerReference) bool {
			return between[o.UID] || owns(app, namespace, o.Kind, o.Name)
		})
	}
	note := func(m metav1.Object) {
		if ours(m) {
			between[m.GetUID()] = true
		}
	}
	apps, batch := client.AppsV1(), client.BatchV1()
	for _, list := range []func() error{ // owners before what they own
		func() error { return unlessForbidden(each(ctx, apps.Deployments(namespace).List, note)) },
		func() error { return unlessForbidden(each(ctx, apps.StatefulSets(namespace).List, note)) },
		func() error { return unlessForbidden(each(ctx, apps.DaemonSets(namespace).List, note)) },
		func() error { return unlessForbidden(each(ctx, batch.CronJobs(namespace).List, note)) },
		func() error { return each(ctx, apps.ReplicaSets(namespace).List, note) },
		func() error { return each(ctx, batch.Jobs(namespace).List, note) },
	} {
		if err := list(); err != nil {
			return nil, err
		}
	}
	return ours, nil
}

// unlessForbidden forgets that workloads may not be listed: Git has most of them, and
// their names are known.
func unlessForbidden(err error) error {
	if apierrors.IsForbidden(err) {
		return nil
	}
	return err
}

type objectList interface {
	metav1.ListInterface
	runtime.Object
}

// each hands on the objects of a list, a page at a time.
func each[L objectList](ctx context.Context, list func(context.Context, metav1.ListOptions) (L, error), take func(metav1.Object)) error {
	return reply.Pages(ctx, pageSize, list, func(page L) {
		_ = meta.EachListItem(page, func(o runtime.Object) error { // none is without metadata
			m, err := meta.Accessor(o)
			if err == nil {
				take(m)
			}
			return err
		})
	})
}

// streams is how many logs are read at the same time.
const streams = 16

// readers read logs: of those that go on without end none can wait for another.
func (l *logsFlags) readers(ctx context.Context) (*crew.Group, context.Context) {
	group, ctx := crew.WithContext(ctx)
	if !l.follow {
		group.SetLimit(streams)
	}
	return group, ctx
}

// stream prints the logs of all containers, each line with where it is from.
func (l *logsFlags) stream(ctx context.Context, client kubernetes.Interface, pods []corev1.Pod) error {
	var mu sync.Mutex
	all := l.containers(pods)
	if len(all) == 0 {
		return fmt.Errorf("no pod has the container %q", l.container)
	}
	found := findings{several: len(all) > 1}
	group, ctx := l.readers(ctx)
	for _, of := range all {
		group.Go(func() error { return l.unlessOthers(&found, l.one(ctx, client, of.pod, of.container, &mu)) })
	}
	return l.verdict(&found, group.Wait())
}

type logOf struct {
	pod       *corev1.Pod
	container string
}

// containers are those whose logs are asked for. Those that prepare a pod are seldom
// started again: of logs of before theirs are read when they are named.
func (l *logsFlags) containers(pods []corev1.Pod) []logOf {
	var all []logOf
	for i := range pods {
		of := pods[i].Spec.Containers
		if !l.previous || l.container != "" {
			of = slices.Concat(pods[i].Spec.InitContainers, of)
		}
		for _, c := range of {
			if l.container == "" || c.Name == l.container {
				all = append(all, logOf{&pods[i], c.Name})
			}
		}
	}
	return all
}

// findings are what looks for several logs came to.
type findings struct {
	several bool

	mu     sync.Mutex
	logs   int
	latest error
}

// unlessOthers says of one log of several that it could not be read: a container may
// be about to start, or have no log of before. Others go on.
func (l *logsFlags) unlessOthers(found *findings, err error) error {
	if !found.several && !l.previous || errors.Is(err, context.Canceled) {
		return err
	}
	found.mu.Lock()
	defer found.mu.Unlock()
	if err == nil {
		found.logs++
		return nil
	}
	found.latest = err
	_, _ = fmt.Fprintf(l.Err, "warning: %s\n", screen.Words(err.Error()))
	return nil
}

// verdict is the end of all logs: one at least has to be there.
func (l *logsFlags) verdict(found *findings, err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return nil
	case err == nil && (found.several || l.previous) && found.logs == 0:
		return found.latest
	}
	return err
}

func (l *logsFlags) one(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod, container string, mu *sync.Mutex) error {
	body, err := client.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, l.options(container)).Stream(ctx)
	if err != nil {
		return fmt.Errorf("cannot read the log of %s/%s: %w", pod.Name, container, err)
	}
	defer func() { _ = body.Close() }()
	return l.pour(body, pod.Name, container, mu)
}

// options are what an API server is asked for. It takes whole seconds, and no 0.
func (l *logsFlags) options(container string) *corev1.PodLogOptions {
	options := &corev1.PodLogOptions{Container: container, Follow: l.follow, Previous: l.previous}
	if l.tail >= 0 {
		options.TailLines = &l.tail
	}
	if l.since > 0 {
		seconds := int64(math.Ceil(l.since.Seconds()))
		options.SinceSeconds = &seconds
	}
	return options
}

// pour prints lines with where they are from.
func (l *logsFlags) pour(body io.Reader, pod, container string, mu *sync.Mutex) error {
	lines, out, shown := bufio.NewReader(body), command.Exact(l.Out), command.Terminal(l.Out)
	for {
		line, err := piece(lines)
		if shown { // colours of the program's own would be marks
			line = strings.TrimSuffix(ansi.Strip(line), "\r")
		}
		if line != "" || err == nil {
			mu.Lock()
			_, _ = fmt.Fprintf(out, "[%s/%s] %s\n", pod, container, line)
			mu.Unlock()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// maxLine is how long a line of a log may be, in bytes: what is longer goes on
// in a line of its own.
const maxLine = 1 << 20

// piece is the next line without its end, or what of it is read at once.
func piece(lines *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return string(line[:len(line)-1]), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return string(line), err
		case len(line) >= maxLine:
			return string(line), nil
		}
	}
}

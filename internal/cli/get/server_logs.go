package get

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// mostTail is how many lines a server gives at most of the past.
const mostTail = 10_000

// servedLog prints the logs of an application's pods by way of a server.
func (l *logsFlags) servedLog(ctx context.Context, h *target.Hub, app *v1alpha1.Application) error {
	tree, err := h.Server.Tree(ctx, target.KeyOf(app))
	if err != nil {
		return h.Explain(err)
	}
	pods, err := l.podsOf(app, tree)
	if err != nil {
		return err
	}
	all, err := l.servedContainers(ctx, h, app, pods)
	if err != nil {
		return err
	}
	if l.follow && len(all) > streams {
		_, _ = fmt.Fprintf(l.Err, "warning: of %d containers the first %d are followed, as a server gives nobody many more: choose with --pod or --container\n", len(all), streams)
		all = all[:streams]
	}
	var mu sync.Mutex
	found := findings{several: len(all) > 1}
	group, inner := l.readers(ctx)
	for _, of := range all {
		group.Go(func() error { return l.unlessOthers(&found, l.servedOne(inner, h, app, of.pod, of.container, &mu)) })
	}
	return l.verdict(&found, group.Wait())
}

type containerOf struct {
	pod       api.Ref
	container string
}

// servedContainers are the containers of pods whose logs are asked for.
func (l *logsFlags) servedContainers(ctx context.Context, h *target.Hub, app *v1alpha1.Application, pods []api.Ref) ([]containerOf, error) {
	var all []containerOf
	for _, pod := range pods {
		o, err := h.Server.Object(ctx, target.KeyOf(app), pod)
		if err != nil {
			return nil, h.Explain(err)
		}
		for _, container := range o.Containers {
			if l.container == "" || container == l.container {
				all = append(all, containerOf{pod, container})
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no pod has the container %q", l.container)
	}
	return all, nil
}

// podsOf are the pods of an application whose logs are asked for. Where there are
// none, that may be for what the tree leaves out.
func (l *logsFlags) podsOf(app *v1alpha1.Application, tree *api.Tree) ([]api.Ref, error) {
	left := ""
	if tree.Partial != "" {
		left = ": " + screen.Words(tree.Partial)
	}
	pods := podsIn(tree.Nodes)
	if len(pods) == 0 {
		return nil, fmt.Errorf("application %s has no pods that the server knows%s", app.Name, left)
	}
	pods = slices.DeleteFunc(pods, func(p api.Ref) bool { return !l.wants(p.Namespace, p.Name) })
	if len(pods) == 0 {
		return nil, fmt.Errorf("application %s has no pod %s that the server knows%s", app.Name, l.pod, left)
	}
	if left != "" {
		_, _ = fmt.Fprintf(l.Err, "warning: %s\n", screen.Words(tree.Partial))
	}
	return pods, nil
}

// podsIn are the pods of a tree.
func podsIn(nodes []*api.Node) []api.Ref {
	var out []api.Ref
	for _, n := range nodes {
		if n.Kind == "Pod" && n.Group == "" && !n.Missing {
			out = append(out, n.Ref)
		}
		out = append(out, podsIn(n.Children)...)
	}
	return out
}

func (l *logsFlags) servedOne(ctx context.Context, h *target.Hub, app *v1alpha1.Application, pod api.Ref, container string, mu *sync.Mutex) error {
	tail := l.tail
	if tail == 0 && !l.follow {
		return nil // a server gives one line at least
	}
	if tail < 0 || tail > mostTail {
		tail = mostTail
	}
	if tail == 0 {
		tail = 1
	}
	body, err := h.Server.Logs(ctx, target.KeyOf(app), url.Values{
		"podNamespace": {pod.Namespace}, "pod": {pod.Name}, "container": {container}, "tail": {strconv.FormatInt(tail, 10)}, "follow": {strconv.FormatBool(l.follow)},
		"previous": {strconv.FormatBool(l.previous)},
	})
	if err != nil {
		return fmt.Errorf("cannot read the log of %s/%s: %w", pod.Name, container, h.Explain(err))
	}
	defer func() { _ = body.Close() }()
	return l.pour(body, pod.Name, container, mu)
}

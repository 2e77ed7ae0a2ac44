package serve

import (
	"context"
	"errors"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Logs streams the log of a container of a pod that the application has.
func (l looker) Logs(ctx context.Context, app *v1alpha1.Application, q api.LogQuery) (io.ReadCloser, error) {
	at, err := l.on.Admit(ctx, app)
	if err != nil {
		return nil, err
	}
	free, err := l.place(ctx, at.Cluster)
	if err != nil {
		return nil, err
	}
	log, err := l.open(ctx, at, app, q)
	if err != nil {
		free()
		return nil, err
	}
	log.free = free
	return log, nil
}

// open reads a log as far as its beginning.
func (l looker) open(ctx context.Context, at *Admitted, app *v1alpha1.Application, q api.LogQuery) (*openLog, error) {
	look, end := at.Cluster.OneLook(ctx, auth.Asker(ctx))
	pod, err := l.read(look, at, app, api.Ref{Version: "v1", Kind: "Pod", Namespace: q.Namespace, Name: q.Pod})
	end() // a log goes on, and needs nothing of the pod
	if err != nil {
		return nil, err
	}
	if pod == nil {
		return nil, gitops.Problemf(gitops.NotFound, "pod %s is not there", q.Pod)
	}
	want := right{Verb: "get", Resource: "pods", Subresource: "log", Namespace: q.Namespace, Name: q.Pod}
	if err := l.demand(ctx, at.Cluster, accessTo(app, "logs", "get"), want); err != nil {
		return nil, err
	}
	clients, err := kubernetes.NewForConfig(at.Cluster.RESTConfig())
	if err != nil {
		return nil, err
	}
	options := &corev1.PodLogOptions{Container: q.Container, Previous: q.Previous, Follow: q.Follow, TailLines: &q.Tail, Timestamps: true}
	if !q.Since.IsZero() {
		options.TailLines, options.SinceTime = nil, new(metav1.NewTime(q.Since))
	}
	// The log goes on as long as it is read; that it begins takes no longer than a look.
	ctx, stop := context.WithCancel(ctx)
	late := time.AfterFunc(readTime, stop)
	lines, err := clients.CoreV1().Pods(q.Namespace).GetLogs(q.Pod, options).Stream(ctx)
	if !late.Stop() && err == nil {
		err = errors.Join(context.DeadlineExceeded, lines.Close())
	}
	if err != nil {
		stop()
		return nil, gitops.Problemf(gitops.Unreachable, "cannot read the log of pod %s: %w", q.Pod, err)
	}
	return &openLog{ReadCloser: lines, stop: stop}, nil
}

// openLog ends its request, and gives its place back, when it is closed.
type openLog struct {
	io.ReadCloser

	stop context.CancelFunc
	free func()
}

// Close implements io.Closer.
func (l *openLog) Close() error {
	defer l.free()
	defer l.stop()
	return l.ReadCloser.Close()
}

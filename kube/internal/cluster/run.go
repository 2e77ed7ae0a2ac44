package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/causeway-gitops/causeway/kube/internal/apiserver"
	"github.com/causeway-gitops/causeway/kube/internal/controllers"
	"github.com/causeway-gitops/causeway/kube/internal/definition"
	"github.com/causeway-gitops/causeway/kube/internal/encryption"
	"github.com/causeway-gitops/causeway/kube/internal/etcd"
	"github.com/causeway-gitops/causeway/kube/internal/home"
	"github.com/causeway-gitops/causeway/kube/internal/kubeconfig"
	"github.com/causeway-gitops/causeway/kube/internal/kubelet"
	"github.com/causeway-gitops/causeway/kube/internal/kwok"
	"github.com/causeway-gitops/causeway/kube/internal/logs"
	"github.com/causeway-gitops/causeway/kube/internal/scheduler"
)

// Run runs a cluster until ctx ends or a part of it fails. It may be called once in a process.
func Run(ctx context.Context, o Options) (err error) {
	if err := o.Validate(); err != nil {
		return err
	}
	h, err := home.Open(o.DataDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	if o.KubeconfigOut == "" {
		o.KubeconfigOut = h.Path("kubeconfig")
	}
	if err := kubeconfig.Remove(o.KubeconfigOut); err != nil {
		return err
	}
	if h.Temporary {
		// A kubeconfig of a cluster that is gone only misleads.
		defer func() { err = errors.Join(err, kubeconfig.Remove(o.KubeconfigOut)) }()
	}
	sink, logFile, err := openLog(h, o)
	if err != nil {
		return err
	}
	err = run(ctx, h, o, sink)
	if err != nil {
		err = withTail(err, logFile)
	}
	return errors.Join(err, sink.Close())
}

func openLog(h *home.Home, o Options) (*logs.Sink, string, error) {
	if o.Verbosity > 0 {
		sink, err := logs.ToStderr(o.Verbosity)
		return sink, "", err
	}
	path := o.LogFile
	if path == "" {
		path = h.Path("causeway-kube.log")
	}
	sink, err := logs.ToFile(path)
	return sink, path, err
}

func run(ctx context.Context, h *home.Home, o Options, sink *logs.Sink) (err error) {
	f, err := prepare(ctx, h, o)
	if err != nil {
		return err
	}
	// Components warn each other about API versions that are none of the user's business.
	rest.SetDefaultWarningHandler(rest.NoWarnings{})

	data := h.Path("etcd")
	kept, err := encryption.Prepare(ctx, encryption.Config{
		Mode: o.Encryption, Socket: o.KMSSocket, DataDir: h.Dir, StoreDir: data, RunDir: h.Run, Log: sink.Slog(),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fmt.Errorf("cannot make the folder of etcd: %w", err)
	}
	store, err := etcd.Start(ctx, etcd.Config{DataDir: data, SocketDir: h.Run, Durable: !h.Temporary, Log: sink.Zap()})
	if err != nil {
		return err
	}
	defer store.Stop()

	parts := newParts(sink.Kwok(ctx))
	defer parts.stop()
	klog.OsExit = parts.exit
	parts.first("etcd", store.Wait)
	if kept.Serves() {
		parts.first("the plugin that encrypts Secrets", kept.Serve)
	}
	parts.first("kube-apiserver", func(ctx context.Context) error {
		return apiserver.Run(ctx, apiserver.Config{
			Listener: f.listener, Etcd: store.Endpoint(), CAFile: f.ca, CertFile: f.cert, KeyFile: f.key,
			TokenFile: f.token, KubeletCert: f.kubeletCert, KubeletKey: f.kubeletKey,
			AuditLog: o.AuditLog, AuditPolicy: f.auditPolicy, APIOnly: o.APIOnly,
			Encryption: kept.File,
		})
	})
	if err := start(parts, f, o); err != nil {
		return err
	}
	if err := kubeconfig.Write(o.KubeconfigOut, f.entry); err != nil {
		return err
	}
	if o.OnReady != nil {
		o.OnReady(f.entry.Server, o.KubeconfigOut)
	}
	return parts.wait()
}

// start brings up what works on a running API server and returns when the whole cluster can be used.
func start(parts *parts, f files, o Options) error {
	ctx, cancel := context.WithTimeoutCause(parts.ctx, o.ReadyWithin, fmt.Errorf("the cluster was not ready within %s", o.ReadyWithin))
	defer cancel()
	err := bring(ctx, parts, f, o)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return parts.reason(err)
}

// bring starts one part after another, each when it finds what it works on.
func bring(ctx context.Context, parts *parts, f files, o Options) error {
	config, err := clientcmd.BuildConfigFromFlags("", f.ownKubeconfig)
	if err != nil {
		return fmt.Errorf("cannot read the kubeconfig of the components: %w", err)
	}
	config.QPS = -1 // no client-side limit
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("cannot make a client for the API server: %w", err)
	}
	ready := readiness{client: client, nodes: o.Nodes}
	if err := ready.apiServer(ctx); err != nil {
		return err
	}
	if err := definition.Resume(ctx, config); err != nil {
		return err
	}
	parts.second("definitions", func(ctx context.Context) error { return definition.Finish(ctx, config) })
	parts.second("kube-controller-manager", func(ctx context.Context) error {
		return controllers.Run(ctx, controllers.Config{APIOnly: o.APIOnly, Kubeconfig: f.ownKubeconfig, CAFile: f.ca, TokenFile: f.token})
	})
	if o.APIOnly {
		return nil
	}
	parts.second("kube-scheduler", func(ctx context.Context) error { return scheduler.Run(ctx, f.ownKubeconfig) })
	port := kubelet.Port(f.kubelet.Listener)
	if err := furnish(ctx, client, o.Nodes, port); err != nil {
		return err
	}
	f.kubelet.Pods = client.CoreV1()
	parts.second("kubelet", func(ctx context.Context) error { return kubelet.Run(ctx, f.kubelet) })
	playing := make(chan struct{})
	parts.second("kwok", func(ctx context.Context) error {
		return kwok.Run(ctx, f.ownKubeconfig, port, func() { close(playing) })
	})
	return ready.everything(ctx, playing)
}

// furnish makes the objects that kubelets and clouds would make.
func furnish(ctx context.Context, client kubernetes.Interface, nodes int, port uint16) error {
	if err := kwok.AddNodes(ctx, client, nodes, port); err != nil {
		return err
	}
	if err := kwok.Announce(ctx, client, port); err != nil {
		return err
	}
	return kwok.AddStorageClass(ctx, client)
}

// Package controllers runs kube-controller-manager in this process, with the controllers that a cluster without
// machines, clouds and networks needs.
package controllers

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/options"

	"github.com/causeway-gitops/causeway/kube/internal/flags"
)

// enabled are the controllers to run. Those that are left out need a machine, a cloud, or a kubelet's certificates.
var enabled = []string{
	"clusterrole-aggregation-controller",
	"cronjob-controller",
	"daemonset-controller",
	"deployment-controller",
	"disruption-controller",
	"endpoints-controller",
	"endpointslice-controller",
	"endpointslice-mirroring-controller",
	"ephemeral-volume-controller",
	"garbage-collector-controller",
	"horizontal-pod-autoscaler-controller",
	"job-controller",
	"namespace-controller",
	"node-lifecycle-controller", // without it nodes keep the not-ready taint
	"persistentvolume-binder-controller",
	"persistentvolume-protection-controller",      // takes away the finalizer that admission puts on each volume
	"persistentvolumeclaim-protection-controller", // the same for claims, which else can never be deleted
	"pod-garbage-collector-controller",
	"replicaset-controller",
	"replicationcontroller-controller",
	"resourcequota-controller",
	"root-ca-certificate-publisher-controller",
	"serviceaccount-controller",
	"serviceaccount-token-controller",
	"statefulset-controller",
	"taint-eviction-controller",
	"ttl-after-finished-controller",
	"validatingadmissionpolicy-status-controller",
}

// ofObjects are those that know nothing of what an object is for.
var ofObjects = []string{
	"clusterrole-aggregation-controller",
	"garbage-collector-controller",
	"namespace-controller",
	"validatingadmissionpolicy-status-controller",
}

// Config names the files that the controllers work with.
type Config struct {
	// APIOnly runs only the controllers that know nothing of what an object is for.
	APIOnly    bool
	Kubeconfig string
	CAFile     string // published to every namespace
	TokenFile  string // private key of service account tokens
}

// Run works until ctx ends.
func Run(ctx context.Context, c Config) error {
	opts, err := options.NewKubeControllerManagerOptions()
	if err != nil {
		return fmt.Errorf("cannot set up kube-controller-manager: %w", err)
	}
	known, off, aliases := app.KnownControllers(), app.ControllersDisabledByDefault(), app.ControllerAliases()
	if err := flags.Parse("kube-controller-manager", opts.Flags(known, off, aliases), args(c)); err != nil {
		return err
	}
	config, err := opts.Config(ctx, known, off, aliases)
	if err != nil {
		return fmt.Errorf("cannot set up kube-controller-manager: %w", err)
	}
	if err := app.Run(ctx, config.Complete()); err != nil && ctx.Err() == nil {
		return fmt.Errorf("kube-controller-manager stopped: %w", err)
	}
	return nil
}

func args(c Config) flags.Args {
	run := enabled
	if c.APIOnly {
		run = ofObjects
	}
	return flags.Args{
		"controllers":                 strings.Join(run, ","),
		"concurrent-deployment-syncs": "20",
		"concurrent-namespace-syncs":  "50",
		"concurrent-replicaset-syncs": "20",
		"controller-shutdown-timeout": "2s",
		// The first look comes after a whole period, and an autoscaler is not healthy before it.
		"horizontal-pod-autoscaler-sync-period": "2s",
		"kube-api-burst":                        "2000", // with the defaults hundreds of new namespaces crawl
		"kube-api-qps":                          "1000",
		"kubeconfig":                            c.Kubeconfig,
		"leader-elect":                          "false",
		"node-startup-grace-period":             "24h",
		"node-monitor-grace-period":             "24h", // nodes end with this process; one that was paused, as on a laptop that sleeps, has lost none
		"profiling":                             "false",
		"root-ca-file":                          c.CAFile,
		"secure-port":                           "0",
		"service-account-private-key-file":      c.TokenFile,
	}
}

// Package scheduler runs kube-scheduler in this process.
package scheduler

import (
	"context"
	"fmt"

	"k8s.io/kubernetes/cmd/kube-scheduler/app"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"

	"github.com/causeway-gitops/causeway/kube/internal/flags"
)

// Run schedules pods until ctx ends. Upstream's command is not used: it takes over the signals of the process.
func Run(ctx context.Context, kubeconfig string) error {
	opts := options.NewOptions()
	if err := flags.Parse("kube-scheduler", *opts.Flags, args(kubeconfig)); err != nil {
		return err
	}
	config, scheduler, err := app.Setup(ctx, opts)
	if err != nil {
		return fmt.Errorf("cannot set up kube-scheduler: %w", err)
	}
	// Run returns an error when its context ends, too.
	if err := app.Run(ctx, config, scheduler); err != nil && ctx.Err() == nil {
		return fmt.Errorf("kube-scheduler stopped: %w", err)
	}
	return nil
}

func args(kubeconfig string) flags.Args {
	return flags.Args{
		"kube-api-burst": "2000",
		"kube-api-qps":   "1000",
		"kubeconfig":     kubeconfig,
		"leader-elect":   "false",
		"profiling":      "false",
		"secure-port":    "0",
	}
}

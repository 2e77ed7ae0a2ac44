package app

import (
	"fmt"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/controller/outline"
	"github.com/causeway-gitops/causeway/internal/fleet/clustersecret"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/telemetry"
)

func newManager(cfg Config) (ctrl.Manager, error) {
	scheme, err := hub.NewScheme()
	if err != nil {
		return nil, fmt.Errorf("cannot register the API types: %w", err)
	}
	secrets, err := hub.Describing()
	if err != nil {
		return nil, err
	}
	here := map[string]cache.Config{cfg.Namespace: {}}
	stop, leave := cfg.StopWithin, true
	renew, retry := cfg.Lease*2/3, cfg.Lease/8
	log := logr.FromSlogHandler(telemetry.LibraryLog(cfg.Log.Handler()))
	ctrl.SetLogger(log)
	return ctrl.NewManager(cfg.Hub, ctrl.Options{
		Scheme:         scheme,
		Logger:         log,
		MapperProvider: hub.NewMapper,
		Cache: cache.Options{
			DefaultTransform: cache.TransformStripManagedFields(),
			ByObject: map[client.Object]cache.ByObject{
				&corev1.Secret{}:           {Namespaces: here, Label: secrets, Transform: holdersOnly},
				&v1alpha1.Application{}:    {Namespaces: cfg.namespaces().Watched(), Transform: outline.Transform},
				&v1alpha1.ApplicationSet{}: {Namespaces: here, Transform: outline.Transform},
				&v1alpha1.AppProject{}:     {Namespaces: here},
			},
			// A kind by its name has to be served already; the product's own may not be.
			DefaultNamespaces: here,
		},
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		LeaderElection:                cfg.LeaderElection,
		LeaderElectionID:              hub.LeaseName,
		LeaderElectionNamespace:       cfg.Namespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &cfg.Lease,
		RenewDeadline:                 &renew,
		RetryPeriod:                   &retry,
		GracefulShutdownTimeout:       &stop,
		// Tests run several engines in one process.
		Controller: config.Controller{SkipNameValidation: &leave},
	})
}

// holdersOnly leaves of the bookkeeping of a cluster Secret who holds its keys,
// which ClusterMetadata go by.
func holdersOnly(o any) (any, error) {
	object, ok := o.(client.Object)
	if !ok {
		return o, nil
	}
	if !clustersecret.IsCluster(object) {
		object.SetManagedFields(nil)
		return o, nil
	}
	object.SetManagedFields(bridge.Held(object.GetManagedFields()))
	return o, nil
}

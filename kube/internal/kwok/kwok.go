// Package kwok plays the kubelets: nodes report that they are healthy and pods go through their lives, without a
// container ever being started. What a pod's life looks like can be chosen with annotations on the pod:
//
//	kube.causeway.io/ready-after: 5s      ready only after that time
//	kube.causeway.io/never-ready: "true"  runs, is never ready and never completes
//	kube.causeway.io/fail: "true"         crashes again and again; a pod that runs to completion fails
//	kube.causeway.io/complete-after: 5s   runs to completion that long, where the default is at once
//
// A pod runs to completion when its restart policy is not Always, as with those of Jobs. What the API
// server asks kubelets for, such as logs, is not served here.
//
// What clouds and ingress controllers would add is simulated too, so that everything can become healthy: volumes for
// claims of any storage class, addresses for load balancers and for ingresses. The annotation never-ready on one of
// these leaves it without.
package kwok

import (
	"context"
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/kwok/pkg/client/clientset/versioned"
	"sigs.k8s.io/kwok/pkg/kwok/controllers"
	"sigs.k8s.io/kwok/pkg/utils/client"
)

const (
	podRange    = "10.244.0.0/16"
	nodeIP      = "127.0.0.1"
	parallelism = 16
)

// Run plays the kubelets of all nodes until ctx ends, and calls started as soon as it does. Nodes that users add tell
// that their kubelet serves on port.
//
// Nodes have no leases. With them kwok looks at the pods that a node has from before once, when it has made the node's
// lease, and passes over them if it has not read that lease back by then: they would stay as they are. And one who has
// no rival needs no lease; how long nodes live without one is for the controllers to say.
func Run(ctx context.Context, kubeconfig string, port uint16, started func()) error {
	config, err := configure(kubeconfig, port)
	if err != nil {
		return fmt.Errorf("cannot set up kwok: %w", err)
	}
	controller, err := controllers.NewController(config)
	if err != nil {
		return fmt.Errorf("cannot set up kwok: %w", err)
	}
	if err := controller.Start(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("cannot start kwok: %w", err)
	}
	started()
	<-ctx.Done()
	return nil
}

func configure(kubeconfig string, port uint16) (controllers.Config, error) {
	set, err := client.NewClientset("", kubeconfig)
	if err != nil {
		return controllers.Config{}, err
	}
	config := controllers.Config{
		Clock:                      clock.RealClock{},
		ManageAllNodes:             true,
		CIDR:                       podRange,
		NodeIP:                     nodeIP,
		NodePort:                   int(port),
		NodePlayStageParallelism:   4,
		PodPlayStageParallelism:    parallelism,
		PodsOnNodeSyncParallelism:  4,
		ImpersonatingDynamicClient: set.ToImpersonatingDynamicClient(),
		ImpersonatingTypedClient:   set.ToImpersonatingTypedClient(),
	}
	if config.LocalStages, err = stages(); err != nil {
		return config, err
	}
	return config, connect(&config, set)
}

func connect(config *controllers.Config, set client.Clientset) error {
	rc, err := set.ToRESTConfig()
	if err != nil {
		return err
	}
	if config.DynamicClient, err = set.ToDynamicClient(); err != nil {
		return err
	}
	if config.RESTMapper, err = set.ToRESTMapper(); err != nil {
		return err
	}
	if config.RESTClient, err = rest.RESTClientFor(rc); err != nil {
		return err
	}
	if config.TypedClient, err = kubernetes.NewForConfig(rc); err != nil {
		return err
	}
	config.TypedKwokClient, err = versioned.NewForConfig(rc)
	return err
}

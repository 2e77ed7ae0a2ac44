package definition

import (
	"context"
	"fmt"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// patience is how long a definition may be on its way out until the API server is had to look at it again, and how
// often that is done.
const patience = 5 * time.Second

// Finish has the API server look again at definitions that are being deleted and do not go, until ctx ends. It cleans up
// after one on events, and misses one where it meets what it has just written itself: then nothing happens until it
// goes through all of them, every five minutes. A definition that is deleted as soon as it is there, on a busy machine,
// met that one time in a hundred.
func Finish(ctx context.Context, config *rest.Config) error {
	client, err := clientset.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("cannot make a client for definitions: %w", err)
	}
	light, err := metadata.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("cannot make a client for what definitions are called: %w", err)
	}
	tick := time.NewTicker(patience)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		for _, name := range leaving(ctx, light) {
			if err := touch(ctx, client, name); err != nil {
				klog.FromContext(ctx).Info("a definition that is being deleted is looked at in a while", "name", name, "reason", err.Error())
			}
		}
	}
}

// leaving are the definitions that have been on their way out for a while. Whole ones would be large.
func leaving(ctx context.Context, client metadata.Interface) []string {
	all := client.Resource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"))
	found, err := all.List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return nil // the next look comes soon
	}
	var out []string
	for i := range found.Items {
		d := &found.Items[i]
		if d.DeletionTimestamp != nil && time.Since(d.DeletionTimestamp.Time) > patience && slices.Contains(d.Finalizers, apiextensionsv1.CustomResourceCleanupFinalizer) {
			out = append(out, d.Name)
		}
	}
	return out
}

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
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// patience is how long a definition may be on its way out until the API server is had to look at it again, and how
// often that is done.
const patience = 5 * time.Second

// Finish has the API server look again at definitions that are being deleted and do not go, until ctx ends. It cleans up
// after one on events, and misses one where it meets what it has just written itself: then nothing happens until it
// goes through all of them, every five minutes. Of definitions that are deleted as soon as they are there, on a busy
// machine, that was about one in a hundred.
func Finish(ctx context.Context, config *rest.Config) error {
	client, err := clientset.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("cannot make a client for definitions: %w", err)
	}
	light, err := metadata.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("cannot make a client for what definitions are called: %w", err)
	}
	queue := workqueue.NewTypedDelayingQueue[string]()
	informer, err := watched(light, queue)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, queue.ShutDown)()
	go informer.RunWithContext(ctx)
	for {
		name, ended := queue.Get()
		if ended {
			return nil
		}
		if o, there, _ := informer.GetStore().GetByKey(name); there && leaves(o) {
			if err := touch(ctx, client, name); err != nil {
				klog.FromContext(ctx).Info("a definition that is being deleted is looked at in a while", "name", name, "reason", err.Error())
			}
			queue.AddAfter(name, patience)
		}
		queue.Done(name)
	}
}

// watched follows what definitions are called, and puts those that are on their way out into the queue for later.
func watched(client metadata.Interface, queue workqueue.TypedDelayingInterface[string]) (cache.SharedIndexInformer, error) {
	all := apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")
	informer := metadatainformer.NewFilteredMetadataInformer(client, all, "", 0, cache.Indexers{}, nil).Informer()
	if err := informer.SetTransform(slim); err != nil {
		return nil, fmt.Errorf("cannot watch the definitions: %w", err)
	}
	later := func(o any) {
		if leaves(o) {
			queue.AddAfter(o.(*metav1.PartialObjectMetadata).Name, patience)
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: later, UpdateFunc: func(_, o any) { later(o) }})
	if err != nil {
		return nil, fmt.Errorf("cannot watch the definitions: %w", err)
	}
	return informer, nil
}

// slim keeps what is asked for: annotations may have the whole definition once more.
func slim(o any) (any, error) {
	if d, ok := o.(*metav1.PartialObjectMetadata); ok {
		d.Annotations, d.Labels, d.ManagedFields = nil, nil, nil
	}
	return o, nil
}

// leaves reports whether a definition is being deleted and has to be cleaned up after.
func leaves(o any) bool {
	d, ok := o.(*metav1.PartialObjectMetadata)
	return ok && d.DeletionTimestamp != nil && slices.Contains(d.Finalizers, apiextensionsv1.CustomResourceCleanupFinalizer)
}

package witness

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/causeway-gitops/causeway/test/faults/scene"
)

// Read lists the objects of a scene, and compares those of its own definition
// itself: they are not part of what it returns.
func Read(ctx context.Context, client dynamic.Interface, s *scene.Scene, commit int) (map[scene.Key]*unstructured.Unstructured, error) {
	out := map[scene.Key]*unstructured.Unstructured{}
	for _, kind := range watched {
		namespace := s.Namespace
		if kind.Resource == "applications" {
			namespace = s.Control
		}
		list, err := client.Resource(kind).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			o := &list.Items[i]
			if namespace == s.Namespace || SceneOf(o.GetName()) == s.Namespace {
				out[scene.Key{Kind: o.GetKind(), Name: o.GetName()}] = o
			}
		}
	}
	for _, o := range s.Commits[commit] {
		if o.Kind != "Gadget" {
			continue
		}
		gadgets := schema.GroupVersionResource{Group: s.Group(), Version: "v1", Resource: "gadgets"}
		live, err := client.Resource(gadgets).Namespace(s.Namespace).Get(ctx, o.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("%s is missing", o.Key)
		}
		if err != nil {
			return nil, err
		}
		if at := contains(live.Object, s.Fields(o), ""); at != "" {
			return nil, fmt.Errorf("%s: %s", o.Key, at)
		}
	}
	return out, nil
}

// Gone tells what a scene has left behind after its applications were
// deleted. Hooks stay where no policy deletes them.
func Gone(live map[scene.Key]*unstructured.Unstructured) error {
	for key, o := range live {
		if key.Kind == "Application" {
			return fmt.Errorf("%s is still there: finalizers %v", key, o.GetFinalizers())
		}
		if o.GetAnnotations()[scene.ContentAnnotation] != "" && !strings.HasPrefix(key.Name, "hook-") {
			return fmt.Errorf("%s is still there", key)
		}
	}
	return nil
}

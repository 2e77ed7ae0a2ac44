// Package definition takes up what a killed API server left half done with a CustomResourceDefinition.
package definition

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// Resume has the API server look again at definitions whose names it accepted and which it did not establish. It
// establishes one on the event of accepted names alone: when it is killed in between, nothing happens until it goes
// through all of them, every five minutes.
func Resume(ctx context.Context, config *rest.Config) error {
	client, err := clientset.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("cannot make a client for definitions: %w", err)
	}
	definitions := client.ApiextensionsV1().CustomResourceDefinitions()
	found, err := definitions.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("cannot list the definitions: %w", err)
	}
	for i := range found.Items {
		d := &found.Items[i]
		if !halfDone(d) {
			continue
		}
		if err := touch(ctx, client, d.Name); err != nil {
			return err
		}
	}
	return nil
}

// touch changes a definition in nothing but a time, which is an event.
func touch(ctx context.Context, client clientset.Interface, name string) error {
	all := client.ApiextensionsV1().CustomResourceDefinitions()
	d, err := all.Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		if accepted := apihelpers.FindCRDCondition(d, apiextensionsv1.NamesAccepted); accepted != nil {
			accepted.LastTransitionTime = metav1.Now()
		}
		_, err = all.UpdateStatus(ctx, d, metav1.UpdateOptions{})
	}
	if err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) { // a change by somebody else is an event as well
		return fmt.Errorf("cannot touch the definition %s: %w", name, err)
	}
	return nil
}

func halfDone(d *apiextensionsv1.CustomResourceDefinition) bool {
	return apihelpers.IsCRDConditionTrue(d, apiextensionsv1.NamesAccepted) && !apihelpers.IsCRDConditionTrue(d, apiextensionsv1.Established)
}

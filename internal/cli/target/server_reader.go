package target

import (
	"context"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/client"
)

// served reads from a server what commands else read from the hub, so that they
// print the same. It has what an API of Applications has, and writes nothing:
// what is asked of Applications has routes of its own.
type served struct {
	ctrl.Client // nil: what is not below is not asked

	server    *client.Client
	namespace string
}

// Get implements client.Reader.
func (s *served) Get(ctx context.Context, key ctrl.ObjectKey, o ctrl.Object, _ ...ctrl.GetOption) error {
	switch into := o.(type) {
	case *v1alpha1.Application:
		app, err := s.server.Application(ctx, client.Key{Namespace: key.Namespace, Name: key.Name})
		if err != nil {
			return missing(err, "applications", key.Name)
		}
		*into = *app
		return nil
	case *v1alpha1.ApplicationSet:
		list, err := s.server.ApplicationSets(ctx, "")
		if err != nil {
			return err
		}
		for i := range list {
			if list[i].Name == key.Name && list[i].Namespace == key.Namespace {
				*into = list[i]
				return nil
			}
		}
		return notFound("applicationsets", key.Name)
	}
	return ErrServed("that")
}

// missing is an answer that something is not there, or not for who asks, as
// an API server would say it.
func missing(err error, resource, name string) error {
	if client.Is(err, http.StatusNotFound) {
		return notFound(resource, name)
	}
	return err
}

func notFound(resource, name string) error {
	return apierrors.NewNotFound(schema.GroupResource{Group: v1alpha1.Group, Resource: resource}, name)
}

// List implements client.Reader.
func (s *served) List(ctx context.Context, l ctrl.ObjectList, options ...ctrl.ListOption) error {
	var o ctrl.ListOptions
	for _, option := range options {
		option.ApplyToList(&o)
	}
	selector := ""
	if o.LabelSelector != nil {
		selector = o.LabelSelector.String()
	}
	switch into := l.(type) {
	case *v1alpha1.ApplicationList:
		list, err := s.server.Applications(ctx, o.Namespace, selector)
		into.Items = list
		return err
	case *v1alpha1.ApplicationSetList:
		list, err := s.server.ApplicationSets(ctx, selector)
		into.Items = list
		return err
	case *v1alpha1.AppProjectList:
		list, err := s.server.Projects(ctx)
		for i := range list {
			if o.LabelSelector == nil || o.LabelSelector.Matches(labels.Set(list[i].Labels)) {
				into.Items = append(into.Items, list[i])
			}
		}
		return err
	}
	return ErrServed("that list")
}

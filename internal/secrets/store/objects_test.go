package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

var errAway = errors.New("the API server is away")

// objects are what an API server has, by their kinds and names.
type objects map[string]client.Object

func objectsOf(all ...client.Object) objects {
	out := objects{}
	for _, one := range all {
		out[fmt.Sprintf("%s %s", reflect.TypeOf(one).Elem().Name(), client.ObjectKeyFromObject(one))] = one
	}
	return out
}

func (o objects) Get(_ context.Context, name client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if name.Name == "away" {
		return errAway
	}
	kind := reflect.TypeOf(into).Elem().Name()
	if meta, ok := into.(*metav1.PartialObjectMetadata); ok {
		there, ok := o[meta.Kind+" "+name.String()]
		if !ok {
			return apierrors.NewNotFound(schema.GroupResource{Resource: meta.Kind}, name.Name)
		}
		meta.Labels = there.GetLabels()
		return nil
	}
	there, ok := o[kind+" "+name.String()]
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{Resource: kind}, name.Name)
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(there).Elem())
	return nil
}

func (objects) List(context.Context, client.ObjectList, ...client.ListOption) error { return errAway }

func meta(namespace, name string, labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}
}

func secretOf(namespace, name string, labels map[string]string, pairs ...string) *corev1.Secret {
	one := &corev1.Secret{ObjectMeta: meta(namespace, name, labels), Data: map[string][]byte{}}
	for i := 0; i < len(pairs); i += 2 {
		one.Data[pairs[i]] = []byte(pairs[i+1])
	}
	return one
}

func selector(namespace, name, key string) esv1.SecretKeySelector {
	return esv1.SecretKeySelector{Namespace: namespace, Name: name, Key: key}
}

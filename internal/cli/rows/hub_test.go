package rows

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
)

// kept is what a hub has, as lists of it answer.
type kept struct {
	client.Client

	secrets []corev1.Secret
	apps    []v1alpha1.Application
	err     error
}

func (k *kept) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return errors.New("it is not there")
}

func (k *kept) List(_ context.Context, into client.ObjectList, options ...client.ListOption) error {
	var o client.ListOptions
	for _, option := range options {
		option.ApplyToList(&o)
	}
	switch list := into.(type) {
	case *corev1.SecretList:
		for i := range k.secrets {
			if o.LabelSelector.Matches(labels.Set(k.secrets[i].Labels)) {
				list.Items = append(list.Items, k.secrets[i])
			}
		}
	case *v1alpha1.ApplicationList:
		list.Items = k.apps
	}
	return k.err
}

// secretOf is a Secret of a kind that the engine reads.
func secretOf(kind, name string, data map[string]string, more map[string]string) corev1.Secret {
	s := corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "argocd", Labels: map[string]string{v1alpha1.LabelSecretType: kind}}, Data: map[string][]byte{}}
	for key, value := range data {
		s.Data[key] = []byte(value)
	}
	for key, value := range more {
		s.Labels[key] = value
	}
	return s
}

// reading is an Application that reads sources.
func reading(name string, sources ...v1alpha1.ApplicationSource) v1alpha1.Application {
	app := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "argocd"}}
	app.Spec.Sources = sources
	return app
}

func served(t *testing.T, routes map[string]any) *target.Hub {
	t.Helper()
	h, err := target.Reach(&command.Global{Server: command.ServerFlags{Address: clitest.NewDesk(t, routes).URL}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func selecting(t *testing.T, text string) labels.Selector {
	t.Helper()
	s, err := labels.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// configOf leads to a server with the token that it wants.
func configOf(url string) *rest.Config {
	return &rest.Config{Host: url, BearerToken: clitest.Token}
}

// closed is where nobody listens any more.
func closed() string {
	s := httptest.NewServer(nil)
	defer s.Close()
	return s.URL
}

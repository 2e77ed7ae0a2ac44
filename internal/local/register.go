package local

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/conflict"
)

// FieldManager owns what `up` writes to the hub.
const FieldManager = "causeway-up"

// Register writes the Secret of each running cluster to the hub, where that is
// not somebody else's matter.
func (r *Running) Register(ctx context.Context) error {
	client, err := r.hubClient()
	if err != nil {
		return err
	}
	if err := ensureNamespace(ctx, client, r.Fleet.Namespace); err != nil {
		return err
	}
	if r.Fleet.Undescribed {
		return nil
	}
	bridges, err := readBridges(r.Fleet)
	if err != nil {
		return err
	}
	for i, c := range r.Fleet.Clusters {
		if err := r.register(ctx, client.CoreV1().Secrets(r.Fleet.Namespace), c, bridges[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *Running) register(ctx context.Context, secrets typed.SecretInterface, c Cluster, secret *corev1.Secret) error {
	config, err := r.Config(c.Name)
	if err != nil {
		return err
	}
	if err := connect(secret, c, config); err != nil {
		return err
	}
	last, err := readApplied(r.Home.applied(c.Name))
	if err != nil {
		return err
	}
	fromFile := marks{Labels: secret.Labels, Annotations: secret.Annotations}
	if err := write(ctx, secrets, secret, last); err != nil {
		return fmt.Errorf("cannot write the Secret of cluster %s to the hub: %w", c.Name, err)
	}
	return writeApplied(r.Home.applied(c.Name), fromFile)
}

// write creates the Secret, or brings the one that is there up to date.
func write(ctx context.Context, secrets typed.SecretInterface, wanted *corev1.Secret, last marks) error {
	return conflict.While(racy, func() error {
		live, err := secrets.Get(ctx, wanted.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			_, err = secrets.Create(ctx, wanted, metav1.CreateOptions{FieldManager: FieldManager})
			return err
		}
		if err != nil {
			return err
		}
		live.Labels = merged(last.Labels, wanted.Labels, live.Labels)
		live.Annotations = merged(last.Annotations, wanted.Annotations, live.Annotations)
		if live.Data == nil {
			live.Data = map[string][]byte{}
		}
		for key, value := range wanted.Data {
			live.Data[key] = value
		}
		_, err = secrets.Update(ctx, live, metav1.UpdateOptions{FieldManager: FieldManager})
		return err
	})
}

func racy(err error) bool { return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) }

func ensureNamespace(ctx context.Context, client kubernetes.Interface, name string) error {
	wanted := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := client.CoreV1().Namespaces().Create(ctx, wanted, metav1.CreateOptions{FieldManager: FieldManager})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("cannot make namespace %s on the hub: %w", name, err)
	}
	return nil
}

func (r *Running) hubClient() (kubernetes.Interface, error) {
	config, err := r.HubConfig()
	if err != nil {
		return nil, err
	}
	return clientFor(config)
}

func clientFor(config *rest.Config) (kubernetes.Interface, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for the hub: %w", err)
	}
	return client, nil
}

package secretfleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/deploy"
)

// errDefining is of a kind that the API server was told of, and does not serve yet.
var errDefining = errors.New("the API server does not serve it yet")

// define brings the kinds where there are none, and waits until they are served.
// Beside definitions of others none is created, and theirs stay as they are: a later
// release of the operator's chart would fail at one that it does not own.
func define(ctx context.Context, c client.Client) error {
	all, err := deploy.SecretCRDs()
	if err != nil {
		return err
	}
	const look, most = 200 * time.Millisecond, 30 * time.Second
	tick, end := time.NewTicker(look), time.After(most)
	defer tick.Stop()
	for {
		err := defineAll(ctx, c, all)
		if !errors.Is(err, errDefining) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-end:
			return err
		case <-tick.C:
		}
	}
}

func defineAll(ctx context.Context, c client.Client, all []*apiextensionsv1.CustomResourceDefinition) error {
	there, err := definitions(ctx, c, all)
	if err != nil {
		return err
	}
	theirs := slices.ContainsFunc(there, func(now *apiextensionsv1.CustomResourceDefinition) bool {
		return now != nil && now.Labels[labelManagedBy] != managedBy
	})
	var defining error
	for i, crd := range all {
		err := defineOne(ctx, c, crd.DeepCopy(), there[i], theirs)
		if errors.Is(err, errDefining) {
			defining = err
			continue
		}
		if err != nil {
			return err
		}
	}
	return defining
}

// definitions are those that are there, nil for each that is not.
func definitions(ctx context.Context, c client.Client, all []*apiextensionsv1.CustomResourceDefinition) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	there := make([]*apiextensionsv1.CustomResourceDefinition, len(all))
	for i, crd := range all {
		var now apiextensionsv1.CustomResourceDefinition
		err := c.Get(ctx, client.ObjectKeyFromObject(crd), &now)
		if client.IgnoreNotFound(err) != nil {
			return nil, cannotDefine(crd, err)
		}
		if err == nil {
			there[i] = &now
		}
	}
	return there, nil
}

// labelManagedBy has managedBy on the definitions that are created here.
const labelManagedBy, managedBy = "app.kubernetes.io/managed-by", "causeway"

// watched are the kinds without which nothing can be reconciled.
var watched = []string{esv1.ExternalSecretKind, esv1.SecretStoreKind, esv1.ClusterSecretStoreKind}

// defineOne creates a definition that is lacking, and judges one that is there.
func defineOne(ctx context.Context, c client.Client, crd, now *apiextensionsv1.CustomResourceDefinition, theirs bool) error {
	kind, version := crd.Spec.Names.Kind, crd.Spec.Versions[0].Name
	switch {
	case now == nil && theirs && slices.Contains(watched, kind):
		return fmt.Errorf("others defined External Secrets' kinds, and not %s: create its definition as they did", kind)
	case now == nil && theirs:
		return nil
	case now == nil:
		metav1.SetMetaDataLabel(&crd.ObjectMeta, labelManagedBy, managedBy)
		if err := c.Create(ctx, crd); err != nil && !apierrors.IsAlreadyExists(err) {
			return cannotDefine(crd, err)
		}
		return fmt.Errorf("%s: %w", kind, errDefining)
	case !serves(*now, version) && !slices.Contains(watched, kind):
		return nil // who needs it waits for it
	case !serves(*now, version):
		return fmt.Errorf("the definition of %s that is there does not serve %s/%s: update External Secrets' definitions", kind, crd.Spec.Group, version)
	case !apihelpers.IsCRDConditionTrue(now, apiextensionsv1.Established):
		return fmt.Errorf("%s: %w", kind, errDefining)
	}
	return nil
}

func cannotDefine(crd *apiextensionsv1.CustomResourceDefinition, err error) error {
	return fmt.Errorf("cannot define the kind %s: %w", crd.Spec.Names.Kind, err)
}

func serves(crd apiextensionsv1.CustomResourceDefinition, version string) bool {
	return slices.ContainsFunc(crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
		return v.Name == version && v.Served
	})
}

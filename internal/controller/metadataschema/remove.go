package metadataschema

import (
	"context"
	"errors"
	"fmt"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// policies are those that schemas of the namespace became, by their heads.
func (r *Reconciler) policies(ctx context.Context) ([]metav1.PartialObjectMetadata, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(admissionv1.SchemeGroupVersion.WithKind(policyKind + "List"))
	if err := r.Hub.List(ctx, list, client.MatchingLabels{labelOf: r.Namespace}); err != nil {
		return nil, err
	}
	return list.Items, nil
}

// remove takes away the policies of a schema that is gone.
func (r *Reconciler) remove(ctx context.Context, schema types.NamespacedName) error {
	r.clean.Delete(schema)
	return errors.Join(r.delete(ctx, schema, policyName(schema)), r.removeOld(ctx, schema))
}

// tidy takes away once what earlier versions called otherwise.
func (r *Reconciler) tidy(ctx context.Context, schema types.NamespacedName) error {
	if _, done := r.clean.Load(schema); done {
		return nil
	}
	if err := r.removeOld(ctx, schema); err != nil {
		return err
	}
	r.clean.Store(schema, true)
	return nil
}

func (r *Reconciler) removeOld(ctx context.Context, schema types.NamespacedName) error {
	all, err := r.policies(ctx)
	if err != nil && !told(err) {
		return fmt.Errorf("cannot list the policies of MetadataSchemas: %w", err)
	}
	var errs []error
	for i := range all {
		if p := &all[i]; of(schema, p) && p.Name != policyName(schema) {
			errs = append(errs, r.delete(ctx, schema, p.Name))
		}
	}
	return errors.Join(errs...)
}

// delete deletes the binding and the policy of a name, if they are the
// schema's. The policy, by which both are found, goes last.
func (r *Reconciler) delete(ctx context.Context, schema types.NamespacedName, name string) error {
	for _, kind := range []string{bindingKind, policyKind} {
		o, err := r.live(ctx, kind, name)
		if err == nil && o != nil && of(schema, o) {
			err = r.Hub.Delete(ctx, o, client.Preconditions{UID: &o.UID, ResourceVersion: &o.ResourceVersion})
		}
		if err != nil && !apierrors.IsNotFound(err) && !told(err) {
			return fmt.Errorf("cannot delete what MetadataSchema %s made: %w", schema.Name, err)
		}
	}
	return nil
}

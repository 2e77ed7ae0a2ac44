package chronicle

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Deleter is a client of a controller whose deletions are in the audit.
type Deleter struct {
	client.Client

	Chronicle *Chronicle
	// By is the kind that the controller is for.
	By string
}

// Delete implements client.Writer.
func (d Deleter) Delete(ctx context.Context, o client.Object, opts ...client.DeleteOption) error {
	err := d.Client.Delete(ctx, o, opts...)
	if err != nil {
		return err
	}
	kind := reflect.TypeOf(o).Elem().Name()
	entry := &audit.Entry{Verb: "delete", Resource: cmp.Or(resources[kind], kind), Namespace: o.GetNamespace(), Name: o.GetName(), Message: "deleted by " + d.By}
	if owner := metav1.GetControllerOf(o); owner != nil {
		entry.Message = fmt.Sprintf("deleted by %s %s", owner.Kind, owner.Name)
	}
	if app, ok := o.(*v1alpha1.Application); ok {
		entry.Project, entry.Cluster = app.Spec.GetProject(), cmp.Or(app.Spec.Destination.Name, app.Spec.Destination.Server)
		entry.Changes = []audit.Change{{Path: "/metadata/finalizers", Old: strconv.Quote(strings.Join(app.Finalizers, ","))}}
	}
	d.Chronicle.Note(entry)
	return nil
}

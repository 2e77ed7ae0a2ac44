package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Release takes a finalizer from a live object and returns the object as it
// then is; nil when it is gone, or another one has its name.
func (a *Applier) Release(ctx context.Context, c Cluster, live *gitops.Live, finalizer string) (*gitops.Live, error) {
	var object *unstructured.Unstructured
	err := a.mapped(ctx, c, live.Version, live.Key, func(p paths) (err error) {
		object, err = a.release(ctx, c, p.object, finalizer, live.UID)
		return err
	})
	if meta.IsNoMatchError(err) || err == nil && object == nil {
		return nil, nil //nolint:nilnil // nothing is there any more, which is what the caller asked for
	}
	if err != nil {
		return nil, problem("release", &gitops.Action{Key: live.Key, Live: live}, c, err)
	}
	return a.options.Convert(c.Server(), object), nil
}

// letGo takes the finalizer of hooks from one that is about to be deleted.
func (a *Applier) letGo(ctx context.Context, c Cluster, path string, live *gitops.Live) error {
	if live == nil || !slices.Contains(live.Finalizers, gitops.FinalizerHook) {
		return nil
	}
	_, err := a.release(ctx, c, path, gitops.FinalizerHook, live.UID)
	return err
}

// releases bounds how often an object is read again that changes meanwhile.
const releases = 5

func (a *Applier) release(ctx context.Context, c Cluster, path, finalizer string, uid types.UID) (*unstructured.Unstructured, error) {
	for range releases {
		object, err := a.get(ctx, c, path)
		if isGone(err) || err == nil && uid != "" && object.GetUID() != uid {
			return nil, nil //nolint:nilnil // it is gone
		}
		if err != nil || !slices.Contains(object.GetFinalizers(), finalizer) {
			return object, err
		}
		object, err = a.withoutFinalizer(ctx, c, path, slices.Index(object.GetFinalizers(), finalizer), finalizer)
		switch {
		case err == nil:
			return object, nil
		case apierrors.IsNotFound(err):
			return nil, nil //nolint:nilnil // it is gone
		case !apierrors.IsInvalid(err):
			return nil, err
		}
	}
	return nil, fmt.Errorf("cannot take finalizer %s from it: %w", finalizer, errBusy)
}

var errBusy = errors.New("it changes all the time")

// withoutFinalizer takes away the finalizer at an index, if it is still there;
// the API server calls the patch invalid where it is not.
func (a *Applier) withoutFinalizer(ctx context.Context, c Cluster, path string, index int, finalizer string) (*unstructured.Unstructured, error) {
	at := fmt.Sprintf("/metadata/finalizers/%d", index)
	body, err := json.Marshal([]map[string]string{
		{"op": "test", "path": at, "value": finalizer},
		{"op": "remove", "path": at},
	})
	if err != nil {
		return nil, fmt.Errorf("cannot encode the finalizers: %w", err)
	}
	got, err := a.send(ctx, c, call{
		verb: http.MethodPatch, path: path, patch: types.JSONPatchType, body: body,
		query: map[string]string{"fieldManager": gitops.FieldManager},
	})
	if err != nil {
		return nil, err
	}
	return got.object()
}

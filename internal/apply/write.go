package apply

import (
	"context"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// write brings one object to its desired form and returns it as it then is.
func (a *Applier) write(ctx context.Context, c Cluster, action *gitops.Action) (*gitops.Live, string, error) {
	var got answer
	err := a.mapped(ctx, c, kindOf(action), func(m *meta.RESTMapping) (err error) {
		got, err = a.writeMapped(ctx, c, m, action)
		return err
	})
	if err != nil {
		return nil, "", problem("apply", action, c, err)
	}
	object, err := got.object()
	if err != nil {
		return nil, "", problem("apply", action, c, err)
	}
	if isCRD(action.Key) {
		a.lane(c.Server()).fresh.add(object)
	}
	live := a.options.Convert(object)
	a.options.Remember(c.Server(), action.Key, action.Digest, live.Fingerprint)
	return live, told(got, action, live), nil
}

func kindOf(a *gitops.Action) schema.GroupVersionKind {
	if a.Desired != nil {
		return a.Desired.Object.GroupVersionKind()
	}
	return a.Live.Version
}

func told(got answer, action *gitops.Action, live *gitops.Live) string {
	switch {
	case got.code == http.StatusCreated:
		return "created"
	case action.Live != nil && action.Live.ResourceVersion == live.ResourceVersion:
		return "unchanged"
	}
	return "configured"
}

// writeMapped picks the way of writing. The ordinary one is a single request.
func (a *Applier) writeMapped(ctx context.Context, c Cluster, m *meta.RESTMapping, action *gitops.Action) (answer, error) {
	body, err := action.Desired.Object.MarshalJSON()
	if err != nil {
		return answer{}, fmt.Errorf("cannot encode the object: %w", err)
	}
	path := objectPath(m, action.Key)
	switch {
	case action.Recreate, action.Live != nil && action.Options.Replace && action.Options.Force:
		return a.recreate(ctx, c, path, action, body)
	case action.Live != nil && action.Options.Replace:
		return a.replace(ctx, c, path, action, body)
	case action.Live != nil && action.Live.Foreign:
		if err := a.takeOver(ctx, c, path); err != nil {
			return answer{}, err
		}
	}
	got, err := a.apply(ctx, c, path, action, body)
	if err != nil && action.Options.Force && (apierrors.IsInvalid(err) || immutable(err)) {
		return a.recreate(ctx, c, path, action, body)
	}
	return got, err
}

// apply is one server-side apply. Conflicts are won: Git says what is right.
func (a *Applier) apply(ctx context.Context, c Cluster, path string, action *gitops.Action, body []byte) (answer, error) {
	return a.send(ctx, c, applyCall(path, action, body))
}

func applyCall(path string, action *gitops.Action, body []byte) call {
	query := map[string]string{"fieldManager": gitops.FieldManager, "force": "true"}
	if !action.Options.Validate {
		query["fieldValidation"] = "Ignore"
	}
	return call{path: path, patch: types.ApplyPatchType, query: query, body: body}
}

// replace writes the whole object, and then owns its fields, so that later
// drift is seen.
func (a *Applier) replace(ctx context.Context, c Cluster, path string, action *gitops.Action, body []byte) (answer, error) {
	live, err := a.get(ctx, c, path)
	if err != nil {
		return answer{}, err
	}
	next := &unstructured.Unstructured{Object: action.Desired.Object.DeepCopy().Object}
	next.SetResourceVersion(live.GetResourceVersion())
	whole, err := next.MarshalJSON()
	if err != nil {
		return answer{}, fmt.Errorf("cannot encode the object: %w", err)
	}
	put := call{verb: http.MethodPut, path: path, query: map[string]string{"fieldManager": gitops.FieldManager}, body: whole}
	if _, err := a.send(ctx, c, put); err != nil {
		return answer{}, err
	}
	return a.apply(ctx, c, path, action, body)
}

// recreate deletes the live object and creates the desired one.
func (a *Applier) recreate(ctx context.Context, c Cluster, path string, action *gitops.Action, body []byte) (answer, error) {
	if err := a.deleteAndWait(ctx, c, path); err != nil {
		return answer{}, err
	}
	return a.apply(ctx, c, path, action, body)
}

func (a *Applier) get(ctx context.Context, c Cluster, path string) (*unstructured.Unstructured, error) {
	got, err := a.send(ctx, c, call{verb: http.MethodGet, path: path})
	if err != nil {
		return nil, err
	}
	return got.object()
}

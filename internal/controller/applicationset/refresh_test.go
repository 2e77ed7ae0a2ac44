package applicationset

import (
	"context"
	"errors"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func annotated(value string) *v1alpha1.ApplicationSet {
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "addons"}}
	if value != "" {
		set.Annotations = map[string]string{v1alpha1.AnnotationApplicationSetRefresh: value}
	}
	return set
}

func TestRefreshAsked(t *testing.T) {
	for name, c := range map[string]struct {
		reason, before, now string
		want                bool
	}{
		"never":     {"nobody asks", "", "", false},
		"asked":     {"somebody does", "", "true", true},
		"waits":     {"it is under way", "true", "true", false},
		"once more": {"another value is another request", "1", "2", true},
		"withdrawn": {"the engine took it away itself", "true", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := RefreshAsked().Update(event.UpdateEvent{ObjectOld: annotated(c.before), ObjectNew: annotated(c.now)}); got != c.want {
				t.Errorf("%s: got %v", c.reason, got)
			}
		})
	}
}

// patched is a client that keeps the patch it is given.
type patched struct {
	client.Client

	data []byte
	err  error
}

func (p *patched) Patch(_ context.Context, o client.Object, patch client.Patch, _ ...client.PatchOption) (err error) {
	if p.data, err = patch.Data(o); err != nil {
		return err
	}
	return p.err
}

func TestRefresh(t *testing.T) {
	sets := schema.GroupResource{Group: v1alpha1.Group, Resource: "applicationsets"}
	mismatch := &apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusUnprocessableEntity, Message: "testing value failed"}}
	for name, c := range map[string]struct {
		reason, value string
		err           error
		wantErr       bool
	}{
		"none":      {reason: "nothing is forgotten, and nothing written, without a request"},
		"one":       {reason: "it is taken away", value: "true"},
		"refused":   {reason: "it would be done again and again", value: "true", err: apierrors.NewForbidden(sets, "addons", errors.New("no")), wantErr: true},
		"set gone":  {reason: "nothing is left to do", value: "true", err: apierrors.NewNotFound(sets, "addons")},
		"new value": {reason: "a later request stays, and is seen", value: "true", err: mismatch},
	} {
		t.Run(name, func(t *testing.T) {
			var anew []types.NamespacedName
			to := &patched{err: c.err}
			r := New(Options{Client: to, LookAnew: func(set types.NamespacedName) { anew = append(anew, set) }})
			set := annotated(c.value)
			err := r.refresh(t.Context(), set)()
			if (err != nil) != c.wantErr {
				t.Errorf("%s: error %v", c.reason, err)
			}
			if asked := c.value != ""; (len(anew) == 1) != asked || (to.data != nil) != asked {
				t.Errorf("%s: looked anew at %v, wrote %s", c.reason, anew, to.data)
			}
		})
	}
}

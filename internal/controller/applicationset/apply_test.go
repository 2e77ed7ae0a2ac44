package applicationset

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
)

// overtakenBy has Applications that others have changed: it takes no write of the old ones.
type overtakenBy struct {
	client.Client

	patch  []byte
	delete client.DeleteOptions
}

func (o *overtakenBy) conflict() error {
	return apierrors.NewConflict(schema.GroupResource{Resource: "applications"}, "shop", errors.New("it has changed"))
}

func (o *overtakenBy) Patch(_ context.Context, obj client.Object, p client.Patch, _ ...client.PatchOption) error {
	o.patch, _ = p.Data(obj)
	return o.conflict()
}

func (o *overtakenBy) Delete(_ context.Context, _ client.Object, opts ...client.DeleteOption) error {
	o.delete.ApplyOptions(opts)
	return o.conflict()
}

// What a set writes and deletes are the Applications that it judged. One that
// others have changed since is judged again, and that is no failure of the set.
func TestApplicationsAreWrittenAsJudged(t *testing.T) {
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "addons"}}
	shop := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "shop", UID: "uid-1", ResourceVersion: "7"}}
	old := shop
	old.Name = "old"
	changed := shop
	changed.UID, changed.Spec.Project = "", "blue"
	api := &overtakenBy{}
	r := New(Options{Client: api, Readers: NewReaders(), Log: slog.New(slog.DiscardHandler)})
	changes := &generate.Changes{Update: []v1alpha1.Application{changed}, Delete: []v1alpha1.Application{old}}
	_, out := r.apply(t.Context(), set, []v1alpha1.Application{shop, old}, changes)

	if !out.late || len(out.failed) > 0 {
		t.Errorf("it is to look again (%t), and tells of %v", out.late, out.failed)
	}
	var sent struct {
		Metadata struct {
			UID             types.UID `json:"uid"`
			ResourceVersion string    `json:"resourceVersion"`
		} `json:"metadata"`
		Spec struct {
			Project string `json:"project"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(api.patch, &sent); err != nil || sent.Metadata.UID != "uid-1" || sent.Metadata.ResourceVersion != "7" || sent.Spec.Project != "blue" {
		t.Errorf("the patch is %s (%v)", api.patch, err)
	}
	version, uid := "7", types.UID("uid-1")
	if diff := cmp.Diff(&metav1.Preconditions{UID: &uid, ResourceVersion: &version}, api.delete.Preconditions); diff != "" {
		t.Errorf("what is deleted (-want +got):\n%s", diff)
	}
}

func TestJoined(t *testing.T) {
	a, b := errors.New("cannot create application a"), errors.New("cannot create application b")
	if one, other := joined([]error{a, b}).Error(), joined([]error{b, a}).Error(); one != other {
		t.Errorf("the order of failures shows: %q and %q", one, other)
	}
	if err := joined(nil); err != nil {
		t.Errorf("got %v of no failure", err)
	}
}

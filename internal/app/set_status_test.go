package app

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/report"
)

// TestStatusOfASetIsNoneOfTheNext: a set is deleted and made anew under its name while
// its status is being written.
func TestStatusOfASetIsNoneOfTheNext(t *testing.T) {
	e := prepare(t, hubConfig, nil)
	first := e.addons()
	e.bench.Make(first)
	write := func(set *v1alpha1.ApplicationSet, count int64, sync v1alpha1.SyncStatusCode) error {
		before := set.DeepCopy()
		if set.Status.ResourcesCount, set.Status.Resources = count, nil; sync != "" {
			set.Status.Resources = []v1alpha1.ResourceStatus{{Name: "web", Status: sync}}
		}
		return setStatus{e.Client}.Patch(t.Context(), set.DeepCopy(), report.StatusFrom(before))
	}
	read := func() *v1alpha1.ApplicationSet {
		set := &v1alpha1.ApplicationSet{}
		if err := e.Get(t.Context(), client.ObjectKeyFromObject(first), set); err != nil {
			t.Fatal(err)
		}
		return set
	}
	for _, sync := range []v1alpha1.SyncStatusCode{v1alpha1.SyncStatusCodeSynced, v1alpha1.SyncStatusCodeOutOfSync, ""} {
		if err := write(read(), int64(len(sync)), sync); err != nil {
			t.Fatal(err)
		}
		if st := read().Status; st.ResourcesCount != int64(len(sync)) || (len(st.Resources) == 1) != (sync != "") {
			t.Errorf("with %q the status is %+v", sync, st)
		}
	}
	old := read()
	if err := e.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	e.bench.Make(e.addons())
	if err := write(old, 7, ""); !apierrors.IsInvalid(err) {
		t.Errorf("the status of the old set is written: %v", err)
	}
	if n := read().Status.ResourcesCount; n != 0 {
		t.Errorf("the new set has %d Applications of the old one", n)
	}
}

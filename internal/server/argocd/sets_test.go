package argocd

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// ofSets has sets of its own.
type ofSets struct {
	*world

	sets []v1alpha1.ApplicationSet
}

func (s ofSets) ApplicationSets(context.Context) ([]v1alpha1.ApplicationSet, error) {
	return s.sets, nil
}

// setOfBoth is a set of one's project that made Applications of others, too, as
// a templatePatch lets it, and as policies that go by names have it.
func setOfBoth() v1alpha1.ApplicationSet {
	set := v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{
		Namespace: "argocd", Name: "webs", Annotations: map[string]string{"note": "stays", corev1.LastAppliedConfigAnnotation: `{"spec":"of-the-template"}`},
	}}
	set.Spec.Template.Spec.Project, set.Spec.Template.Name = "shop", "of-the-template"
	for _, name := range []string{"web", "dns", "gone"} {
		set.Status.Resources = append(set.Status.Resources, v1alpha1.ResourceStatus{Kind: "Application", Namespace: "argocd", Name: name})
		set.Status.ApplicationStatus = append(set.Status.ApplicationStatus, v1alpha1.ApplicationSetApplicationStatus{Application: name})
	}
	set.Status.ResourcesCount = 3
	since := v1alpha1.NewTime(time.Unix(1000, 0))
	set.Status.Conditions = []v1alpha1.ApplicationSetCondition{{
		Type: v1alpha1.ApplicationSetConditionDeletionHeld, Status: "True", Reason: "MassDeletion", Message: heldText, LastTransitionTime: &since,
	}}
	return set
}

// heldText is what the condition of a held deletion says.
const heldText = "denied: 2 applications would be deleted (2 of 3, where the limit is 50%): dns, web; they are kept"

func ofShop(r *view.Row) bool { return r.Project == "shop" }

// What the conditions of a set say of Applications that somebody may not read is not
// told either: it names and counts them. That it is so, and since when, is.
func TestConditionsOfSetsNameNoHiddenApplications(t *testing.T) {
	w := newWorld()
	held := ofSets{w, []v1alpha1.ApplicationSet{setOfBoth()}}
	h := w.handlerWith(t, held)
	for _, path := range []string{"/v1/applicationsets", "/v1/applicationsets/webs"} {
		got := send(t, h, "reader", http.MethodGet, path, "")
		text := got.Body.String()
		if got.Code != http.StatusOK || strings.Contains(text, "would be deleted") || !strings.Contains(text, `"DeletionHeld"`) || !strings.Contains(text, `"MassDeletion"`) || !strings.Contains(text, "1970-01-01T00:16:40Z") {
			t.Errorf("%s: %d %s", path, got.Code, text)
		}
	}
	s := &server{}
	s.Index, s.MaskSpec = w.index, maskedSpec
	all := func(*view.Row) bool { return true }
	shown, err := s.shownSet(&held.sets[0], all, reach.UnseenOf(w.index.Now().Rows, all))
	if err != nil || shown.Status.Conditions[0].Message != heldText || held.sets[0].Status.Conditions[0].Message != heldText {
		t.Errorf("who may read all is told %+v, %v", shown, err)
	}
}

// An Application that somebody may not see is in no list and no count: that of a
// set as well. What a set says is masked.
func TestSetsNameNoHiddenApplications(t *testing.T) {
	w := newWorld()
	all := ofSets{w, []v1alpha1.ApplicationSet{setOfBoth()}}
	s := &server{}
	s.Index, s.MaskSpec = w.index, maskedSpec
	shown, err := s.shownSet(&all.sets[0], ofShop, reach.UnseenOf(w.index.Now().Rows, ofShop))
	if err != nil {
		t.Fatal(err)
	}
	if r, a := shown.Status.Resources, shown.Status.ApplicationStatus; len(r) != 1 || r[0].Name != "web" || len(a) != 1 || a[0].Application != "web" || shown.Status.ResourcesCount != 1 {
		t.Errorf("it has %+v", shown.Status)
	}
	if len(all.sets[0].Status.Resources) != 3 || len(all.sets[0].Annotations) != 2 {
		t.Error("what the cache has was changed")
	}
	h := w.handlerWith(t, all)
	for _, path := range []string{"/v1/applicationsets", "/v1/applicationsets/webs"} {
		got := send(t, h, "reader", http.MethodGet, path, "")
		text := got.Body.String()
		if got.Code != http.StatusOK || !strings.Contains(text, `"web"`) || strings.Contains(text, `"dns"`) || strings.Contains(text, "of-the-template") || !strings.Contains(text, "stays") {
			t.Errorf("%s: %d %s", path, got.Code, text)
		}
	}
}

// Where nothing is left out, the count is the set's own: its list may be shorter.
func TestSetsOfManyApplications(t *testing.T) {
	w := newWorld()
	set := setOfBoth()
	set.Status.Resources, set.Status.ResourcesCount = set.Status.Resources[:1], 9000
	s := &server{}
	s.Index, s.MaskSpec = w.index, maskedSpec
	shown, err := s.shownSet(&set, func(*view.Row) bool { return true }, &reach.Unseen{})
	if err != nil || shown.Status.ResourcesCount != 9000 {
		t.Errorf("%+v, %v", shown, err)
	}
}

package install

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// refusing is a hub that refuses each write.
type refusing struct {
	client.Client

	err error
	uid *types.UID
}

func (r *refusing) Apply(context.Context, runtime.ApplyConfiguration, ...client.ApplyOption) error {
	return r.err
}

func (r *refusing) Delete(_ context.Context, _ client.Object, options ...client.DeleteOption) error {
	var in client.DeleteOptions
	in.ApplyOptions(options)
	if in.Preconditions != nil {
		r.uid = in.Preconditions.UID
	}
	return r.err
}

// TestWritesThatAreRefused: which object it was, and what somebody can do about it; what
// helps by itself is no advice.
func TestWritesThatAreRefused(t *testing.T) {
	secrets := schema.GroupResource{Resource: "secrets"}
	for name, tc := range map[string]struct {
		reason string
		err    error
		kind   gitops.ProblemKind
		says   []string
	}{
		"Forbidden": {"a right is missing", apierrors.NewForbidden(secrets, "hub", errors.New("no right")), gitops.Refused, []string{"cannot write Secret argocd/hub: ", "have that right granted", "every right that it gets"}},
		"Invalid":   {"the values or the metadata are none", apierrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, "hub", nil), gitops.Invalid, []string{"cannot write Secret argocd/hub: ", "correct the values or the metadata"}},
		"Bad":       {"or cannot even be read", apierrors.NewBadRequest("unknown field"), gitops.Invalid, []string{"unknown field", "correct the values or the metadata"}},
		"Busy":      {"another try may help", apierrors.NewTooManyRequests("busy", 1), -1, []string{"cannot write Secret argocd/hub: busy"}},
	} {
		o := objectNamed(schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, "argocd", "hub")
		i := &installer{client: &refusing{err: tc.err}}
		err := i.write(t.Context(), pending{object: o, diff: plan.ObjectDiff{Verb: gitops.Create, Key: gitops.KeyOf(o)}})
		for _, text := range tc.says {
			if err == nil || !errors.Is(err, tc.err) || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %s: got %v, want %q", name, tc.reason, err, text)
			}
		}
		if known := gitops.IsProblem(err, gitops.Refused, gitops.Invalid); known != (tc.kind >= 0) || known && !gitops.IsProblem(err, tc.kind) {
			t.Errorf("%s: %s: it is another kind of problem: %v", name, tc.reason, err)
		}
	}
}

// TestOnlyWhatWasSeenIsDeleted: one that was made anew under the name meanwhile stays, and
// one that is gone needs no deletion.
func TestOnlyWhatWasSeenIsDeleted(t *testing.T) {
	o := objectNamed(schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, "argocd", "old")
	o.SetUID("1")
	p := pending{object: o, diff: plan.ObjectDiff{Verb: gitops.Prune, Key: gitops.KeyOf(o)}}
	secrets := schema.GroupResource{Resource: "secrets"}
	for name, tc := range map[string]struct {
		err  error
		says string
	}{
		"Seen": {nil, ""}, "Gone": {apierrors.NewNotFound(secrets, "old"), ""},
		"Anew": {apierrors.NewConflict(secrets, "old", errors.New("another UID")), "cannot delete Secret argocd/old: "},
	} {
		hub := &refusing{err: tc.err}
		err := (&installer{client: hub}).write(t.Context(), p)
		if hub.uid == nil || *hub.uid != "1" || (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMissingRightsAreNamedAtOnce, each asked for and named one time.
func TestMissingRightsAreNamedAtOnce(t *testing.T) {
	has := []string{"create pods", "delete pods"}
	clients := fake.NewClientset()
	var asked []string
	var away error
	clients.PrependReactor("create", "selfsubjectaccessreviews", func(a k8stesting.Action) (bool, runtime.Object, error) {
		review := a.(k8stesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview) //nolint:forcetypeassert // of this resource
		about := review.Spec.ResourceAttributes
		asked = append(asked, about.Verb+" "+about.Resource+" "+about.Namespace+" "+about.Name)
		review.Status.Allowed = slices.Contains(has, about.Verb+" "+about.Resource)
		return true, review, away
	})
	all := []Right{
		{Verb: "create", Resource: "pods", Namespace: "a"}, {Verb: "patch", Group: "apps", Resource: "deployments", Namespace: "a", Name: "web"},
		{Verb: "create", Resource: "pods", Namespace: "a"}, {Verb: "patch", Group: "apps", Resource: "deployments", Namespace: "a", Name: "web"}, {Verb: "create", Resource: "namespaces"},
	}
	err := RefuseWithout(t.Context(), clients, all)
	const want = "nothing was written, because these rights are missing: patch deployments.apps web in namespace a; create namespaces; sign in as somebody who has them, or have them granted"
	if !gitops.IsProblem(err, gitops.Refused) || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if !slices.Equal(asked, []string{"create pods a ", "patch deployments a web", "create namespaces  "}) {
		t.Errorf("asked for were %q", asked)
	}
	if err := RefuseWithout(t.Context(), clients, all[:1]); err != nil {
		t.Errorf("with all rights: %v", err)
	}
	away = errors.New("away")
	var untold *UntoldError
	if err := RefuseWithout(t.Context(), clients, all); !errors.As(err, &untold) || !errors.Is(err, away) || err.Error() != "cannot ask whether you may create pods in namespace a: away" {
		t.Errorf("where nobody tells: %v", err)
	}
	if err := RefuseWithout(t.Context(), clients, nil); err != nil {
		t.Errorf("where nothing is to be written: %v", err)
	}
}

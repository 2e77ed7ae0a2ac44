package project

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/policy"
)

// one is a client that knows one project.
type one struct {
	client.Client

	project *v1alpha1.AppProject
	err     error
}

func (o one) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if o.err != nil {
		return o.err
	}
	*into.(*v1alpha1.AppProject) = *o.project
	return nil
}

type heard struct{ texts []string }

func (h *heard) Event(_ client.Object, kind, reason, message string) {
	h.texts = append(h.texts, kind+" "+reason+": "+message)
}

func TestReconcile(t *testing.T) {
	broken := policy.DefaultProject("argocd")
	broken.Spec.SourceRepos = []string{"!*"}
	away := errors.New("the API server is away")
	cases := map[string]struct {
		reason string
		reader one
		event  string
		err    error
	}{
		"valid":   {"nothing to tell", one{project: policy.DefaultProject("argocd")}, "", nil},
		"invalid": {"the event names the field", one{project: broken}, "spec.sourceRepos[0]", nil},
		"gone":    {"its applications have to say so", one{err: apierrors.NewNotFound(schema.GroupResource{Resource: "appprojects"}, "default")}, "", nil},
		"unread":  {"it is tried again", one{err: away}, "", away},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			var woken []string
			events := &heard{}
			r := New(c.reader, events, func(name string) { woken = append(woken, name) }, slog.New(slog.DiscardHandler))
			_, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "argocd", Name: "default"}})
			if !errors.Is(err, c.err) {
				t.Errorf("%s: got the error %v, want %v", c.reason, err, c.err)
			}
			if len(woken) != 1 || woken[0] != "default" {
				t.Errorf("%s: woke the applications of %v", c.reason, woken)
			}
			if told := strings.Join(events.texts, ""); (c.event == "") != (told == "") || !strings.Contains(told, c.event) {
				t.Errorf("%s: told %q, want %q", c.reason, told, c.event)
			}
		})
	}
}

// TestWhoUsesAProject: anybody may write the name of a project into an Application.
func TestWhoUsesAProject(t *testing.T) {
	project := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "shop"}, Spec: v1alpha1.AppProjectSpec{SourceNamespaces: []string{"team-*"}}}
	for name, tc := range map[string]struct {
		reason, namespace, project string
		want                       bool
	}{
		"Control": {"it is the operator's", "argocd", "shop", true},
		"Listed":  {"its namespace is listed", "team-a", "shop", true},
		"Others":  {"its namespace is not listed: it is never deployed, and keeps nothing", "elsewhere", "shop", false},
		"Another": {"it is of another project", "argocd", "default", false},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: tc.namespace}, Spec: v1alpha1.ApplicationSpec{Project: tc.project}}
			if got := uses(app, project); got != tc.want {
				t.Errorf("%s: it uses the project: %t", tc.reason, got)
			}
		})
	}
}

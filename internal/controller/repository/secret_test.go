package repository

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// one answers with one Secret, or with an error.
type one struct {
	client.Client

	secret *corev1.Secret
	err    error
}

func (o one) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if o.err == nil {
		o.secret.DeepCopyInto(into.(*corev1.Secret))
	}
	return o.err
}

// taken notes what is handed to the sources, and what is told of it.
type taken struct {
	refuses error
	put     []*corev1.Secret
	events  []string
}

func (k *taken) Put(_ types.NamespacedName, secret *corev1.Secret) error {
	k.put = append(k.put, secret)
	return k.refuses
}

func (k *taken) Event(_ client.Object, kind, reason, message string) {
	k.events = append(k.events, kind+" "+reason+": "+message)
}

// What a Secret says of a repository counts as long as it is one of a repository; while
// nobody knows what it says, what it said goes on.
func TestWhatBecomesOfARepositorySecret(t *testing.T) {
	secret := func(kind string) *corev1.Secret {
		s := &corev1.Secret{}
		s.Name, s.Labels = "repo", map[string]string{v1alpha1.LabelSecretType: kind}
		return s
	}
	gone := apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, "repo")
	for name, tc := range map[string]struct {
		reason                 string
		hub                    one
		refuses                error
		put, has, looks, fails bool
		event                  string
	}{
		"Repository": {"it is used, and what waits for it is looked up", one{secret: secret("repository")}, nil, true, true, true, false, ""},
		"Template":   {"one for many repositories as well", one{secret: secret("repo-creds")}, nil, true, true, true, false, ""},
		"Cluster":    {"it describes something else now", one{secret: secret("cluster")}, nil, true, false, true, false, ""},
		"Unlabelled": {"it describes nothing any more", one{secret: secret("")}, nil, true, false, true, false, ""},
		"Gone":       {"it was deleted", one{err: gone}, nil, true, false, true, false, ""},
		"Away":       {"nobody knows what it says", one{err: errors.New("away")}, nil, false, false, false, true, ""},
		"Broken":     {"who wrote it is told why it is not used, and whoever did use it is looked up without it", one{secret: secret("repository")}, errors.New("it has no url"), true, true, true, false, "Warning InvalidRepository: it has no url"},
	} {
		t.Run(name, func(t *testing.T) {
			k, looked := &taken{refuses: tc.refuses}, 0
			r := New(tc.hub, k, k, func() { looked++ }, slog.New(slog.DiscardHandler))
			_, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "argocd", Name: "repo"}})
			if (err != nil) != tc.fails {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if (len(k.put) == 1) != tc.put || tc.put && (k.put[0] != nil) != tc.has || (looked == 1) != tc.looks {
				t.Errorf("%s: handed on were %v, and it was looked up %d times", tc.reason, k.put, looked)
			}
			if told := strings.Join(k.events, ", "); told != tc.event {
				t.Errorf("%s: told is %q", tc.reason, told)
			}
		})
	}
}

package handover

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// listed is a hub that has objects of some kinds; away is why one kind cannot be listed.
type listed struct {
	client.Client

	secrets  []corev1.Secret
	projects []v1alpha1.AppProject
	sets     []v1alpha1.ApplicationSet
	apps     []v1alpha1.Application
	away     map[string]error
}

func (l *listed) List(_ context.Context, into client.ObjectList, options ...client.ListOption) error {
	var in client.ListOptions
	in.ApplyOptions(options)
	here := func(o client.Object) bool {
		return (in.Namespace == "" || o.GetNamespace() == in.Namespace) && (in.LabelSelector == nil || in.LabelSelector.Matches(labels.Set(o.GetLabels())))
	}
	switch into := into.(type) {
	case *corev1.SecretList:
		into.Items = kept(l.secrets, func(s *corev1.Secret) bool { return here(s) })
		return l.away["Secrets"]
	case *v1alpha1.AppProjectList:
		into.Items = kept(l.projects, func(p *v1alpha1.AppProject) bool { return here(p) })
		return l.away["AppProjects"]
	case *v1alpha1.ApplicationSetList:
		into.Items = kept(l.sets, func(s *v1alpha1.ApplicationSet) bool { return here(s) })
		return l.away["ApplicationSets"]
	case *v1alpha1.ApplicationList:
		into.Items = kept(l.apps, func(a *v1alpha1.Application) bool { return here(a) })
		return l.away["Applications"]
	}
	return errors.New("it is asked for no such kind")
}

func kept[T any](all []T, keep func(*T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(o T) bool { return !keep(&o) })
}

// hubOf is a hub of which no ConfigMap says which namespaces are looked at.
func hubOf(l *listed, namespaces ...string) Hub {
	return Hub{Client: l, Namespace: "argocd", ApplicationNamespaces: append([]string{}, namespaces...), Log: slog.New(slog.DiscardHandler)}
}

// TestSecretsOfAnInstallation are counted by what they describe, and those that the engine
// could not use are named, with why, and nothing that is in them.
func TestSecretsOfAnInstallation(t *testing.T) {
	secret := func(name, kind string, data map[string]string) corev1.Secret {
		s := corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: name, Labels: map[string]string{v1alpha1.LabelSecretType: kind}}, Data: map[string][]byte{}}
		for key, value := range data {
			s.Data[key] = []byte(value)
		}
		return s
	}
	other := secret("other", v1alpha1.SecretTypeCluster, map[string]string{"name": "other", "server": "https://other"})
	other.Namespace = "elsewhere"
	h := hubOf(&listed{secrets: []corev1.Secret{
		secret("east", v1alpha1.SecretTypeCluster, map[string]string{"name": "east", "server": "https://east", "config": "{}"}),
		secret("broken", v1alpha1.SecretTypeCluster, map[string]string{"name": "west", "server": "https://west", "config": `{"bearerToken": hunter2`}),
		secret("fleet", v1alpha1.SecretTypeRepository, map[string]string{"url": "https://git.example.com/fleet"}),
		secret("nowhere", v1alpha1.SecretTypeRepository, map[string]string{"password": "hunter2"}),
		secret("all", v1alpha1.SecretTypeRepoCreds, map[string]string{"url": "https://git.example.com"}),
		secret("nothing", v1alpha1.SecretTypeRepoCreds, nil),
		secret("unknown", "", nil), other,
	}})
	var got takeover.Installation
	if err := h.describedSecrets(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{2, 2, 2}, []int{got.Clusters, got.Repositories, got.Templates}); diff != "" {
		t.Errorf("clusters, repositories and templates (-want +got):\n%s", diff)
	}
	var names []string
	for _, text := range got.Unreadable {
		name, why, _ := strings.Cut(text, ": ")
		if names = append(names, name); why == "" || strings.Contains(why, "hunter2") {
			t.Errorf("of %s it is said: %q", name, why)
		}
	}
	if diff := cmp.Diff([]string{"broken", "nowhere", "nothing"}, names); diff != "" {
		t.Errorf("what cannot be used (-want +got):\n%s", diff)
	}
}

// TestWhatAnInstallationLooksAt: sets and Applications of other namespaces are the
// installation's where it names them, by the patterns that Argo CD takes, each in its own way.
func TestWhatAnInstallationLooksAt(t *testing.T) {
	at := func(namespace string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: namespace, Name: "x"} }
	l := &listed{projects: []v1alpha1.AppProject{{ObjectMeta: at("argocd")}, {ObjectMeta: at("team-a")}}}
	for _, namespace := range []string{"argocd", "team-a", "team-b", "other"} {
		l.sets = append(l.sets, v1alpha1.ApplicationSet{ObjectMeta: at(namespace)})
		l.apps = append(l.apps, v1alpha1.Application{ObjectMeta: at(namespace)})
	}
	for name, tc := range map[string]struct {
		reason, sets string
		apps         []string
		wantSets     []string
		wantApps     []string
	}{
		"Own":     {"by default the control namespace's alone", "", nil, []string{"argocd"}, []string{"argocd"}},
		"Names":   {"a list of names", "team-a, other", nil, []string{"argocd", "team-a", "other"}, []string{"argocd"}},
		"Globs":   {"a glob, of which the sets would be lost otherwise", "team-*", nil, []string{"argocd", "team-a", "team-b"}, []string{"argocd"}},
		"Regexps": {"an expression", "/^(team-b|other)$/", nil, []string{"argocd", "team-b", "other"}, []string{"argocd"}},
		"Apps":    {"Applications have patterns of their own", "", []string{"team-*"}, []string{"argocd"}, []string{"argocd", "team-a", "team-b"}},
		"Both":    {"and one list says nothing of the other", "other", []string{"team-a"}, []string{"argocd", "other"}, []string{"argocd", "team-a"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := takeover.Installation{Params: map[string]string{"applicationsetcontroller.namespaces": tc.sets}}
			if err := hubOf(l, tc.apps...).declared(t.Context(), &got); err != nil {
				t.Fatal(err)
			}
			var sets, apps []string
			for i := range got.Sets {
				sets = append(sets, got.Sets[i].Namespace)
			}
			for i := range got.Applications {
				apps = append(apps, got.Applications[i].Namespace)
			}
			if diff := cmp.Diff([][]string{tc.wantSets, tc.wantApps}, [][]string{sets, apps}); diff != "" || len(got.Projects) != 1 {
				t.Errorf("%s: %d projects, sets and Applications are of (-want +got):\n%s", tc.reason, len(got.Projects), diff)
			}
		})
	}
}

// TestInstallationsThatCannotBeRead: what is left out would be taken over unseen, so it is an
// error, which names what could not be read.
func TestInstallationsThatCannotBeRead(t *testing.T) {
	away := errors.New("away")
	for kind, look := range map[string]func(Hub, *takeover.Installation) error{
		"Secrets":         func(h Hub, i *takeover.Installation) error { return h.describedSecrets(t.Context(), i) },
		"AppProjects":     func(h Hub, i *takeover.Installation) error { return h.declared(t.Context(), i) },
		"ApplicationSets": func(h Hub, i *takeover.Installation) error { return h.declared(t.Context(), i) },
		"Applications":    func(h Hub, i *takeover.Installation) error { return h.declared(t.Context(), i) },
	} {
		err := look(hubOf(&listed{away: map[string]error{kind: away}}), &takeover.Installation{})
		if !errors.Is(err, away) || !strings.Contains(err.Error(), "cannot list") || !strings.Contains(err.Error(), kind) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	err := hubOf(&listed{}, "team-[").declared(t.Context(), &takeover.Installation{})
	if err == nil || !strings.Contains(err.Error(), "team-[") || !strings.Contains(err.Error(), "--application-namespaces") || gitops.IsProblem(err, gitops.NotFound) {
		t.Errorf("a pattern that matches nothing: %v", err)
	}
}

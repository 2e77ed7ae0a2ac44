package listener

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/server/certificate"
)

// shelf has Secrets by name, as an API server that another replica may write to does.
type shelf struct {
	client.Client

	secrets map[string]*corev1.Secret
	// before comes before each write.
	before func()
	fails  error
}

func (s *shelf) Get(_ context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	if s.fails != nil {
		return s.fails
	}
	found, into := s.secrets[key.Name], o.(*corev1.Secret)
	if found == nil {
		return apierrors.NewNotFound(corev1.Resource("secrets"), key.Name)
	}
	found.DeepCopyInto(into)
	return nil
}

func (s *shelf) Create(_ context.Context, o client.Object, _ ...client.CreateOption) error {
	if s.before != nil {
		s.before()
	}
	if s.secrets[o.GetName()] != nil {
		return apierrors.NewAlreadyExists(corev1.Resource("secrets"), o.GetName())
	}
	s.secrets[o.GetName()] = o.(*corev1.Secret)
	return nil
}

func (s *shelf) Patch(_ context.Context, o client.Object, _ client.Patch, _ ...client.PatchOption) error {
	if s.before != nil {
		s.before()
		return apierrors.NewConflict(corev1.Resource("secrets"), o.GetName(), nil)
	}
	s.secrets[o.GetName()] = o.(*corev1.Secret)
	return nil
}

func madeAt(t *testing.T, at time.Time) *corev1.Secret {
	t.Helper()
	p, err := certificate.Make([]string{"localhost"}, at)
	if err != nil {
		t.Fatal(err)
	}
	return &corev1.Secret{Data: map[string][]byte{corev1.TLSCertKey: p.Certificate, corev1.TLSPrivateKeyKey: p.Key}}
}

func TestWhichCertificateIsShown(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	old := now.AddDate(-20, 0, 0)
	foreign := madeAt(t, now)
	foreign.Labels = map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}
	for name, tc := range map[string]struct {
		reason    string
		argo, own *corev1.Secret
		// want is whose pair is shown: argo, own, or a new one.
		want  string
		fails bool
	}{
		"Made":    {"there is none yet", nil, nil, "new", false},
		"Argo":    {"that of Argo CD is known to whoever comes", madeAt(t, now), madeAt(t, now), "argo", false},
		"Own":     {"Argo CD has none", nil, madeAt(t, now), "own", false},
		"OldArgo": {"that of Argo CD has ended", madeAt(t, old), madeAt(t, now), "own", false},
		"Bare":    {"a Secret of Argo CD need not have one", &corev1.Secret{}, madeAt(t, now), "own", false},
		"OldOwn":  {"one that ends is made anew", nil, madeAt(t, old), "new", false},
		"Foreign": {"a Secret that describes a cluster is not written", nil, foreign, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shelf{secrets: map[string]*corev1.Secret{}}
			for n, secret := range map[string]*corev1.Secret{account.Secret: tc.argo, TLSSecret: tc.own} {
				if secret != nil {
					secret.Name = n
					s.secrets[n] = secret
				}
			}
			k := &keptPair{client: s, namespace: "argocd", hosts: []string{"localhost"}, now: func() time.Time { return now }}
			p, err := k.Pair(t.Context())
			if tc.fails {
				if err == nil {
					t.Errorf("%s: there is no error", tc.reason)
				}
				return
			}
			if err != nil || !p.Good(now) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			is := "new"
			for n, secret := range map[string]*corev1.Secret{"argo": tc.argo, "own": tc.own} {
				if secret != nil && slices.Equal(p.Certificate, secret.Data[corev1.TLSCertKey]) {
					is = n
				}
			}
			if is != tc.want {
				t.Errorf("%s: it is %s, want %s", tc.reason, is, tc.want)
			}
			if kept := s.secrets[TLSSecret]; is == "new" && !slices.Equal(kept.Data[corev1.TLSCertKey], p.Certificate) {
				t.Errorf("%s: it is not kept", tc.reason)
			}
			if again, err := k.Pair(t.Context()); again != nil || err != nil {
				t.Errorf("%s: nothing has changed, and it is read as another one: %v", tc.reason, err)
			}
		})
	}
}

// Of two replicas that make one at the same time both show that of the faster.
func TestFasterReplicaCounts(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for name, was := range map[string]*corev1.Secret{"None": nil, "Old": madeAt(t, now.AddDate(-20, 0, 0))} {
		faster := madeAt(t, now)
		s := &shelf{secrets: map[string]*corev1.Secret{}}
		if was != nil {
			s.secrets[TLSSecret] = was
		}
		s.before = func() { s.secrets[TLSSecret] = faster }
		k := &keptPair{client: s, namespace: "argocd", hosts: []string{"localhost"}, now: func() time.Time { return now }}
		if p, err := k.Pair(t.Context()); err != nil || !slices.Equal(p.Certificate, faster.Data[corev1.TLSCertKey]) {
			t.Errorf("%s: another one than that of the faster replica is shown: %v", name, err)
		}
	}
}

// mute is a hub that takes requests and says nothing.
type mute struct{ client.Client }

func (mute) Get(ctx context.Context, _ client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestCertificateOfAHubThatSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if _, err := (&keptPair{client: mute{}}).Pair(t.Context()); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != secretTime {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

// Who gave a certificate may tell browsers that there is always one; nobody vouches for
// one that is made here, and without one there is nothing to tell.
func TestTransports(t *testing.T) {
	given := madeAt(t, time.Now())
	folder := t.TempDir()
	cert, key := filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key")
	for file, data := range map[string][]byte{cert: given.Data[corev1.TLSCertKey], key: given.Data[corev1.TLSPrivateKeyKey]} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct {
		reason   string
		at       At
		hub      error
		tls, own bool
		fails    bool
	}{
		"Clear":   {"none is asked for", At{}, nil, false, false, false},
		"Given":   {"files have one", At{CertFile: cert, KeyFile: key}, nil, true, false, false},
		"Missing": {"files that are not there are no reason to serve in the clear", At{CertFile: cert + ".gone", KeyFile: key}, nil, false, false, true},
		"Made":    {"one is made", At{GenerateTLS: true, TLSHosts: []string{"causeway.example.com"}}, nil, true, true, false},
		"Away":    {"nor is a hub that cannot be reached", At{GenerateTLS: true}, errors.New("no route"), false, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			hub := func() (client.Client, error) { return &shelf{secrets: map[string]*corev1.Secret{}}, tc.hub }
			made, err := tc.at.NewTransport(t.Context(), hub, "argocd", slog.New(slog.DiscardHandler))
			if tc.fails {
				if err == nil {
					t.Errorf("%s: there is no error", tc.reason)
				}
				return
			}
			if err != nil || (made.config() != nil) != tc.tls || made.own != tc.own {
				t.Fatalf("%s: %+v, %v", tc.reason, made, err)
			}
		})
	}
}

// The names of the Service are those by which the pods of a cluster reach it.
func TestHostsOfACertificate(t *testing.T) {
	got := hostsOf("argocd", []string{"causeway.example.com"})
	for _, want := range []string{"localhost", "::1", "causeway", "causeway.argocd.svc", "argocd-server.argocd.svc.cluster.local", "causeway.example.com"} {
		if !slices.Contains(got, want) {
			t.Errorf("it is not for %s: %q", want, got)
		}
	}
}

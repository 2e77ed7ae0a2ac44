package listener

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/certificate"
	"github.com/causeway-gitops/causeway/internal/server/session"
)

// TLSSecret keeps the certificate that the engine makes for its pages.
const TLSSecret = "causeway-server-tls"

// How often a certificate is looked at: files may be replaced at any time, and
// a Secret is renewed long before its end.
const (
	lookAtFiles  = 10 * time.Second
	lookAtSecret = 10 * time.Minute
	// secretTime bounds a look at a Secret, with the renewal of the certificate.
	secretTime = 30 * time.Second
)

// Transport is how the pages are served: by TLS, or in the clear.
type Transport struct {
	keeper *certificate.Keeper // nil: in the clear
	// own is true where nobody vouches for the certificate.
	own bool
}

// NewTransport prepares the certificate, if there is to be one. One that is made here
// is kept in a Secret of the namespace, by a client of the hub that asks the API server.
func (s *At) NewTransport(ctx context.Context, hub func() (client.Client, error), namespace string, log *slog.Logger) (*Transport, error) {
	switch {
	case s.CertFile != "":
		k, err := certificate.NewKeeper(ctx, &certificate.Files{Certificate: s.CertFile, Key: s.KeyFile}, lookAtFiles, log)
		return &Transport{keeper: k}, err
	case s.GenerateTLS:
		c, err := hub()
		if err != nil {
			return nil, fmt.Errorf("cannot reach the hub: %w", err)
		}
		pair := &keptPair{client: c, namespace: namespace, hosts: hostsOf(namespace, s.TLSHosts), now: time.Now}
		k, err := certificate.NewKeeper(ctx, pair, lookAtSecret, log)
		return &Transport{keeper: k, own: true}, err
	}
	return &Transport{}, nil
}

// config is nil for the clear.
func (t *Transport) config() *tls.Config {
	if t.keeper == nil {
		return nil
	}
	return t.keeper.Config()
}

// Run looks at the certificate from time to time, until ctx ends.
func (t *Transport) Run(ctx context.Context) {
	if t.keeper != nil {
		t.keeper.Run(ctx)
	}
}

// wrap is around everything that is served.
func (t *Transport) wrap(next http.Handler) http.Handler {
	if t.own {
		return session.Unpinned(next)
	}
	return next
}

// hostsOf are the names that a certificate is for: those of the Service, of
// the machine, and those that were asked for.
func hostsOf(namespace string, more []string) []string {
	out := []string{"localhost", "127.0.0.1", "::1"}
	for _, service := range []string{"causeway", "argocd-server"} {
		out = append(out, service, service+"."+namespace, service+"."+namespace+".svc", service+"."+namespace+".svc.cluster.local")
	}
	if name, err := os.Hostname(); err == nil {
		out = append(out, name)
	}
	return append(out, more...)
}

// keptPair is a certificate that Secrets keep: that of Argo CD where there is
// one, else one that is made here.
type keptPair struct {
	client    client.Client
	namespace string
	hosts     []string
	now       func() time.Time

	shown *certificate.Pair
}

// Pair implements certificate.Source.
func (k *keptPair) Pair(ctx context.Context) (*certificate.Pair, error) {
	ctx, cancel := context.WithTimeout(ctx, secretTime)
	defer cancel()
	p, err := k.current(ctx)
	if err != nil || k.shown != nil && bytes.Equal(p.Certificate, k.shown.Certificate) && bytes.Equal(p.Key, k.shown.Key) {
		return nil, err
	}
	k.shown = p
	return p, nil
}

func (k *keptPair) current(ctx context.Context) (*certificate.Pair, error) {
	argo, err := k.read(ctx, account.Secret)
	if err != nil {
		return nil, err
	}
	if argo != nil {
		if p := pairOf(argo); p.Good(k.now()) {
			return p, nil
		}
	}
	own, err := k.read(ctx, TLSSecret)
	if err != nil {
		return nil, err
	}
	if own != nil {
		if err := gitops.Misused(TLSSecret, own.Labels); err != nil {
			return nil, err
		}
		if p := pairOf(own); p.Good(k.now()) {
			return p, nil
		}
	}
	return k.renew(ctx, own)
}

func pairOf(s *corev1.Secret) *certificate.Pair {
	return &certificate.Pair{Certificate: s.Data[corev1.TLSCertKey], Key: s.Data[corev1.TLSPrivateKeyKey]}
}

// read returns nil for a Secret that is not there.
func (k *keptPair) read(ctx context.Context, name string) (*corev1.Secret, error) {
	s := &corev1.Secret{}
	err := k.client.Get(ctx, types.NamespacedName{Namespace: k.namespace, Name: name}, s)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // none is no error
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the certificate of Secret %s: %w", name, err)
	}
	return s, nil
}

// renew makes a pair and keeps it. Of two replicas the faster one counts.
func (k *keptPair) renew(ctx context.Context, was *corev1.Secret) (*certificate.Pair, error) {
	p, err := certificate.Make(k.hosts, k.now())
	if err != nil {
		return nil, err
	}
	data := map[string][]byte{corev1.TLSCertKey: p.Certificate, corev1.TLSPrivateKeyKey: p.Key}
	if was == nil {
		err = k.client.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: k.namespace, Name: TLSSecret, Labels: map[string]string{"app.kubernetes.io/part-of": "causeway"}},
			Type:       corev1.SecretTypeTLS, Data: data,
		})
	} else {
		now := was.DeepCopy()
		now.Data = data
		err = k.client.Patch(ctx, now, client.MergeFromWithOptions(was, client.MergeFromWithOptimisticLock{}))
	}
	if apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) {
		if s, again := k.read(ctx, TLSSecret); again == nil && s != nil && pairOf(s).Good(k.now()) {
			return pairOf(s), nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot keep a certificate in Secret %s: %w", TLSSecret, err)
	}
	return p, nil
}

package serve

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/auth/account"
)

// closed is a hub whose Secrets cannot be read.
type closed struct {
	client.Reader

	err error
}

func (c closed) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return c.err
}

// Who may not read what the settings refer to is told so, and who is not
// answered another thing.
func TestSecretsOfIssuersThatCannotBeRead(t *testing.T) {
	for err, want := range map[error]string{
		apierrors.NewForbidden(corev1.Resource("secrets"), account.Secret, nil): "the API server does not let the engine read it",
		errors.New("connection refused"):                                        "the API server does not answer",
	} {
		s := &issuers{secrets: closed{err: err}, namespace: "argocd", now: time.Now, log: slog.New(slog.DiscardHandler), settings: func() map[string]string {
			return map[string]string{"url": "https://cd.example.com", "oidc.config": "name: SSO\nissuer: https://sso.example.com\nclientID: causeway\nclientSecret: $oidc.clientSecret\n"}
		}}
		if _, got := s.Current(t.Context()); got == nil || !strings.Contains(got.Error(), want) {
			t.Errorf("%v is %v, want %q", err, got, want)
		}
	}
}

package app

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/serve/listener"
	"github.com/causeway-gitops/causeway/internal/serve/secrets"
	"github.com/causeway-gitops/causeway/internal/server/webhook"
)

// TestSecretsOfTheEngineAreItsOwn has the Secrets that the engine goes by: none of
// them is a cluster's, whatever somebody labels it as.
func TestSecretsOfTheEngineAreItsOwn(t *testing.T) {
	for _, name := range []string{chronicle.Secret, webhook.SigningSecret, account.Secret, secrets.KeySecret, secrets.KeysSecret, secrets.SessionsSecret, listener.TLSSecret} {
		if !gitops.OwnSecret(name) {
			t.Errorf("Secret %s is not among them", name)
		}
	}
}

package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// store reports whether the SecretStore of storeAndSecret is there.
func (e *engine) store() (bool, error) {
	e.t.Helper()
	err := e.externalSecrets().Get(e.t.Context(), types.NamespacedName{Namespace: e.namespace, Name: "values"}, &esv1.SecretStore{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

func (e *engine) storeGoes() {
	e.t.Helper()
	embeddedtest.Eventually(e.t, func(context.Context) error {
		there, err := e.store()
		if err == nil && there {
			err = errors.New("the store is there")
		}
		return err
	})
}

// TestStoreThatOthersUseIsHeld: an application that drops its store would leave the ExternalSecrets of another one without
// values, for ever. That waits for an approval.
func TestStoreThatOthersUseIsHeld(t *testing.T) {
	store, secret, _ := strings.Cut(storeAndSecret, "---\n")
	files := map[string]string{"stores/store.yaml": store, "users/secret.yaml": secret}
	for i := range 8 {
		files[fmt.Sprintf("stores/cm-%d.yaml", i)] = strings.ReplaceAll(configMapV1, "settings", fmt.Sprintf("cm-%d", i))
	}
	e := start(t, files, func(c *Config) { c.Secrets = true })
	e.app("stores", "stores")
	e.app("users", "users")
	e.until("users", "Healthy", good)
	e.remove("stores/store.yaml")
	app := e.says("stores", heldError, "denied", "1 object", "an object that stays needs what goes", "SecretStore", "needed by ExternalSecret "+e.namespace+"/database", "causeway approve "+e.id("stores"))
	if there, err := e.store(); !there {
		t.Fatalf("a store that is held is there: %v", err)
	}
	e.approve("stores", digestOf(t, condition(app, heldError)), time.Now().Add(time.Hour))
	e.storeGoes()
	e.secretHas("database", "password", "hunter22")
}

// TestStoreThatGoesWithItsUsers: whoever drops both needs no approval.
func TestStoreThatGoesWithItsUsers(t *testing.T) {
	e := start(t, map[string]string{"app/secret.yaml": storeAndSecret, "app/a.yaml": configMapV1, "app/b.yaml": strings.ReplaceAll(configMapV1, "settings", "more")}, func(c *Config) { c.Secrets = true })
	e.app("app", "app")
	e.until("app", "Healthy", good)
	e.remove("app/secret.yaml")
	e.storeGoes()
	e.until("app", "not held", func(app *v1alpha1.Application) bool { return condition(app, heldError) == "" })
}

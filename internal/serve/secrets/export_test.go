package secrets

import (
	"context"
	"log/slog"
	"time"

	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/server/session"
)

// Hub is the control plane that tests of the package share.
var Hub *rest.Config

// EndingsAt are those of a replica, and what follows them.
func EndingsAt(secrets corev1client.SecretInterface, now func() time.Time, log *slog.Logger) (session.Endings, func(context.Context)) {
	e := NewEndings(secrets, log)
	e.now = now
	return e, e.Follow
}

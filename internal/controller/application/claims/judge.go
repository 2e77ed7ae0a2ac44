package claims

import (
	"context"
	"log/slog"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/operation"
)

// Options are what a Judge goes by.
type Options struct {
	Seal *operation.Seal
	// Began reports whether an Application has begun, since a time, what was asked for
	// by a request; nothing is known of that when nil. It answers in time.
	Began func(ctx context.Context, app *v1alpha1.Application, request string, since time.Time) (bool, error)
	Log   *slog.Logger
	Now   func() time.Time
}

// Judge knows which operations were asked for under a seal, each once. It is safe
// for concurrent use.
type Judge struct {
	Options

	requests *requests
}

// New returns a Judge that has seen no request.
func New(o Options) *Judge { return &Judge{Options: o, requests: newRequests()} }

// Forget drops an Application that is gone.
func (j *Judge) Forget(name types.NamespacedName) { j.requests.forget(name) }

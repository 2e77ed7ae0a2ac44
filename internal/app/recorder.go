package app

import (
	"context"

	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// events hands events on to the recorder of client-go, which joins those that
// repeat and never blocks.
type events struct{ recorder record.EventRecorder }

func (e events) Event(obj client.Object, kind, reason, message string) {
	e.recorder.Event(obj, kind, reason, message)
}

// setStatus writes the status of ApplicationSets, which is a subresource of
// its own; that of Applications is not.
type setStatus struct{ client client.Client }

func (s setStatus) Patch(ctx context.Context, obj client.Object, patch client.Patch, _ ...client.PatchOption) error {
	return s.client.Status().Patch(ctx, obj, patch)
}

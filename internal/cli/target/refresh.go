package target

import (
	"context"

	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// Refresh asks for another look at an Application.
func Refresh(ctx context.Context, h *Hub, app *v1alpha1.Application, how api.Thoroughness) error {
	if h.Server != nil {
		return h.Server.Refresh(ctx, KeyOf(app), how)
	}
	before := app.DeepCopy()
	if app.Annotations == nil {
		app.Annotations = map[string]string{}
	}
	app.Annotations[v1alpha1.AnnotationRefresh] = string(how)
	return h.Client.Patch(ctx, app, ctrl.MergeFrom(before), ctrl.FieldOwner("causeway-cli"))
}

// RefreshFlag adds --refresh, which may have a value and need not.
func RefreshFlag(f *pflag.FlagSet, into *string, usage string) {
	f.StringVar(into, "refresh", "", usage)
	f.Lookup("refresh").NoOptDefVal = string(api.Normal)
}

// CheckRefresh refuses ways to look again that there are not.
func CheckRefresh(how string) error {
	switch api.Thoroughness(how) {
	case "", api.Normal, api.Hard:
		return nil
	}
	return command.Usagef("cannot understand --refresh=%s: write --refresh, or --refresh=hard", how)
}

// LookedAgain reports whether the engine has looked since it was asked to, when the
// application had a version: it takes the request away.
func LookedAgain(app *v1alpha1.Application, version string) bool {
	_, open := app.RefreshRequested()
	return !open && app.ResourceVersion != version
}

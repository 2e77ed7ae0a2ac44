package get

import (
	"context"
	"fmt"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// checkRefresh refuses a look at more than what is named: a fleet is not to be
// fetched anew because somebody lists it.
func (f *flags) checkRefresh(what kind, names []string) error {
	if f.refresh != "" && (what.singular != applicationKind().singular || len(names) == 0) {
		return command.Usagef("--refresh is for applications that are named: write causeway get app NAME --refresh")
	}
	return target.CheckRefresh(f.refresh)
}

// refreshPatience is how long the engine has for a look.
const refreshPatience = time.Minute

// refreshed has the engine look at applications, and waits until it has.
func (f *flags) refreshed(ctx context.Context, h *target.Hub, names []string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, refreshPatience, command.Latef("the engine has not looked within %s: see whether it runs, with causeway doctor", refreshPatience))
	defer cancel()
	asked := map[string]string{}
	for _, name := range names {
		app, err := h.Application(ctx, name)
		if err != nil {
			return command.Overdue(ctx, err)
		}
		asked[name] = app.ResourceVersion
		if err := target.Refresh(ctx, h, app, api.Thoroughness(f.refresh)); err != nil {
			return command.Overdue(ctx, fmt.Errorf("cannot have the engine look at application %s: %w", name, h.Explain(err)))
		}
	}
	for _, name := range names {
		for {
			app, err := h.Application(ctx, name)
			if ctx.Err() != nil {
				return fmt.Errorf("application %s: %w", name, context.Cause(ctx))
			}
			if err != nil {
				return err
			}
			if target.LookedAgain(app, asked[name]) {
				break
			}
			_ = command.Sleep(ctx, command.FollowPause) // the next look tells that the time is over
		}
	}
	return nil
}

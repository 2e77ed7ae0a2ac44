package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/server/api"
)

// refreshFlag adds --refresh, which may have a value and need not.
func refreshFlag(f *pflag.FlagSet, into *string, usage string) {
	f.StringVar(into, "refresh", "", usage)
	f.Lookup("refresh").NoOptDefVal = string(api.Normal)
}

func checkRefresh(how string) error {
	switch api.Thoroughness(how) {
	case "", api.Normal, api.Hard:
		return nil
	}
	return usagef("cannot understand --refresh=%s: write --refresh, or --refresh=hard", how)
}

// checkRefresh refuses a look at more than what is named: a fleet is not to be
// fetched anew because somebody lists it.
func (f *getFlags) checkRefresh(what kind, names []string) error {
	if f.refresh != "" && (what.singular != applicationKind().singular || len(names) == 0) {
		return usagef("--refresh is for applications that are named: write causeway get app NAME --refresh")
	}
	return checkRefresh(f.refresh)
}

// refreshPatience is how long the engine has for a look.
const refreshPatience = time.Minute

// refreshed has the engine look at applications, and waits until it has.
func (f *getFlags) refreshed(ctx context.Context, h *hub, names []string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, refreshPatience, latef("the engine has not looked within %s: see whether it runs, with causeway doctor", refreshPatience))
	defer cancel()
	asked := map[string]string{}
	for _, name := range names {
		app, err := h.application(ctx, name)
		if err != nil {
			return overdue(ctx, err)
		}
		asked[name] = app.ResourceVersion
		if err := refresh(ctx, h, app, api.Thoroughness(f.refresh)); err != nil {
			return overdue(ctx, fmt.Errorf("cannot have the engine look at application %s: %w", name, h.explain(err)))
		}
	}
	for _, name := range names {
		for {
			app, err := h.application(ctx, name)
			if ctx.Err() != nil {
				return fmt.Errorf("application %s: %w", name, context.Cause(ctx))
			}
			if err != nil {
				return err
			}
			if lookedAgain(app, asked[name]) {
				break
			}
			_ = sleep(ctx, followPause) // the next look tells that the time is over
		}
	}
	return nil
}

package operate

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// mostOptions is as many as the API takes.
const mostOptions = 50

// syncOptions are options of one sync, beside those of the application.
type syncOptions struct {
	replace       bool
	serverSide    bool
	outOfSyncOnly bool
	free          []string
}

// into adds their flags.
func (o *syncOptions) into(f *pflag.FlagSet) {
	f.BoolVar(&o.replace, "replace", false, "replace objects instead of applying them: Replace=true")
	f.BoolVar(&o.serverSide, "server-side", false, "apply on the server's side: ServerSideApply=true")
	f.BoolVar(&o.outOfSyncOnly, "apply-out-of-sync-only", false, "leave objects alone that are as desired: ApplyOutOfSyncOnly=true")
	f.StringArrayVar(&o.free, "sync-option", nil, "a sync option for this sync, as NAME=VALUE; counts before the application's own; can be repeated")
}

// check refuses what cannot be an option.
func (o *syncOptions) check() error {
	for _, one := range o.free {
		name, value, said := strings.Cut(one, "=")
		if !said || name == "" || value == "" || strings.ContainsAny(one, " \t\r\n,") {
			return command.Usagef("cannot understand --sync-option %q: write NAME=VALUE, as in PruneLast=true", one)
		}
	}
	if len(o.free) > mostOptions {
		return command.Usagef("cannot take %d times --sync-option: %d at most", len(o.free), mostOptions)
	}
	return nil
}

// all are the options as an operation has them. Those that are written out
// come last, and count.
func (o *syncOptions) all() []string {
	var out []string
	for _, flag := range []struct {
		on   bool
		says string
	}{{o.replace, "Replace=true"}, {o.serverSide, "ServerSideApply=true"}, {o.outOfSyncOnly, "ApplyOutOfSyncOnly=true"}} {
		if flag.on {
			out = append(out, flag.says)
		}
	}
	return append(out, o.free...)
}

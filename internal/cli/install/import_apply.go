package install

import (
	"context"
	"fmt"
	"strings"

	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/handover"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// move takes over, or hands back.
func (i *importFlags) move(ctx context.Context, h *target.Hub, inspector *inspect.Inspector) error {
	options := handover.Options{External: i.engine == engineExternal, Within: i.timeout, Say: i.sayf}
	if i.install {
		engine, err := i.installed.engine(h.Namespace)
		if err != nil {
			return err
		}
		engine.Rights = bootstrap.AllRights
		options.Install = &engine
	}
	t, err := inspector.Takeover(options)
	if err != nil {
		return err
	}
	if i.revert {
		if err := t.Revert(ctx); err != nil {
			return i.halfWay(ctx, "cannot hand back", h.Explain(err))
		}
		i.sayf("Argo CD has what it had. To look again: causeway import argocd")
		return nil
	}
	stage, err := t.Stage(ctx)
	if err != nil {
		return h.Explain(err)
	}
	var all []takeover.Comparison
	if stage == takeover.Adopting {
		i.sayf("a takeover that was cut off goes on")
	} else if all, err = i.admitted(ctx, h, inspector); err != nil {
		return err
	}
	if err := t.Adopt(ctx, all); err != nil {
		return i.halfWay(ctx, "", h.Explain(err))
	}
	i.sayf("The engine has taken over. Argo CD's controllers are at 0 and still there; to hand back: causeway import argocd --revert")
	i.sayf("Of Argo CD's server %s. %s: %s", takeover.ServerKeeps, takeover.ServerLoses, takeover.ServerInstead)
	return nil
}

// admitted are the comparisons of a takeover that may begin.
func (i *importFlags) admitted(ctx context.Context, h *target.Hub, inspector *inspect.Inspector) ([]takeover.Comparison, error) {
	look, err := i.look(ctx, h, inspector)
	if err != nil {
		return nil, err
	}
	if err := i.print(h, look); err != nil {
		return nil, err
	}
	blockers := look.blockers()
	if len(blockers) > 0 && !i.changes {
		return nil, fmt.Errorf("nothing was changed, because the takeover would change objects, or may:\n  %s\nmend that, or accept it with --allow-changes", strings.Join(blockers, "\n  "))
	}
	i.sayf("")
	return look.comparisons, nil
}

// halfWay adds to the end of somebody's patience what to do.
func (i *importFlags) halfWay(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		_, _ = fmt.Fprintln(i.Err, "it was cut off: run it again to go on, or hand back with causeway import argocd --revert")
		return command.ErrStopped
	}
	if what == "" {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}

// sayf prints a step: beside the report where that is for programs.
func (i *importFlags) sayf(format string, args ...any) {
	out := i.Out
	if !table.Tabular(i.output) {
		out = i.Err
	}
	_, _ = fmt.Fprintf(out, format+"\n", args...)
}

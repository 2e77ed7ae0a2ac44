package policy

import (
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Doubts are the rules of a project that cannot be meant so, as far as they
// concern an application: the others hold all the same.
func Doubts(p *v1alpha1.AppProject, app *v1alpha1.Application) []error {
	var out []error
	if err := Validate(p); err != nil {
		out = append(out, err)
	}
	out = append(out, brokenPatterns(p)...)
	out = append(out, openingDenies(p)...)
	for _, i := range WindowsFor(p, app) {
		if err := doubtful(p, i); err != nil {
			out = append(out, err)
		}
	}
	return out
}

// doubtful tells why a window cannot be meant so.
func doubtful(p *v1alpha1.AppProject, i int) error {
	w := p.Spec.SyncWindows[i]
	h, err := parseHours(w)
	switch {
	case err != nil:
		return doubt("spec.syncWindows[%d] of project %q cannot be read, so it forbids every sync: %w", i, p.Name, err).
			Do("correct it: the schedule has five fields of cron, the duration the form 1h30m")
	case h.never():
		return doubt("spec.syncWindows[%d] of project %q never opens: no date fits the schedule %q", i, p.Name, w.Schedule).
			Do("correct the days and months of the schedule")
	case h.length <= 0:
		return doubt("spec.syncWindows[%d] of project %q is never open: its duration is %s", i, p.Name, w.Duration).
			Do("give it a duration above zero")
	}
	if _, err := time.LoadLocation(w.TimeZone); err != nil {
		return doubt("spec.syncWindows[%d] of project %q has the unknown time zone %q, so UTC counts", i, p.Name, w.TimeZone).
			Do("write a name such as Europe/Berlin")
	}
	return nil
}

func doubt(format string, args ...any) *gitops.Problem {
	return gitops.Problemf(gitops.Invalid, format, args...)
}

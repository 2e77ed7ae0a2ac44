package policy

import (
	"errors"
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// schedules are five fields; descriptors such as @daily are refused.
var schedules = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// Windows is what the sync windows of a project say at one instant.
type Windows struct {
	// Active are the indexes of the windows that are open and concern the application.
	Active []int
	// Auto and Manual are nil when such a sync may run, else the reason why not.
	Auto, Manual error
}

// window is a sync window that concerns an application.
type window struct {
	*v1alpha1.SyncWindow
	active bool
	// before tells that it was active when the running sync began.
	before bool
}

// WindowsFor returns the indexes of the sync windows that concern an application.
func WindowsFor(p *v1alpha1.AppProject, app *v1alpha1.Application) []int {
	var out []int
	for i, w := range p.Spec.SyncWindows {
		if concerns(w, app) {
			out = append(out, i)
		}
	}
	return out
}

func concerns(w *v1alpha1.SyncWindow, app *v1alpha1.Application) bool {
	d := app.Spec.Destination
	cluster := anyMatches(w.Clusters, d.Name) || anyMatches(w.Clusters, d.Server)
	application, namespace := anyMatches(w.Applications, app.Name), anyMatches(w.Namespaces, d.Namespace)
	if !w.UseAndOperator {
		return application || namespace || cluster
	}
	if len(w.Applications)+len(w.Namespaces)+len(w.Clusters) == 0 {
		return false
	}
	return (application || len(w.Applications) == 0) && (namespace || len(w.Namespaces) == 0) && (cluster || len(w.Clusters) == 0)
}

func anyMatches(patterns []string, s string) bool {
	for _, pattern := range patterns {
		if s != "" && match(pattern, s, 0) {
			return true
		}
	}
	return false
}

// At tells whether an application may sync at an instant. started is when the
// sync that runs began; the zero time when none does. A window that cannot be
// read forbids everything.
func At(p *v1alpha1.AppProject, app *v1alpha1.Application, now, started time.Time) (Windows, error) {
	var out Windows
	var all []window
	for _, i := range WindowsFor(p, app) {
		w := window{SyncWindow: p.Spec.SyncWindows[i]}
		var err error
		if w.active, err = activeAt(w.SyncWindow, now); err == nil && !started.IsZero() {
			w.before, err = activeAt(w.SyncWindow, started)
		}
		if err != nil {
			return Windows{}, denied("cannot sync: a sync window of project %q is broken: %w", p.Name, err).Do("correct spec.syncWindows of the project")
		}
		if w.active {
			out.Active = append(out.Active, i)
		}
		all = append(all, w)
	}
	out.Auto = decide(p, all, !started.IsZero(), func(window) bool { return false })
	out.Manual = decide(p, all, !started.IsZero(), func(w window) bool { return w.ManualSync })
	return out, nil
}

// decide applies the rules: an active deny blocks; where there is an allow, one
// has to be active. Exceptions hold only when all windows in question have them.
func decide(p *v1alpha1.AppProject, all []window, running bool, exempt func(window) bool) error {
	denies := selected(all, func(w window) bool { return w.Kind == v1alpha1.SyncWindowKindDeny && w.active })
	allows := selected(all, func(w window) bool { return w.Kind == v1alpha1.SyncWindowKindAllow })
	open := selected(allows, func(w window) bool { return w.active })
	if len(denies) > 0 {
		if every(denies, exempt) || running && beganBefore(all, denies) {
			return nil
		}
		return denied("cannot sync: a deny window of project %q is active (%s for %s)", p.Name, denies[0].Schedule, denies[0].Duration).
			Do("wait for its end, or change spec.syncWindows of the project")
	}
	if len(allows) == 0 || len(open) > 0 || every(allows, exempt) || running && beganInside(allows) {
		return nil
	}
	return denied("cannot sync: no allow window of project %q is active", p.Name).Do("wait for the next one, or change spec.syncWindows of the project")
}

// beganBefore tells that a running sync may go on into deny windows: they all
// let it, and it was permitted when it began.
func beganBefore(all, denies []window) bool {
	if !every(denies, func(w window) bool { return w.SyncOverrun }) {
		return false
	}
	allows := selected(all, func(w window) bool { return w.Kind == v1alpha1.SyncWindowKindAllow })
	permitted := len(allows) == 0 || some(allows, func(w window) bool { return w.before })
	return permitted && !some(all, func(w window) bool { return w.Kind == v1alpha1.SyncWindowKindDeny && w.before })
}

// beganInside tells that a running sync may go on after its allow window.
func beganInside(allows []window) bool {
	return every(allows, func(w window) bool { return w.SyncOverrun }) && some(allows, func(w window) bool { return w.before })
}

func selected(all []window, keep func(window) bool) []window {
	var out []window
	for _, w := range all {
		if keep(w) {
			out = append(out, w)
		}
	}
	return out
}

func every(all []window, holds func(window) bool) bool {
	return len(selected(all, holds)) == len(all)
}

func some(all []window, holds func(window) bool) bool { return len(selected(all, holds)) > 0 }

// activeAt tells whether a window is open. Both its ends are closed times.
func activeAt(w *v1alpha1.SyncWindow, at time.Time) (bool, error) {
	schedule, duration, err := parseWindow(w)
	if err != nil {
		return false, err
	}
	zone, err := time.LoadLocation(w.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	// The wall clock of the zone is put on a clock without changes of its own:
	// a long window follows the wall clock.
	_, offset := at.In(zone).Zone()
	wall := at.UTC().Add(time.Duration(offset) * time.Second)
	next := schedule.Next(wall.Add(-duration))
	return !next.IsZero() && next.Before(wall), nil
}

func parseWindow(w *v1alpha1.SyncWindow) (cron.Schedule, time.Duration, error) {
	schedule, err := schedules.Parse(w.Schedule)
	if err != nil {
		return nil, 0, fmt.Errorf("cannot read the schedule %q: %w", w.Schedule, err)
	}
	duration, err := time.ParseDuration(w.Duration)
	if err != nil {
		return nil, 0, fmt.Errorf("cannot read the duration %q: %w", w.Duration, err)
	}
	return schedule, duration, nil
}

var errKind = errors.New("the kind has to be allow or deny")

// validWindow checks one sync window.
func validWindow(w *v1alpha1.SyncWindow) error {
	if w.Kind != v1alpha1.SyncWindowKindAllow && w.Kind != v1alpha1.SyncWindowKindDeny {
		return fmt.Errorf("cannot use a sync window of kind %q: %w", w.Kind, errKind)
	}
	_, _, err := parseWindow(w)
	return err
}

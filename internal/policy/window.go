package policy

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

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
	index  int
	hours  hours
	active bool
	// before tells that it was active when the running sync began.
	before bool
}

// WindowsFor returns the indexes of the sync windows that concern an application.
func WindowsFor(p *v1alpha1.AppProject, app *v1alpha1.Application) []int {
	var out []int
	for i, w := range p.Spec.SyncWindows {
		if w != nil && concerns(w, app) {
			out = append(out, i)
		}
	}
	return out
}

func concerns(w *v1alpha1.SyncWindow, app *v1alpha1.Application) bool {
	d := app.Spec.Destination
	cluster := d.Name != "" && anyMatches(w, w.Clusters, d.Name) || anyIsServer(w, d.Server)
	application, namespace := anyMatches(w, w.Applications, app.Name), anyMatches(w, w.Namespaces, d.Namespace)
	if !w.UseAndOperator {
		return application || namespace || cluster
	}
	if len(w.Applications)+len(w.Namespaces)+len(w.Clusters) == 0 {
		return false
	}
	return (application || len(w.Applications) == 0) && (namespace || len(w.Namespaces) == 0) && (cluster || len(w.Clusters) == 0)
}

// anyMatches reads patterns of a window that denies as widely as they can be meant.
func anyMatches(w *v1alpha1.SyncWindow, patterns []string, s string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return reading(w)(pattern, s, 0) })
}

// anyIsServer is anyMatches for the clusters of a window and an address.
func anyIsServer(w *v1alpha1.SyncWindow, server string) bool {
	return server != "" && slices.ContainsFunc(w.Clusters, func(pattern string) bool { return isServer(pattern, server, reading(w)) })
}

func reading(w *v1alpha1.SyncWindow) matcher {
	if w.Kind == v1alpha1.SyncWindowKindDeny {
		return matchAny
	}
	return match
}

// At reports whether an application may sync at an instant. started is when the
// sync that runs began; the zero time when none does. A window that cannot be
// read forbids everything.
func At(p *v1alpha1.AppProject, app *v1alpha1.Application, now, started time.Time) (Windows, error) {
	all, err := windowsOf(p, app)
	if err != nil {
		return Windows{}, err
	}
	return judgeAt(p, all, now, started), nil
}

// windowsOf reads the windows that concern an application.
func windowsOf(p *v1alpha1.AppProject, app *v1alpha1.Application) ([]window, error) {
	var all []window
	for _, i := range WindowsFor(p, app) {
		w := window{SyncWindow: p.Spec.SyncWindows[i], index: i}
		var err error
		if w.hours, err = parseHours(w.SyncWindow); err != nil {
			return nil, denied("cannot sync: spec.syncWindows[%d] of project %q is broken: %w", i, p.Name, err).Do("correct spec.syncWindows of the project")
		}
		all = append(all, w)
	}
	return all, nil
}

func judgeAt(p *v1alpha1.AppProject, all []window, now, started time.Time) Windows {
	var out Windows
	running := !started.IsZero()
	for i := range all {
		w := &all[i]
		w.active, w.before = w.hours.open(now), running && w.hours.open(started)
		if w.active {
			out.Active = append(out.Active, w.index)
		}
	}
	out.Auto = decide(p, all, running, func(window) bool { return false })
	out.Manual = decide(p, all, running, func(w window) bool { return w.ManualSync })
	return out
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
		if denies[0].hours.always {
			return denied("cannot sync: the deny window spec.syncWindows[%d] of project %q is always active: it opens by %s and lasts %s", denies[0].index, p.Name, denies[0].Schedule, denies[0].Duration).
				Do("shorten its duration, or take it out of the project")
		}
		return denied("cannot sync: the deny window spec.syncWindows[%d] of project %q is active (%s for %s)", denies[0].index, p.Name, denies[0].Schedule, denies[0].Duration).
			Do("wait for its end, or change spec.syncWindows of the project")
	}
	if len(allows) == 0 || len(open) > 0 || every(allows, exempt) || running && beganInside(allows) {
		return nil
	}
	return denied("cannot sync: no allow window of project %q is active", p.Name).Do("wait for the next one, or change spec.syncWindows of the project")
}

// beganBefore reports whether a running sync may go on into deny windows: they all
// let it, and it was permitted when it began.
func beganBefore(all, denies []window) bool {
	if !every(denies, func(w window) bool { return w.SyncOverrun }) {
		return false
	}
	allows := selected(all, func(w window) bool { return w.Kind == v1alpha1.SyncWindowKindAllow })
	permitted := len(allows) == 0 || some(allows, func(w window) bool { return w.before })
	return permitted && !some(all, func(w window) bool { return w.Kind == v1alpha1.SyncWindowKindDeny && w.before })
}

// beganInside reports whether a running sync may go on after its allow window.
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

var (
	errKind  = errors.New("the kind has to be allow or deny")
	errEmpty = errors.New("a sync window is empty")
)

// validWindow checks one sync window.
func validWindow(w *v1alpha1.SyncWindow) error {
	if w == nil {
		return errEmpty
	}
	if w.Kind != v1alpha1.SyncWindowKindAllow && w.Kind != v1alpha1.SyncWindowKindDeny {
		return fmt.Errorf("cannot use a sync window of kind %q: %w", w.Kind, errKind)
	}
	_, err := parseHours(w)
	return err
}

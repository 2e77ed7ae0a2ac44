package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// Lines tells in plain words what changed between two pictures.
func Lines(before, after fleetstatus.Snapshot, now time.Time) []string {
	var out []string
	say := func(format string, args ...any) {
		out = append(out, fmt.Sprintf("%8s  ", Seconds(now.Sub(after.Started)))+screen.Words(fmt.Sprintf(format, args...)))
	}
	for i, c := range after.Clusters {
		if i < len(before.Clusters) && before.Clusters[i].State == c.State {
			continue
		}
		switch c.State {
		case fleetstatus.Ready:
			say("cluster %s is ready at %s after %s", c.Name, c.Server, Seconds(c.Took))
		case fleetstatus.Failed:
			say("cluster %s failed: %s", c.Name, c.Error)
		case fleetstatus.Waiting, fleetstatus.Starting: // told together, as a step
		}
	}
	if after.Step != before.Step && after.Step != "" {
		say("%s", after.Step)
	}
	was := map[trouble]bool{}
	for _, t := range troubles(before) {
		was[t] = true
	}
	for _, t := range troubles(after) {
		if !was[t] && !strings.HasPrefix(t.name, "cluster ") {
			say("%s: %s", t.name, t.text)
		}
	}
	if text := tally(after); text != tally(before) {
		say("%s", text)
	}
	return out
}

// tally is "12 of 46 applications Synced and Healthy (hub 4/9, dev 8/13)".
func tally(s fleetstatus.Snapshot) string {
	t := s.Count("")
	if !s.Watching || t.Apps == 0 {
		return ""
	}
	var parts []string
	for _, c := range s.Clusters {
		if n := s.Count(c.Name); n.Apps > 0 {
			parts = append(parts, fmt.Sprintf("%s %d/%d", c.Name, n.Good, n.Apps))
		}
	}
	text := fmt.Sprintf("%d of %s Synced and Healthy", t.Good, gitops.Count(t.Apps, "application"))
	if len(parts) == 0 { // they are on clusters that Git declares
		return text
	}
	return text + " (" + strings.Join(parts, ", ") + ")"
}

// Unfinished lists what is not as it should be, a line each.
func Unfinished(s fleetstatus.Snapshot) string {
	var b strings.Builder
	if len(s.Clusters) == 0 {
		return "  the clusters are still starting"
	}
	for _, c := range s.Clusters {
		if c.State == fleetstatus.Waiting || c.State == fleetstatus.Starting {
			fmt.Fprintf(&b, "  cluster %s is still starting\n", c.Name)
		}
	}
	for _, t := range troubles(s) {
		fmt.Fprintf(&b, "  %s: %s\n", t.name, screen.Words(t.text))
	}
	for _, set := range s.Sets {
		if !set.Done && set.Problem == "" {
			fmt.Fprintf(&b, "  appset %s: not expanded yet\n", set.Name)
		}
	}
	for _, a := range s.Apps {
		if !a.Good() && !a.Idle() && a.Problem == "" {
			fmt.Fprintf(&b, "  %s: %s\n", a.Name, strings.TrimSuffix(doing(a)+", "+screen.Words(a.Message), ", "))
		}
	}
	if b.Len() == 0 {
		return "  nothing was generated yet"
	}
	return strings.TrimRight(b.String(), "\n")
}

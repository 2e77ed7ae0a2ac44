package live

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

// Frame is what a picture is drawn for.
type Frame struct {
	Now           time.Time
	Width, Height int
	Style         Style
}

const (
	widest    = 100
	barWidth  = 20
	nameWidth = 34
	// fixed lines: title, headings and the blank lines between the parts.
	fixedLines   = 8
	problemLines = 3
	// maxElsewhere bounds the list of clusters that are none of the fleet's.
	maxElsewhere = 2
)

// View draws a fleet. It fits the frame: what has no room is counted.
func View(s fleetstatus.Snapshot, f Frame) string {
	f.Width = min(f.Width, widest)
	if f.Width <= 0 {
		f.Width = widest
	}
	var b strings.Builder
	b.WriteString(title(s, f) + "\n\n" + clusters(s, f))
	room := max(f.Height-fixedLines-len(s.Clusters), 4)
	if f.Height <= 0 {
		room = 20
	}
	bad := problems(s, f, room)
	b.WriteString(section(bad))
	b.WriteString(section(waiting(s, f, room-len(bad))))
	return fit(b.String(), f.Width)
}

// fit cuts what is too wide, whatever drew it.
func fit(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, width, "…")
	}
	return strings.Join(lines, "\n")
}

func section(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "\n" + strings.Join(lines, "\n") + "\n"
}

func title(s fleetstatus.Snapshot, f Frame) string {
	name := f.Style.title.Render("Fleet " + s.Fleet)
	t := s.Count("")
	counted := fmt.Sprintf("%d of %s Synced and Healthy", t.Good, gitops.Count(t.Apps, "application"))
	elapsed := Seconds(f.Now.Sub(s.Started))
	switch {
	case s.Step == fleetstatus.Stopping || s.Step == fleetstatus.Stopped:
		return name + " · " + s.Step + " · " + elapsed
	case s.Failure != "":
		return name + " · " + f.Style.bad.Render("failed") + " · " + elapsed
	case !s.Healthy.IsZero() && s.Settled():
		return name + " · " + f.Style.good.Render(counted) + " · up " + elapsed
	case s.Watching && t.Apps > 0:
		return name + " · " + f.Style.busy.Render(counted) + " · " + elapsed
	}
	return name + " · " + s.Step + " · " + elapsed
}

func clusters(s fleetstatus.Snapshot, f Frame) string {
	width := len("CLUSTER")
	for _, c := range s.Clusters {
		width = max(width, len(c.Name))
	}
	var b strings.Builder
	header := fmt.Sprintf("  %s  %s  %6s  %6s  %7s", pad("CLUSTER", width), pad("STATE", 16), "APPS", "SYNCED", "HEALTHY")
	b.WriteString(f.Style.dim.Render(header) + "\n")
	for _, c := range s.Clusters {
		b.WriteString("  " + pad(c.Name, width) + "  " + state(c, f) + counts(s, c, f) + "\n")
	}
	for i, other := range elsewhere(s) {
		if i == maxElsewhere {
			b.WriteString("  … and on other clusters\n")
			break
		}
		b.WriteString("  " + cut(fmt.Sprintf("%s on %s", gitops.Count(s.Count(other).Apps, "application"), other), f.Width-2) + "\n")
	}
	return b.String()
}

func state(c fleetstatus.Cluster, f Frame) string {
	switch c.State {
	case fleetstatus.Ready:
		return f.Style.good.Render(pad("ready in "+Seconds(c.Took), 16))
	case fleetstatus.Starting:
		return f.Style.busy.Render(pad("starting, "+Seconds(f.Now.Sub(c.Since)), 16))
	case fleetstatus.Failed:
		return f.Style.bad.Render(pad("failed", 16))
	case fleetstatus.Waiting:
	}
	return f.Style.dim.Render(pad(string(c.State), 16))
}

func counts(s fleetstatus.Snapshot, c fleetstatus.Cluster, f Frame) string {
	t := s.Count(c.Name)
	if !s.Watching || t.Apps == 0 {
		return f.Style.dim.Render(fmt.Sprintf("  %6s  %6s  %7s", "-", "-", "-"))
	}
	numbers := "  " + padLeft(strconv.Itoa(t.Apps), 6) + "  " + padLeft(strconv.Itoa(t.Synced), 6) + "  " + padLeft(strconv.Itoa(t.Healthy), 7)
	return numbers + "  " + bar(t, f)
}

func bar(t fleetstatus.Tally, f Frame) string {
	full := t.Good * barWidth / max(t.Apps, 1)
	if t.Good < t.Apps {
		full = min(full, barWidth-1)
	}
	style := f.Style.busy
	if t.Good == t.Apps {
		style = f.Style.good
	}
	return style.Render(strings.Repeat("█", full)) + f.Style.dim.Render(strings.Repeat("░", barWidth-full))
}

// elsewhere lists destinations that are none of the fleet's clusters.
func elsewhere(s fleetstatus.Snapshot) []string {
	var others []string
	for _, a := range s.Apps {
		known := slices.ContainsFunc(s.Clusters, func(c fleetstatus.Cluster) bool { return c.Name == a.Cluster })
		if !known && !slices.Contains(others, a.Cluster) {
			others = append(others, a.Cluster)
		}
	}
	return others
}

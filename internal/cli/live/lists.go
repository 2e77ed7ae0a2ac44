package live

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

// trouble is a line of the list of problems.
type trouble struct{ name, text string }

func troubles(s fleetstatus.Snapshot) []trouble {
	var all []trouble
	if s.Problem != "" {
		all = append(all, trouble{"fleet " + s.Fleet, s.Problem})
	}
	for _, c := range s.Clusters {
		if c.Error != "" {
			all = append(all, trouble{"cluster " + c.Name, c.Error})
		}
	}
	for _, set := range s.Sets {
		if set.Problem != "" {
			all = append(all, trouble{"appset " + set.Name, set.Problem})
		}
	}
	for _, a := range s.Apps {
		if a.Problem != "" {
			all = append(all, trouble{a.Name, a.Problem})
		}
	}
	return all
}

func problems(s fleetstatus.Snapshot, f Frame, room int) []string {
	all := troubles(s)
	if len(all) == 0 {
		return nil
	}
	lines := []string{"  " + f.Style.bad.Render(gitops.Count(len(all), "problem"))}
	for i, t := range all {
		text := wrap(t.text, f.Width-6, problemLines)
		if len(lines)+len(text)+2 > room && i > 0 {
			return append(lines, "  … "+gitops.More(len(all)-i)+": causeway get apps")
		}
		lines = append(lines, "  "+f.Style.title.Render(cut(t.name, f.Width-4)))
		for _, line := range text {
			lines = append(lines, "    "+line)
		}
	}
	return lines
}

// waiting lists the applications that are on their way, the longest first.
func waiting(s fleetstatus.Snapshot, f Frame, room int) []string {
	var apps []fleetstatus.App
	for _, a := range s.Apps {
		if !a.Good() && a.Problem == "" {
			apps = append(apps, a)
		}
	}
	if len(apps) == 0 || room < 3 {
		return nil
	}
	slices.SortStableFunc(apps, func(a, b fleetstatus.App) int {
		return cmp.Or(cmp.Compare(weight(a), weight(b)), a.Since.Compare(b.Since))
	})
	lines := []string{"  " + f.Style.busy.Render(fmt.Sprintf("%d on the way", len(apps)))}
	row := shortRow
	if 2*len(apps)+2 <= room {
		row = longRow
	}
	names := min(longest(apps[:min(len(apps), room-2)]), nameWidth)
	for i, a := range apps {
		rows := row(a, names, f)
		if len(lines)+len(rows) >= room && i < len(apps)-1 {
			return append(lines, "  … "+gitops.More(len(apps)-i))
		}
		lines = append(lines, rows...)
	}
	return lines
}

func longest(apps []fleetstatus.App) int {
	width := 0
	for _, a := range apps {
		width = max(width, len([]rune(a.Name)))
	}
	return width
}

// shortRow has what is waited for beside the name; longRow below it.
func shortRow(a fleetstatus.App, names int, f Frame) []string {
	line := fmt.Sprintf("  %s  %s", pad(cut(a.Name, names), names), pad(doing(a), 11))
	if text := what(a); text != "" {
		line += "  " + f.Style.dim.Render(cut(text, f.Width-len([]rune(line))-2))
	}
	return []string{line}
}

func longRow(a fleetstatus.App, names int, f Frame) []string {
	lines := []string{fmt.Sprintf("  %s  %s", pad(cut(a.Name, names), names), doing(a))}
	if text := what(a); text != "" {
		lines = append(lines, "    "+f.Style.dim.Render(cut(text, f.Width-4)))
	}
	return lines
}

// weight puts those that wait for something before those that nothing is known of.
func weight(a fleetstatus.App) int {
	if a.Message != "" {
		return 0
	}
	return 1
}

func doing(a fleetstatus.App) string {
	switch {
	case a.Idle():
		return "by hand"
	case a.Checking:
		return "checking"
	case a.Syncing():
		return "syncing"
	case a.Sync == "Unknown":
		return "new"
	case a.Sync != "Synced":
		return a.Sync
	}
	return a.Health
}

func what(a fleetstatus.App) string {
	if a.Idle() {
		return "causeway sync " + a.Name
	}
	return brief(a.Message)
}

var objectName = regexp.MustCompile(`(?:[a-z0-9.-]*/)([A-Z][A-Za-z]*):(\S+)`)

// brief writes names of objects as people say them: "Application web" for
// "argoproj.io/Application:argocd/web".
func brief(message string) string {
	return objectName.ReplaceAllStringFunc(message, func(found string) string {
		m := objectName.FindStringSubmatch(found)
		if _, name, ok := strings.Cut(m[2], "/"); ok && m[1] == "Application" {
			return m[1] + " " + name
		}
		return m[1] + " " + strings.TrimPrefix(m[2], "/")
	})
}

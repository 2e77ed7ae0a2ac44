package live

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/causeway-gitops/causeway/internal/screen"
)

// Seconds shows a duration as people read it: "4.8 s", "3m12s".
func Seconds(d time.Duration) string {
	switch {
	case d < 0:
		return "0.0 s"
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// cut shortens a text to a width and leaves no line breaks in it.
func cut(text string, width int) string {
	return ansi.Truncate(screen.Words(text), max(width, 1), "…")
}

// pad fills a text to a width; right-aligned for numbers.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}

func padLeft(text string, width int) string {
	return strings.Repeat(" ", max(0, width-ansi.StringWidth(text))) + text
}

// wrap breaks a text into at most lines lines of a width.
func wrap(text string, width, lines int) []string {
	all := strings.Split(ansi.Wrap(screen.Words(text), max(width, 10), " "), "\n")
	if len(all) > lines {
		all = all[:lines]
		all[lines-1] = cut(all[lines-1]+" …", width)
	}
	return all
}

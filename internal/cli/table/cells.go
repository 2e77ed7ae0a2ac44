package table

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Dash is a text, or a dash for none.
func Dash(text string) string { return cmp.Or(text, "-") }

// Age is how long ago a time is, in its largest unit.
func Age(since, now time.Time) string {
	if since.IsZero() {
		return "-"
	}
	return duration.HumanDuration(now.Sub(since))
}

// ShortRevision are the revisions of an Application, cut for people.
func ShortRevision(app *v1alpha1.Application) string {
	revision := app.Status.Sync.Revision
	if app.Spec.HasMultipleSources() {
		revision = strings.Join(shortAll(app.Status.Sync.Revisions), ",")
	}
	return Dash(gitops.ShortRevision(revision))
}

// Qualified is a kind with its group, as kubectl takes it.
func Qualified(kind, group string) string {
	if group == "" {
		return kind
	}
	return kind + "." + group
}

// Short shows a path relative to the working folder where that is shorter.
func Short(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	relative, err := filepath.Rel(here, path)
	if err != nil || len(relative) >= len(path) {
		return path
	}
	return relative
}

// WriteLines prints lines.
func WriteLines(out io.Writer, lines []string) error {
	_, err := fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}

// CompactJSON is a value in one short line.
func CompactJSON(v any) string {
	const most = 48
	out := PlainJSON(v)
	if r := []rune(out); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return out
}

// PlainJSON is a value in one line; a text stands without its quotes.
func PlainJSON(v any) string {
	var text strings.Builder
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false) // people read it
	if err := to.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	out := strings.TrimSuffix(text.String(), "\n")
	if len(out) >= 2 && out[0] == '"' {
		return out[1 : len(out)-1]
	}
	return out
}

func shortAll(revisions []string) []string {
	out := make([]string, 0, len(revisions))
	for _, r := range revisions {
		if r != "" {
			out = append(out, gitops.ShortRevision(r))
		}
	}
	return out
}

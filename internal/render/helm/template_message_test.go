package helm

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestMessagesOfTemplates: what a chart tells who installs it is told in one line of
// text, at the template and its line, and ends where nobody reads on.
func TestMessagesOfTemplates(t *testing.T) {
	long := "x" + strings.Repeat("\u00e9", maxMessage)
	for name, tc := range map[string]struct{ reason, template, says, at string }{
		"Fail":     {"a chart may give up", "kind: A\n{{ fail \"set\\n  host\" }}\n", "set host", "web/templates/cm.yaml:2"},
		"Required": {"or want a value", "{{ required \"set .Values.host\" .Values.host }}", "set .Values.host", "web/templates/cm.yaml:1"},
		"Long":     {"a long message ends with a letter", "{{ fail \"" + long + "\" }}", "\u00e9\u00e9…", "web/templates/cm.yaml:1"},
		"Longer":   {"wherever it is cut", "{{ fail \"x" + long + "\" }}", "\u00e9\u00e9…", "web/templates/cm.yaml:1"},
		"Include":  {"a template that nobody defined", "a: 1\nb: {{ include \"none\" . }}\n", "none", "web/templates/cm.yaml:2"},
	} {
		t.Run(name, func(t *testing.T) {
			files := chartFiles().With("web/templates/cm.yaml", tc.template)
			_, err := New(Options{}).Render(t.Context(), sourceOf(t, files, v1alpha1.ApplicationSourceHelm{}, gitops.Facts{}))
			var p *gitops.Problem
			if !errors.As(err, &p) || !strings.Contains(p.What, tc.says) || p.Where.String() != tc.at || p.Fix != "correct the template or its values" {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if !utf8.ValidString(p.What) || strings.ContainsAny(p.What, "\n\t") || len(p.What) > maxMessage+100 {
				t.Errorf("%s: %d bytes, the last of which are %q", tc.reason, len(p.What), p.What[len(p.What)-20:])
			}
		})
	}
}

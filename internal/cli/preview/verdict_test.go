package preview

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// TestWhatAChangeIsAnswered: a pipeline goes by the exit code, and whoever reads it by what --fail-on found.
func TestWhatAChangeIsAnswered(t *testing.T) {
	group := func(risks ...forecast.RiskKind) []forecast.Group {
		g := forecast.Group{}
		for _, r := range risks {
			g.Risks = append(g.Risks, forecast.Risk{Kind: r})
		}
		return []forecast.Group{{}, g}
	}
	finding := func(reason string, isNew bool) []forecast.Finding {
		return []forecast.Finding{{Reason: reason, New: isNew}}
	}
	fewer := forecast.Forecast{Groups: group()}
	fewer.Summary.Objects.Removed = 1
	cases := map[string]struct {
		reason   string
		of       forecast.Forecast
		want     error
		failures string
	}{
		"nothing":             {"the same on both sides", forecast.Forecast{}, nil, ""},
		"changes":             {"an answer of its own", forecast.Forecast{Groups: group()}, command.ErrChanges, ""},
		"unknown":             {"what could not be told before is a change", forecast.Forecast{Summary: forecast.Summary{Unknown: 1}}, command.ErrChanges, ""},
		"untold":              {"what may change and cannot be told is no answer", forecast.Forecast{Groups: group(), Summary: forecast.Summary{Untold: 1}}, command.ErrSaid, failFailures},
		"breaks":              {"what works no more", forecast.Forecast{Failures: finding("RenderError", true)}, command.ErrSaid, failFailures},
		"broken before":       {"which is not the change's", forecast.Forecast{Failures: finding("RenderError", false)}, nil, ""},
		"missing":             {"a source that was not needed before", forecast.Forecast{Missing: []forecast.Missing{{New: true}}}, command.ErrSaid, failFailures},
		"missing before":      {"counts where everything missing is to fail", forecast.Forecast{Missing: []forecast.Missing{{}}}, nil, failFailures},
		"warning":             {"no failure unless one asks", forecast.Forecast{Warnings: finding("DuplicateKey", true)}, nil, failWarnings},
		"unresolved":          {"one that has a word of its own, too", forecast.Forecast{Warnings: finding("UnresolvedParameter", true)}, nil, failUnresolved + ", " + failWarnings},
		"warned before":       {"which is not the change's", forecast.Forecast{Warnings: finding("UnresolvedParameter", false)}, nil, ""},
		"deletion":            {"as the group tells", forecast.Forecast{Groups: group(forecast.RiskDeletion)}, command.ErrChanges, failDeletions},
		"application removed": {"its objects go", forecast.Forecast{Groups: group(), Summary: forecast.Summary{Removed: 1}}, command.ErrChanges, failDeletions},
		"object removed":      {"of an application that stays", fewer, command.ErrChanges, failDeletions},
		"definition":          {"of custom resources", forecast.Forecast{Groups: group(forecast.RiskCRDChanged)}, command.ErrChanges, failCRDs},
		"definition removed":  {"its objects go", forecast.Forecast{Groups: group(forecast.RiskCRDRemoved, forecast.RiskDeletion)}, command.ErrChanges, failDeletions + ", " + failCRDs},
		"immutable":           {"an API server refuses it", forecast.Forecast{Groups: group(forecast.RiskImmutable)}, command.ErrChanges, failImmutable},
	}
	for name, c := range cases {
		if got := answer(&c.of); !errors.Is(got, c.want) || got == nil != (c.want == nil) {
			t.Errorf("%s: %s: the answer is %v, want %v", name, c.reason, got, c.want)
		}
		if got := strings.Join(failing(&c.of, allFailOn), ", "); got != c.failures {
			t.Errorf("%s: %s: it fails for %q, want %q", name, c.reason, got, c.failures)
		}
	}
	deleted := &forecast.Forecast{Groups: group(forecast.RiskDeletion, forecast.RiskImmutable)}
	if got := failing(deleted, []string{failImmutable, failWarnings}); !cmp.Equal(got, []string{failImmutable}) {
		t.Errorf("what was not asked for fails nothing: %q", got)
	}
}

// TestPlacesOfFindings: a person goes to the line, or to what is known instead of one.
func TestPlacesOfFindings(t *testing.T) {
	cases := map[string]struct {
		reason          string
		of              forecast.Finding
		place, clusters string
	}{
		"line":     {"a line of a file", forecast.Finding{Subject: "ApplicationSet web", File: "set.yaml", Line: 7, Clusters: []string{"dev"}}, "set.yaml:7", " (on dev)"},
		"file":     {"of a file as a whole", forecast.Finding{Subject: "ApplicationSet web", File: "set.yaml"}, "set.yaml", ""},
		"subject":  {"where no file is known", forecast.Finding{Subject: "Application web"}, "Application web", ""},
		"nothing":  {"a column has something in it", forecast.Finding{}, "-", ""},
		"many":     {"no more than a person reads", forecast.Finding{Clusters: []string{"a", "b", "c", "d", "e", "f", "g"}}, "-", " (on a, b, c, d, e and 2 more)"},
		"no name":  {"on a cluster that nobody knows it is on none", forecast.Finding{Clusters: []string{"dev", ""}}, "-", ""},
		"newlines": {"whoever wrote the repository named the files and clusters", forecast.Finding{File: "a\n::error::b", Line: 1, Clusters: []string{"a\nb"}}, "a ::error::b:1", " (on a b)"},
	}
	for name, c := range cases {
		if place, on := place(c.of), onClusters(c.of); place != c.place || on != c.clusters {
			t.Errorf("%s: %s: %q%q", name, c.reason, place, on)
		}
	}
}

package operate

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
)

// TestStepsAreDrawnToScale: a bar has one length, whatever a step has.
func TestStepsAreDrawnToScale(t *testing.T) {
	const healthy, pending, progressing, waits = v1alpha1.ProgressiveSyncHealthy, v1alpha1.ProgressiveSyncPending, v1alpha1.ProgressiveSyncProgressing, v1alpha1.ProgressiveSyncWaiting
	cases := map[string]struct {
		reason string
		states []progressCode
		want   string
	}{
		"none":    {"a step that selects nothing", nil, strings.Repeat("·", stepBar)},
		"done":    {"all of it", []progressCode{healthy, healthy, healthy}, strings.Repeat("█", stepBar)},
		"at work": {"what is asked for, too", []progressCode{pending, progressing}, strings.Repeat("▒", stepBar)},
		"thirds":  {"what does not divide is not drawn as done", []progressCode{waits, progressing, healthy}, strings.Repeat("█", 6) + strings.Repeat("▒", 6) + strings.Repeat("·", 8)},
		"unknown": {"what nobody here knows waits", []progressCode{"Paused"}, strings.Repeat("·", stepBar)},
	}
	for name, c := range cases {
		var all []rollout.Entry
		for _, state := range c.states {
			all = append(all, rollout.Entry{Step: "1", Status: state})
		}
		if got := viewStep(1, all).bar(); got != c.want || utf8.RuneCountInString(got) != stepBar {
			t.Errorf("%s: %s: %s", name, c.reason, got)
		}
	}
}

// TestStatesOfARollOut: that it is paused is told once, and where nothing is said there is a dash.
func TestStatesOfARollOut(t *testing.T) {
	for want, v := range map[string]rolloutView{
		"addons: -\n": {}, "addons: paused\n": {Paused: true}, "addons: paused; step 1 waits\n": {Paused: true, Message: "step 1 waits"}, "addons: it is paused at step 1\n": {Paused: true, Message: "it is paused at step 1"}, "addons: step 1 waits\n": {Message: "step 1 waits"},
	} {
		v.Name = "addons"
		var out bytes.Buffer
		if err := printRollout(&command.Global{Streams: command.Streams{Out: &out}, NoColor: true}, v, table.AsTable, clitest.Noon); err != nil || !strings.HasPrefix(out.String(), want) {
			t.Errorf("%+v: %v\n%s", v, err, out.String())
		}
	}
}

// TestWhoHoldsAStepUp are told in the order of their names, with since when; those that are done are not.
func TestWhoHoldsAStepUp(t *testing.T) {
	at := v1alpha1.NewTime(clitest.Noon.Add(-90 * time.Second))
	set := stepped("addons")
	set.Status.ApplicationStatus = []rollout.Entry{
		{Application: "b", Step: "1", Status: v1alpha1.ProgressiveSyncWaiting, Message: "waits\nfor a", LastTransitionTime: &at}, {Application: "c", Step: "1", Status: v1alpha1.ProgressiveSyncHealthy},
		{Application: "a", Step: "1", Status: v1alpha1.ProgressiveSyncPending}, {Application: "lost", Step: "-1", Status: v1alpha1.ProgressiveSyncWaiting}, {Application: "of a former step", Step: "7"},
	}
	view, err := viewRollout(&set)
	if err != nil {
		t.Fatal(err)
	}
	steps, waits := rolloutTables(view, clitest.Noon)
	var rows [][]string
	for _, row := range steps.Rows {
		rows = append(rows, append(row[:2:2], row[3:]...))
	}
	if diff := cmp.Diff([][]string{{"1", "1/3", "1", "1", "1"}, {"none", "0/1", "all", "1", "0"}}, rows); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][]string{{"1", "a", "Pending", "-", ""}, {"1", "b", "Waiting", "90s", "waits for a"}, {"none", "lost", "Waiting", "-", ""}}, waits.Rows); diff != "" {
		t.Errorf("who waits (-want +got):\n%s", diff)
	}
}

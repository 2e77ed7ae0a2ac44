package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/policy"
)

type windowsFlags struct {
	*global

	output string
}

// schedule is what the sync windows say of an application, as it is printed.
type schedule struct {
	Application string `json:"application"`
	Project     string `json:"project"`
	// Automated and Manual tell when such a sync may run; "now", "never", or a time.
	Automated string        `json:"automated"`
	Manual    string        `json:"manual"`
	Windows   []windowOfApp `json:"windows"`
}

type windowOfApp struct {
	Index    int        `json:"index"`
	Kind     string     `json:"kind"`
	Schedule string     `json:"schedule"`
	Duration string     `json:"duration"`
	TimeZone string     `json:"timeZone,omitempty"`
	Active   bool       `json:"active"`
	Changes  *time.Time `json:"changes,omitempty"`
	Note     string     `json:"note,omitempty"`
}

func newWindows(g *global) *cobra.Command {
	w := &windowsFlags{global: g, output: asTable}
	cmd := &cobra.Command{
		Use:   "windows APP",
		Short: "Tell which sync windows hold for an application, and when it may sync next",
		Long: "List the sync windows of the project that concern an application: which are active, when each of them opens\n" +
			"or closes next, and when an automated and a manual sync may run.",
		Example:           "  causeway windows shop-prod",
		Args:              one("an application"),
		RunE:              func(cmd *cobra.Command, args []string) error { return w.run(cmd.Context(), args[0]) },
		ValidArgsFunction: g.completeApp,
	}
	cmd.Flags().StringVarP(&w.output, "output", "o", w.output, "how to print: table, json, yaml")
	return cmd
}

func (w *windowsFlags) run(ctx context.Context, name string) error {
	if err := checkOutput(w.output, asTable, asJSON, asYAML); err != nil {
		return err
	}
	h, err := w.connect()
	if err != nil {
		return err
	}
	application, err := h.application(ctx, name)
	if err != nil {
		return err
	}
	project, err := app.ReadProject(ctx, h.client, h.namespace, application.Spec.GetProject())
	if err != nil {
		return h.explain(err)
	}
	s := scheduleOf(project, application, time.Now())
	if w.output != asTable {
		return printValue(w.Out, w.output, s)
	}
	return w.print(s)
}

func scheduleOf(project *v1alpha1.AppProject, application *v1alpha1.Application, now time.Time) schedule {
	opening := policy.Opens(project, application, now)
	s := schedule{
		Application: application.Name, Project: project.Name, Windows: []windowOfApp{},
		Automated: when(opening.Auto, now), Manual: when(opening.Manual, now),
	}
	for _, state := range policy.Agenda(project, application, now) {
		spec := project.Spec.SyncWindows[state.Index]
		line := windowOfApp{
			Index: state.Index, Kind: spec.Kind, Schedule: spec.Schedule, Duration: spec.Duration, TimeZone: spec.TimeZone, Active: state.Open, Note: state.Note,
		}
		if !state.Changes.IsZero() {
			at := state.Changes.UTC().Truncate(time.Second)
			line.Changes = &at
		}
		s.Windows = append(s.Windows, line)
	}
	return s
}

// when is an opening in words.
func when(at, now time.Time) string {
	switch {
	case at.IsZero():
		return "never"
	case !at.After(now):
		return "now"
	}
	return at.UTC().Truncate(time.Second).Format(time.RFC3339)
}

func (w *windowsFlags) print(s schedule) error {
	_, _ = fmt.Fprintf(w.Out, "automated sync: %s\nmanual sync:    %s\n", s.Automated, s.Manual)
	if len(s.Windows) == 0 {
		_, _ = fmt.Fprintf(w.Out, "no sync window of project %s concerns %s\n", s.Project, s.Application)
		return nil
	}
	_, _ = fmt.Fprintln(w.Out)
	t := table{header: []string{"WINDOW", "KIND", "SCHEDULE", "DURATION", "ZONE", "ACTIVE", "UNTIL", "NOTE"}}
	for _, line := range s.Windows {
		active, until := "no", "-"
		if line.Active {
			active = "yes"
		}
		if line.Changes != nil {
			until = line.Changes.Format(time.RFC3339)
		}
		t.rows = append(t.rows, []string{strconv.Itoa(line.Index), line.Kind, line.Schedule, line.Duration, orUTC(line.TimeZone), active, until, oneLine(line.Note)})
	}
	return t.print(w.Out, w.style(w.Out), widthOf(w.Out))
}

func orUTC(zone string) string {
	if zone == "" {
		return "UTC"
	}
	return zone
}

package operate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	apiclient "github.com/causeway-gitops/causeway/internal/client"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// NewRollout returns the command rollout.
func NewRollout(g *command.Global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rollout",
		Short: "Look at, pause and resume the roll-out of an application set in steps",
		Args:  command.UnknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRolloutStatus(g),
		newRolloutSwitch(g, &rolloutSwitch{"pause", "Let a roll-out begin nothing more; syncs that run go on", "is paused", rollout.Pause, (*apiclient.Client).PauseSet}),
		newRolloutSwitch(g, &rolloutSwitch{"resume", "Let a paused roll-out go on", "goes on", rollout.Resume, (*apiclient.Client).ResumeSet}))
	return cmd
}

// rolloutView is a roll-out as it is printed.
type rolloutView struct {
	Name   string `json:"name"`
	Paused bool   `json:"paused"`
	// Message of the condition RolloutProgressing, after that of ErrorOccurred.
	Message string     `json:"message,omitempty"`
	Steps   []stepView `json:"steps"`
}

// stepView is one step; Number is -1 for what no step selects.
type stepView struct {
	Number       int             `json:"step"`
	MaxUpdate    string          `json:"maxUpdate,omitempty"`
	Done         int             `json:"done"`
	Applications []rollout.Entry `json:"applications"`

	counts map[progressCode]int
}

type progressCode = v1alpha1.ProgressiveSyncStatusCode

func newRolloutStatus(g *command.Global) *cobra.Command {
	output := table.AsTable
	cmd := &cobra.Command{
		Use:   "status SET",
		Short: "Show the steps of a roll-out, and what each waits for",
		Args:  command.One("an application set"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := table.CheckOutput(output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
				return err
			}
			view, err := readRollout(cmd.Context(), g, args[0])
			if err != nil {
				return err
			}
			if !table.Tabular(output) {
				return table.PrintValue(g.Out, output, view)
			}
			return printRollout(g, view, output, time.Now())
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", output, "how to print: table, wide, json, yaml")
	return cmd
}

func readRollout(ctx context.Context, g *command.Global, name string) (rolloutView, error) {
	h, err := target.Reach(g)
	if err != nil {
		return rolloutView{}, err
	}
	set, err := h.ApplicationSet(ctx, name)
	if err != nil {
		return rolloutView{}, err
	}
	return viewRollout(set)
}

func viewRollout(set *v1alpha1.ApplicationSet) (rolloutView, error) {
	steps, err := rollout.Of(set)
	if err != nil {
		return rolloutView{}, err
	}
	if len(steps) == 0 {
		return rolloutView{}, fmt.Errorf("application set %s brings all of its applications up to date at once: set spec.strategy.type: RollingSync to do it in steps", set.Name)
	}
	v := rolloutView{Name: set.Name, Paused: rollout.Paused(set)}
	v.Message = rollout.Message(set.Status.Conditions)
	for i, s := range steps {
		step := viewStep(i+1, set.Status.ApplicationStatus)
		if s.MaxUpdate != nil {
			step.MaxUpdate = s.MaxUpdate.String()
		}
		v.Steps = append(v.Steps, step)
	}
	if rest := viewStep(rollout.Unmatched, set.Status.ApplicationStatus); len(rest.Applications) > 0 {
		v.Steps = append(v.Steps, rest)
	}
	return v, nil
}

func viewStep(number int, all []rollout.Entry) stepView {
	s := stepView{Number: number, Applications: rollout.In(number, all), counts: map[progressCode]int{}}
	for _, e := range s.Applications {
		s.counts[e.Status]++
	}
	s.Done = s.counts[v1alpha1.ProgressiveSyncHealthy]
	slices.SortFunc(s.Applications, func(a, b rollout.Entry) int { return cmp.Compare(a.Application, b.Application) })
	return s
}

// stepBar is how many characters show how far a step is.
const stepBar = 20

// bar draws the share that is done, and that which is at work.
func (s stepView) bar() string {
	total := max(len(s.Applications), 1)
	done := s.Done * stepBar / total
	atWork := (s.counts[v1alpha1.ProgressiveSyncPending] + s.counts[v1alpha1.ProgressiveSyncProgressing]) * stepBar / total
	return strings.Repeat("█", done) + strings.Repeat("▒", atWork) + strings.Repeat("·", stepBar-done-atWork)
}

func printRollout(g *command.Global, v rolloutView, output string, now time.Time) error {
	state := v.Message
	if v.Paused && !strings.Contains(state, "paused") {
		state = strings.TrimSuffix("paused; "+state, "; ")
	}
	if _, err := fmt.Fprintf(g.Out, "%s: %s\n\n", v.Name, table.Dash(screen.Words(state))); err != nil {
		return err
	}
	steps, waits := rolloutTables(v, now)
	if err := table.Print(g, steps, output); err != nil || len(waits.Rows) == 0 {
		return err
	}
	_, _ = fmt.Fprintln(g.Out)
	return table.Print(g, waits, output)
}

// rolloutTables are the steps, and the applications that are not done.
func rolloutTables(v rolloutView, now time.Time) (steps, waits table.Table) {
	steps = table.Table{Keys: 1, Header: []string{"STEP", "DONE", "", "AT ONCE", "WAITING", "AT WORK"}}
	waits = table.Table{Keys: 2, Header: []string{"STEP", "APPLICATION", "STATE", "SINCE", "WHY"}}
	for _, s := range v.Steps {
		number := strconv.Itoa(s.Number)
		if s.Number == rollout.Unmatched {
			number = "none"
		}
		atWork := s.counts[v1alpha1.ProgressiveSyncPending] + s.counts[v1alpha1.ProgressiveSyncProgressing]
		steps.Rows = append(steps.Rows, []string{
			number, fmt.Sprintf("%d/%d", s.Done, len(s.Applications)), s.bar(), cmp.Or(s.MaxUpdate, "all"),
			strconv.Itoa(s.counts[v1alpha1.ProgressiveSyncWaiting]), strconv.Itoa(atWork),
		})
		for _, e := range s.Applications {
			if e.Status != v1alpha1.ProgressiveSyncHealthy {
				waits.Rows = append(waits.Rows, []string{number, e.Application, string(e.Status), since(e, now), screen.Words(e.Message)})
			}
		}
	}
	return steps, waits
}

func since(e rollout.Entry, now time.Time) string {
	if e.LastTransitionTime == nil {
		return "-"
	}
	return duration.HumanDuration(now.Sub(e.LastTransitionTime.Time))
}

// rolloutSwitch pauses a roll-out, or lets it go on.
type rolloutSwitch struct {
	name, short, done string
	// set does it to an ApplicationSet, and ask has a server do it.
	set func(*v1alpha1.ApplicationSet) error
	ask func(*apiclient.Client, context.Context, apiclient.Key) error
}

func newRolloutSwitch(g *command.Global, s *rolloutSwitch) *cobra.Command {
	return &cobra.Command{
		Use: s.name + " SET", Short: s.short, Args: command.One("an application set"),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := target.Reach(g)
			if err != nil {
				return err
			}
			set, err := h.ApplicationSet(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			before := set.DeepCopy()
			if err := s.set(set); err != nil {
				return err
			}
			if err := s.write(cmd.Context(), h, before, set); err != nil {
				return fmt.Errorf("cannot %s the roll-out: %w", s.name, err)
			}
			_, err = fmt.Fprintf(g.Out, "the roll-out of %s %s\n", args[0], s.done)
			return err
		},
	}
}

// write writes that a roll-out is paused or goes on, or has the server do so.
func (s *rolloutSwitch) write(ctx context.Context, h *target.Hub, before, set *v1alpha1.ApplicationSet) error {
	if h.Server != nil {
		return h.Explain(s.ask(h.Server, ctx, apiclient.Key{Namespace: set.Namespace, Name: set.Name}))
	}
	return h.Patch(ctx, before, set)
}

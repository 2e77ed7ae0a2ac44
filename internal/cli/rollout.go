package cli

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
	serverclient "github.com/causeway-gitops/causeway/internal/client"
	"github.com/causeway-gitops/causeway/internal/policy/rollout"
	"github.com/causeway-gitops/causeway/internal/screen"
)

func newRollout(g *global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rollout",
		Short: "Look at, pause and resume the roll-out of an application set in steps",
		Args:  unknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRolloutStatus(g),
		newRolloutSwitch(g, "pause", "Let a roll-out begin nothing more; syncs that run go on", "is paused", true),
		newRolloutSwitch(g, "resume", "Let a paused roll-out go on", "goes on", false))
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

func newRolloutStatus(g *global) *cobra.Command {
	output := asTable
	cmd := &cobra.Command{
		Use:   "status SET",
		Short: "Show the steps of a roll-out, and what each waits for",
		Args:  one("an application set"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutput(output, asTable, asWide, asJSON, asYAML); err != nil {
				return err
			}
			view, err := g.rollout(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if !tabular(output) {
				return printValue(g.Out, output, view)
			}
			return g.printRollout(view, output, time.Now())
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", output, "how to print: table, wide, json, yaml")
	return cmd
}

func (g *global) rollout(ctx context.Context, name string) (rolloutView, error) {
	h, err := g.reach()
	if err != nil {
		return rolloutView{}, err
	}
	set, err := h.applicationSet(ctx, name)
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

func (g *global) printRollout(v rolloutView, output string, now time.Time) error {
	state := v.Message
	if v.Paused && !strings.Contains(state, "paused") {
		state = strings.TrimSuffix("paused; "+state, "; ")
	}
	if _, err := fmt.Fprintf(g.Out, "%s: %s\n\n", v.Name, dash(state)); err != nil {
		return err
	}
	steps, waits := rolloutTables(v, now)
	if err := g.printTable(steps, output); err != nil || len(waits.rows) == 0 {
		return err
	}
	_, _ = fmt.Fprintln(g.Out)
	return g.printTable(waits, output)
}

// rolloutTables are the steps, and the applications that are not done.
func rolloutTables(v rolloutView, now time.Time) (steps, waits table) {
	steps = table{keys: 1, header: []string{"STEP", "DONE", "", "AT ONCE", "WAITING", "AT WORK"}}
	waits = table{keys: 2, header: []string{"STEP", "APPLICATION", "STATE", "SINCE", "WHY"}}
	for _, s := range v.Steps {
		number := strconv.Itoa(s.Number)
		if s.Number == rollout.Unmatched {
			number = "none"
		}
		atWork := s.counts[v1alpha1.ProgressiveSyncPending] + s.counts[v1alpha1.ProgressiveSyncProgressing]
		steps.rows = append(steps.rows, []string{
			number, fmt.Sprintf("%d/%d", s.Done, len(s.Applications)), s.bar(), cmp.Or(s.MaxUpdate, "all"),
			strconv.Itoa(s.counts[v1alpha1.ProgressiveSyncWaiting]), strconv.Itoa(atWork),
		})
		for _, e := range s.Applications {
			if e.Status != v1alpha1.ProgressiveSyncHealthy {
				waits.rows = append(waits.rows, []string{number, e.Application, string(e.Status), since(e, now), screen.Words(e.Message)})
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

// newRolloutSwitch pauses a roll-out, or lets it go on.
func newRolloutSwitch(g *global, name, short, done string, paused bool) *cobra.Command {
	return &cobra.Command{
		Use: name + " SET", Short: short, Args: one("an application set"),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := g.reach()
			if err != nil {
				return err
			}
			set, err := h.applicationSet(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			before := set.DeepCopy()
			if err := rollout.Pause(set, paused); err != nil {
				return err
			}
			if err := h.pause(cmd.Context(), before, set, paused); err != nil {
				return fmt.Errorf("cannot %s the roll-out: %w", name, err)
			}
			_, err = fmt.Fprintf(g.Out, "the roll-out of %s %s\n", args[0], done)
			return err
		},
	}
}

// pause writes that a roll-out is paused or goes on, or asks the server to.
func (h *hub) pause(ctx context.Context, before, set *v1alpha1.ApplicationSet, paused bool) error {
	if h.server != nil {
		return h.explain(h.server.PauseSet(ctx, serverclient.Key{Namespace: set.Namespace, Name: set.Name}, paused))
	}
	return h.patch(ctx, before, set)
}

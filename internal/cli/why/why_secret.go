package why

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/cli/secrets"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/secrets/usage"
)

// secretPrefix begins the questions about a Secret of a cluster.
const secretPrefix = "secret/"

// asksSecret reports whether a question is about a Secret. An application of that name has objects whose kinds are
// written as Kubernetes does, or is named with its namespace.
func (w *whyObjectFlags) asksSecret(text string) bool {
	name, ok := strings.CutPrefix(text, secretPrefix)
	return ok && !w.chain.offline && !w.chain.values && w.chain.value == "" && w.namespace == "" && name == strings.ToLower(name)
}

// onlySecrets refuses flags of Secrets that are empty, or where something else is asked about.
func (w *whyObjectFlags) onlySecrets(cmd *cobra.Command, text string) error {
	if err := command.Emptied(cmd.Flags(), "cluster", "secret-namespace"); err != nil || w.asksSecret(text) {
		return err
	}
	for _, name := range []string{"cluster", "secret-namespace"} {
		if cmd.Flags().Changed(name) {
			return command.Usagef("--%s is for Secrets, and %q is none: write secret/NAME, or leave the flag out", name, text)
		}
	}
	return nil
}

// secret answers secret/NAME.
func (w *whyObjectFlags) secret(ctx context.Context, text string) error {
	if err := table.CheckOutput(w.chain.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	where, name, err := w.where.Of(strings.TrimPrefix(text, secretPrefix))
	if err != nil {
		return err
	}
	if name == "" {
		return command.Usagef("%q names no Secret: write secret/NAME; causeway secrets lists those that ExternalSecrets make", text)
	}
	if w.Server.Address != "" {
		return target.ErrServed("where a Secret comes from")
	}
	h, err := target.Connect(w.Global)
	if err != nil {
		return err
	}
	found, err := secrets.Named(ctx, h, where, name)
	if err != nil {
		return err
	}
	for _, warning := range found.Warnings {
		_, _ = fmt.Fprintf(w.Err, "warning: %s\n", screen.Words(warning))
	}
	if err := theOne(found, where, name); err != nil {
		return err
	}
	if !table.Tabular(w.chain.output) {
		return table.PrintValue(w.Out, w.chain.output, found.Secrets)
	}
	return table.WriteLines(w.Out, secretLines(found.Secrets, w.Style(w.Out), time.Now()))
}

// theOne is an error unless what was found is one Secret. Several ExternalSecrets may put values into it.
func theOne(found *secrets.Found, where secrets.Where, name string) error {
	if found.Answered == 0 {
		return errors.New("no cluster answers")
	}
	if len(found.Secrets) == 0 {
		in := ""
		if where.Namespace != "" {
			in = " in namespace " + where.Namespace
		}
		return fmt.Errorf("there is no Secret %q%s, and no ExternalSecret makes one%s", name, in, command.NearOr(name, found.Known, "secrets"))
	}
	var places []string
	for i := range found.Secrets {
		s := &found.Secrets[i]
		places = append(places, gitops.NameIn(s.Namespace, s.Name)+" of cluster "+s.Cluster)
	}
	places = command.Compact(places)
	if len(places) == 1 {
		return nil
	}
	const most = 8
	return command.Usagef("secret/%s may be %s: name one with --cluster and --secret-namespace", name, gitops.Listed(places, most))
}

// secretLines tell of a Secret, by each ExternalSecret that makes it.
func secretLines(all []secrets.Secret, style live.Style, now time.Time) []string {
	var lines []string
	for i := range all {
		s := &all[i]
		title := style.Title(screen.Line(s.Title())) + " of cluster " + screen.Line(s.Cluster)
		if s.ExternalSecret == "" {
			lines = append(lines, title+" is made by no ExternalSecret")
			lines = append(lines, flat(foreignLines(s, now))...)
			continue
		}
		lines = append(lines, title+": "+style.Word(s.Status(now)))
		lines = append(lines, flat(slices.Concat(makerLines(s), keyLinesOf(s), refreshLines(s, now), userLines(s)))...)
	}
	return lines
}

func makerLines(s *secrets.Secret) []string {
	by := fmt.Sprintf("  made by ExternalSecret %s, creationPolicy %s", gitops.NameIn(s.Namespace, s.ExternalSecret), s.Policy)
	if s.Application != "" {
		by += ", of application " + s.Application
	}
	lines := []string{by}
	if s.Store.Name != "" {
		lines = append(lines, "  store "+s.Store.Whole())
	}
	return lines
}

func keyLinesOf(s *secrets.Secret) []string {
	var lines []string
	for i := range s.Keys {
		k := &s.Keys[i]
		text := "all keys"
		if k.Key != "" {
			text = k.Key
		}
		lines = append(lines, "    "+text+": "+k.Source())
	}
	if s.Template {
		lines = append(lines, "  what is read goes through spec.target.template")
	}
	return lines
}

func refreshLines(s *secrets.Secret, now time.Time) []string {
	var lines []string
	if at := s.Changes(); at != nil {
		what := "values changed"
		if s.Changed == nil {
			what = "the Secret was created"
		}
		lines = append(lines, fmt.Sprintf("  %s %s ago (%s)", what, table.Age(*at, now), at.UTC().Format(time.RFC3339)))
	}
	for i := range s.Leases {
		lines = append(lines, "  "+s.Leases[i].Told(now))
	}
	if !s.Ready {
		return append(lines, staleLines(s, now)...)
	}
	if s.Lacking() {
		lines = append(lines, "  the Secret is not there, although it was made")
	}
	if s.Last == nil {
		return lines
	}
	last := fmt.Sprintf("  fetched %s ago (%s)", table.Age(*s.Last, now), s.Last.UTC().Format(time.RFC3339))
	switch due := s.Due(now); {
	case due == "never" && len(s.Leases) > 0:
		last += ", and again when the lease cannot be renewed any more"
	case due == "never":
		last += ", and never again (CreatedOnce)"
	case due == "on change":
		last += "; again when the ExternalSecret changes"
	default:
		last += "; next " + due
	}
	return append(lines, last)
}

// staleLines tell why values are not what the store has.
func staleLines(s *secrets.Secret, now time.Time) []string {
	var lines []string
	switch {
	case s.Last != nil:
		lines = append(lines, fmt.Sprintf("  stale: values were fetched %s ago (%s), and are tried again by themselves", table.Age(*s.Last, now), s.Last.UTC().Format(time.RFC3339)))
	case s.Since == nil:
		lines = append(lines, "  nobody has looked at the ExternalSecret yet: is the engine switched on for it (--secrets), or its operator there?")
	default:
		lines = append(lines, "  values were never fetched, and are tried again by themselves")
	}
	if s.Since != nil {
		lines = append(lines, fmt.Sprintf("  since %s: %s", s.Since.UTC().Format(time.RFC3339), said(s.Reason, s.Message)))
	}
	return lines
}

// foreignLines tell whose a Secret is that no ExternalSecret makes.
func foreignLines(s *secrets.Secret, now time.Time) []string {
	var lines []string
	if s.Left {
		lines = append(lines, "  one made it that is not there any more")
	}
	if s.Application != "" {
		lines = append(lines, "  it belongs to application "+s.Application)
	}
	if len(s.Owners) > 0 {
		lines = append(lines, "  owned by "+strings.Join(s.Owners, ", "))
	}
	if len(lines) == 0 {
		lines = append(lines, "  no application and no object owns it")
	}
	if len(s.Writers) > 0 {
		lines = append(lines, "  written by "+strings.Join(s.Writers, ", "))
	}
	if s.Created != nil {
		lines = append(lines, fmt.Sprintf("  created %s ago (%s)", table.Age(*s.Created, now), s.Created.UTC().Format(time.RFC3339)))
	}
	return append(lines, userLines(s)...)
}

func userLines(s *secrets.Secret) []string {
	if s.Kind != "Secret" {
		return nil // who uses others is not looked for
	}
	if len(s.UsedBy) == 0 {
		return []string{"  no workload of the namespace uses it"}
	}
	var lines []string
	for _, u := range s.UsedBy {
		lines = append(lines, fmt.Sprintf("  used by %s (%s)%s", u, strings.Join(u.By, ", "), restarting(s, u)))
	}
	return lines
}

// restarting is what follows for a workload when values change, as a policy has it.
func restarting(s *secrets.Secret, u secrets.Workload) string {
	switch {
	case s.ExternalSecret == "":
		return ""
	case s.Policy == "Merge", u.Kind == "Job", u.Kind == "CronJob", slices.Equal(u.By, []string{usage.ByAccount}):
		return ", not restarted when values change" // nobody knows when they did; a later run has them anyway; or no pod reads them
	case u.Restart == "true":
		return ", restarted when values change, as " + u.RestartBy + " says"
	case u.Restart != "":
		return ", not restarted when values change, as " + u.RestartBy + " says"
	}
	return ", not restarted when values change"
}

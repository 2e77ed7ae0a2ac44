package get

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/secrets"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/screen"
)

type secretsFlags struct {
	*command.Global

	where  secrets.Where
	output string
}

// NewSecrets returns the command secrets.
func NewSecrets(g *command.Global) *cobra.Command {
	s := &secretsFlags{Global: g, output: table.AsTable}
	cmd := &cobra.Command{
		Use:   "secrets [NAME]",
		Short: "List the Secrets that ExternalSecrets make: from which store, how old, who uses them",
		Long: "List the Secrets that ExternalSecrets make in all clusters of the fleet: whether they hold what they should, of\n" +
			"which store and entries they are, in which version, how old their values are, when they are fetched next, and\n" +
			"which workloads use them. Those that need attention come first. NAME is that of the Secret or the\n" +
			"ExternalSecret, and may have its namespace before it.\n\n" +
			"Clusters are asked with the credentials of their Secrets on the hub. Values are not read.",
		Example: "  causeway secrets\n  causeway secrets --cluster prod -N shop\n  causeway secrets shop/database -o wide",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return command.TooMany(cmd, args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.Emptied(cmd.Flags(), "cluster", "secret-namespace"); err != nil {
				return err
			}
			return s.run(cmd.Context(), strings.Join(args, ""))
		},
		ValidArgsFunction: completeSecrets(g),
	}
	s.where.Register(cmd.Flags(), "N")
	cmd.Flags().StringVarP(&s.output, "output", "o", s.output, "how to print: table, wide, json, yaml")
	return cmd
}

func completeSecrets(g *command.Global) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return target.Complete(cmd, g, secrets.Names)
	}
}

func (s *secretsFlags) run(ctx context.Context, name string) error {
	if err := table.CheckOutput(s.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	where, bare, err := s.where.Of(name)
	if err != nil {
		return err
	}
	h, err := target.Connect(s.Global)
	if err != nil {
		return err
	}
	found, err := secrets.List(ctx, h, where)
	if err != nil {
		return err
	}
	for _, w := range found.Warnings {
		_, _ = fmt.Fprintf(s.Err, "warning: %s\n", screen.Words(w))
	}
	if found.Answered == 0 {
		return errors.New("no cluster answers")
	}
	all, err := namedSecrets(found.Secrets, bare)
	if err != nil {
		return err
	}
	return s.print(all)
}

// namedSecrets are those of a name; all without one.
func namedSecrets(all []secrets.Secret, name string) ([]secrets.Secret, error) {
	if name == "" {
		return all, nil
	}
	var known []string
	out := slices.DeleteFunc(slices.Clone(all), func(s secrets.Secret) bool {
		known = append(known, s.Name, s.ExternalSecret)
		return s.Name != name && s.ExternalSecret != name
	})
	if len(out) == 0 {
		return nil, fmt.Errorf("no ExternalSecret makes a Secret %q%s", name, command.NearOr(name, known, "secrets"))
	}
	return out, nil
}

func (s *secretsFlags) print(all []secrets.Secret) error {
	if !table.Tabular(s.output) {
		return table.PrintValue(s.Out, s.output, slices.Concat([]secrets.Secret{}, all)) // [] for none
	}
	if len(all) == 0 {
		_, _ = fmt.Fprintln(s.Err, "no ExternalSecrets found")
		return nil
	}
	return table.Print(s.Global, secretsTable(all, s.output, time.Now()), s.output)
}

// secretsTable tells of Secrets; for wide with each key and the last error.
func secretsTable(all []secrets.Secret, output string, now time.Time) table.Table {
	t := table.Table{Keys: 2, Wrapped: []string{"STATUS"}, Header: []string{"CLUSTER", "SECRET", "STATUS", "STORE", "READS", "VERSION", "AGE", "NEXT", "USED BY"}}
	if output == table.AsWide {
		t = table.Table{Keys: 2, Header: []string{"CLUSTER", "SECRET", "EXTERNALSECRET", "APP", "STATUS", "STORE", "READS", "VERSION", "AGE", "REFRESHED", "NEXT", "LEASE", "USED BY", "MESSAGE"}}
	}
	for i := range all {
		s := &all[i]
		name := gitops.NameIn(s.Namespace, s.Name)
		if output == table.AsWide {
			t.Rows = append(t.Rows, []string{
				s.Cluster, name, s.ExternalSecret, table.Dash(s.Application), s.Status(now), table.Dash(s.Store.Whole()), table.Dash(s.ReadsAll()), table.Dash(s.VersionText()),
				s.Age(now), s.RefreshedText(now), s.Due(now), table.Dash(s.LeaseText(now)), table.Dash(strings.Join(s.Users(), ", ")), table.Dash(problemOf(s)),
			})
			continue
		}
		t.Rows = append(t.Rows, []string{
			s.Cluster, name, s.Status(now), table.Dash(s.Store.Short()), table.Dash(s.Reads()), table.Dash(s.VersionText()), s.Age(now), s.Due(now), table.Dash(counted(s.Users())),
		})
	}
	return t
}

// counted lists names after their number, which stays where names are cut.
func counted(names []string) string {
	all := strings.Join(names, ", ")
	if len(names) < 2 {
		return all
	}
	return fmt.Sprintf("%d: %s", len(names), all)
}

// problemOf is the reason and the last error of a Secret that is not as it should be.
func problemOf(s *secrets.Secret) string {
	if s.Ready || s.Message == "" {
		return ""
	}
	return s.Reason + ": " + screen.Words(s.Message)
}

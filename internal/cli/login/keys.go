package login

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/auth/key"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// NewKeys returns the command keys.
func NewKeys(g *command.Global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Create, list and revoke API keys of a server",
		Long:  "API keys let programs do what you may, or less of it. A server keeps them: name it with --server, and sign in first.",
		Example: "  causeway keys create \"ci of shop\" --allow applications:sync:shop-* --days 30\n" +
			"  causeway keys list\n  causeway keys revoke 4ekx2yb6hqhzk3ma",
		Args: command.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newKeysCreate(g), newKeysList(g), newKeysRevoke(g))
	return cmd
}

// keeper is the server that keeps keys.
func keeper(g *command.Global) (*target.Hub, error) {
	if g.Server.Address == "" {
		return nil, command.Usagef("name the server that keeps the keys with --server")
	}
	return target.Reach(g)
}

type keysCreate struct {
	*command.Global

	readOnly bool
	allow    []string
	days     int
}

func newKeysCreate(g *command.Global) *cobra.Command {
	k := &keysCreate{Global: g}
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Create an API key, and print it once", Args: command.One("the key"),
		Long: "Create an API key and print it to standard output: it is shown this once. A rule of --allow is RESOURCE:ACTION:PROJECT\n" +
			"in the words of policies, with globs and * for all; what it is about may be seen, too.",
		Example: "  causeway keys create portal --read-only\n  causeway keys create ci --allow applications:sync:shop-* > key.txt",
		RunE:    func(cmd *cobra.Command, args []string) error { return k.run(cmd.Context(), args[0]) },
	}
	f := cmd.Flags()
	f.BoolVar(&k.readOnly, "read-only", false, "it may read whatever you may read")
	f.StringArrayVar(&k.allow, "allow", nil, "what it may do, as RESOURCE:ACTION:PROJECT; can be repeated")
	f.IntVar(&k.days, "days", key.Days, fmt.Sprintf("how long it counts, up to %d", key.MaxDays))
	return cmd
}

func (k *keysCreate) run(ctx context.Context, name string) error {
	scope := key.Scope{ReadOnly: k.readOnly}
	for _, text := range k.allow {
		parts := strings.Split(text, ":")
		if len(parts) != 3 {
			return command.Usagef("cannot understand --allow %q: write RESOURCE:ACTION:PROJECT, as in applications:sync:shop-*", text)
		}
		scope.Rules = append(scope.Rules, key.Rule{Resource: parts[0], Action: parts[1], Project: parts[2]})
	}
	if err := scope.Check(); err != nil {
		return command.Usagef("%w: --read-only, or --allow RESOURCE:ACTION:PROJECT", err)
	}
	if k.days < 1 || k.days > key.MaxDays {
		return command.Usagef("--days is 1 to %d", key.MaxDays)
	}
	h, err := keeper(k.Global)
	if err != nil {
		return err
	}
	defer h.Server.Close()
	made, err := h.Server.CreateKey(ctx, &api.NewKey{Name: name, Scope: scope, Days: k.days})
	if err != nil {
		return fmt.Errorf("cannot make the key: %w", h.Explain(err))
	}
	_, _ = fmt.Fprintf(k.Err, "key %s (%s) counts until %s; it is not shown again:\n", made.Name, made.ID, made.Expires.UTC().Format(time.RFC3339))
	_, err = fmt.Fprintln(k.Out, made.Token)
	return err
}

type keysList struct {
	*command.Global

	all    bool
	output string
}

func newKeysList(g *command.Global) *cobra.Command {
	k := &keysList{Global: g, output: table.AsTable}
	cmd := &cobra.Command{
		Use: "list", Short: "List API keys: yours, or all that you may end", Args: command.None,
		Example: "  causeway keys list\n  causeway keys list --all -o yaml",
		RunE:    func(cmd *cobra.Command, _ []string) error { return k.run(cmd.Context()) },
	}
	cmd.Flags().BoolVar(&k.all, "all", false, "also those of others whose accounts you may update")
	cmd.Flags().StringVarP(&k.output, "output", "o", k.output, "how to print: table, wide, json, yaml")
	return cmd
}

func (k *keysList) run(ctx context.Context) error {
	if err := table.CheckOutput(k.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	h, err := keeper(k.Global)
	if err != nil {
		return err
	}
	defer h.Server.Close()
	list, err := h.Server.Keys(ctx, k.all)
	if err != nil {
		return fmt.Errorf("cannot list the keys: %w", h.Explain(err))
	}
	if !table.Tabular(k.output) {
		return table.PrintValue(k.Out, k.output, list)
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(k.Err, "there are no keys")
		return err
	}
	return table.Print(k.Global, apiKeysTable(list, time.Now()), k.output)
}

func apiKeysTable(all []api.APIKey, now time.Time) table.Table {
	t := table.Table{Keys: 2, Header: []string{"ID", "NAME", "OWNER", "AGE", "EXPIRES", "LAST USED", "SCOPE"}}
	for i := range all {
		t.Rows = append(t.Rows, keyRow(&all[i], now))
	}
	return t
}

func keyRow(k *api.APIKey, now time.Time) []string {
	expires := "expired"
	if !k.Expired {
		expires = "in " + table.Age(now, k.Expires)
	}
	return []string{k.ID, k.Name, k.Owner, table.Age(k.Created, now), expires, table.Age(k.LastUsed, now), scopeText(&k.Scope)}
}

func scopeText(s *key.Scope) string {
	var parts []string
	if s.ReadOnly {
		parts = append(parts, "read-only")
	}
	for _, r := range s.Rules {
		parts = append(parts, r.Resource+":"+r.Action+":"+r.Project)
	}
	return strings.Join(parts, ", ")
}

func newKeysRevoke(g *command.Global) *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID", Short: "Revoke an API key", Args: command.One("the key by its ID: causeway keys list"),
		Example: "  causeway keys revoke 4ekx2yb6hqhzk3ma",
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := keeper(g)
			if err != nil {
				return err
			}
			defer h.Server.Close()
			if err := h.Server.RevokeKey(cmd.Context(), args[0]); err != nil {
				return fmt.Errorf("cannot end the key: %w", h.Explain(err))
			}
			_, err = fmt.Fprintf(g.Out, "key %s is revoked\n", args[0])
			return err
		},
	}
}

package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// twins are the flags that can be set in the environment too: those that
// configure, not those that ask for something once.
var twins = map[string]bool{
	"state-dir": true, "fleet": true, "kubeconfig": true, "context": true, "namespace": true, "no-color": true,
	"file": true, "mirror": true, "timeout": true, "interval": true, "local-interval": true, "cache-dir": true, "application-namespaces": true,
	"server": true, "server-ca": true, "listen": true, "workers": true, "leader-elect": true, "install-crds": true, "log-format": true, "log-level": true,
	"output": true, "kube-version": true, "store": true, "store-entries": true, "store-size": true, "store-age": true, "audit-size": true, "audit-age": true, "secrets": true,
}

// hasTwin reports whether a flag can be set in the environment. The file of a
// comment is another thing than that of a fleet.
func hasTwin(cmd *cobra.Command, f *pflag.Flag) bool {
	return twins[f.Name] && (f.Name != "file" || cmd.Name() != "comment")
}

// variable is the environment's twin of a flag.
func variable(flag string) string {
	return "CAUSEWAY_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// environment sets flags that the command line leaves open.
func environment(cmd *cobra.Command, lookup func(string) (string, bool)) error {
	var problem error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed || !hasTwin(cmd, f) || problem != nil {
			return
		}
		value, ok := lookup(variable(f.Name))
		if !ok || value == "" {
			return
		}
		if err := f.Value.Set(value); err != nil {
			problem = command.Usagef("%s=%q: %w", variable(f.Name), value, err)
			return
		}
		f.Changed = true
	})
	return problem
}

// lengths refuses flags that are a length of time and below zero, wherever they
// were set: some would never end, and others have ended before they begin.
func lengths(cmd *cobra.Command) error {
	var problem error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if problem != nil || f.Value.Type() != "duration" {
			return
		}
		if _, err := gitops.ParseDuration("--"+f.Name, f.Value.String()); err != nil {
			problem = command.UsageError{Err: err}
		}
	})
	return problem
}

// dress adds the names of the environment's twins to the help of all flags.
func dress(cmd *cobra.Command) {
	add := func(f *pflag.Flag) {
		if hasTwin(cmd, f) && !strings.Contains(f.Usage, "$CAUSEWAY_") {
			f.Usage += fmt.Sprintf(" [$%s]", variable(f.Name))
		}
	}
	cmd.LocalFlags().VisitAll(add)
	for _, child := range cmd.Commands() {
		dress(child)
	}
}

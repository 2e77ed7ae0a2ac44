package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// UnknownCommand suggests the nearest command.
func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return Usagef("there is no command %q%s", args[0], gitops.DidYouMean(args[0], names))
}

// One checks that there is one name, as a usage error.
func One(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return Usagef("name %s", what)
		case len(args) > 1:
			return TooMany(cmd, args[1])
		}
		return nil
	}
}

// TooMany refuses an argument with what the command takes, and an example.
func TooMany(cmd *cobra.Command, arg string) error {
	_, takes, _ := strings.Cut(cmd.Use, " ")
	text := fmt.Sprintf("cannot take the argument %q: %s takes %s", arg, cmd.CommandPath(), takes)
	example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
	if example != "" {
		text += ", as in: " + example
	}
	return UsageError{Err: errors.New(text)}
}

// None refuses arguments.
func None(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usagef("cannot take the argument %q", strings.Join(args, " "))
	}
	return nil
}

// Compact names each of some names once, in their order.
func Compact(names []string) []string {
	var out []string
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// NearOr names the known name that is nearest to a wrong one; where none is
// near it names the command that lists all.
func NearOr(wrong string, known []string, command string) string {
	if near := gitops.DidYouMean(wrong, known); near != "" {
		return near
	}
	return "; name one of those that `causeway " + command + "` lists"
}

// Emptied refuses flags that were given without a value: in a script that is a
// variable which has none, and not what was meant.
func Emptied(f *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if flag := f.Lookup(name); flag.Changed && strings.TrimSpace(strings.Trim(flag.Value.String(), "[]")) == "" {
			return Usagef("--%s has no value: leave it out, or see why the variable that it came from is empty", name)
		}
	}
	return nil
}

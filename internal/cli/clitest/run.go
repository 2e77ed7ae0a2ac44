package clitest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// Left is what a command left behind.
type Left struct {
	Code        int
	Out, Errors string
}

// Run runs one command by itself, away from any real fleet. Nobody can be asked there.
func Run(t *testing.T, made func(*command.Global) *cobra.Command, args ...string) Left {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(name, home)
	}
	t.Setenv("KUBECONFIG", "")
	var out, errs bytes.Buffer
	streams, end := command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}.Safe()
	g := &command.Global{Streams: streams, Version: "1.2.3"}
	root := &cobra.Command{Use: "causeway", SilenceErrors: true, SilenceUsage: true}
	root.SetOut(g.Out)
	root.SetErr(g.Err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return command.UsageError{Err: err} })
	g.Flags(root.PersistentFlags())
	g.StateDir = home
	cmd := made(g)
	root.AddCommand(cmd)
	root.SetArgs(append([]string{cmd.Name()}, args...))
	err := root.ExecuteContext(t.Context())
	end()
	left := Left{Code: command.ExitCode(err), Out: out.String(), Errors: errs.String()}
	if err != nil && !command.Silent(err) {
		left.Errors += "Error: " + err.Error() + "\n"
	}
	return left
}

// Refuses runs a command with arguments, split at blanks, that cannot be meant, each with
// what the refusal says; an underscore is an empty argument. The server that they name is
// not there: what is refused later fails in another way.
func Refuses(t *testing.T, made func(*command.Global) *cobra.Command, refused map[string]string) {
	t.Helper()
	t.Setenv(command.VariableToken, Token)
	for args, want := range refused {
		words := strings.Fields(args)
		for i := range words {
			if words[i] == "_" {
				words[i] = ""
			}
		}
		Run(t, made, append(words, "--server", "https://127.0.0.1:1")...).Says(t, "the arguments "+args, command.ExitUsage, want)
	}
}

// Says fails where a command did not end so, or left out something that it says.
func (l Left) Says(t *testing.T, reason string, code int, words ...string) {
	t.Helper()
	if l.Code != code {
		t.Errorf("%s: exit %d, want %d\n%s%s", reason, l.Code, code, l.Out, l.Errors)
	}
	for _, word := range words {
		if !strings.Contains(l.Out+l.Errors, word) {
			t.Errorf("%s: %q is not in\n%s%s", reason, word, l.Out, l.Errors)
		}
	}
}

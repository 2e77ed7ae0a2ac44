package docs

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/cli"
)

const preface = `<!-- Written by ` + "`make generate`" + ` from the commands themselves. Do not edit. -->
# The command line

Results go to standard output, progress and errors to standard error. Colours appear on a terminal alone;
` + "`NO_COLOR` and `--no-color`" + ` turn them off. A negative duration, such as ` + "`--timeout=-1s`" + `, is refused as
wrong usage, whether a flag or its environment variable sets it.

Tables are as wide as the terminal, or 100 columns without one. Cells that do not fit are shortened: a list to the number of its
items and the first names that fit, a value to its beginning and end, a text to its beginning. Names that identify a row are never shortened: they
continue on the next line. ` + "`-o wide`" + ` prints each row whole, in one line, which suits ` + "`grep`" + `; ` + "`-o json`" + ` is for programs.

`

// needs tells which commands need a hub.
const needs = "`preview`, `lint`, `generate`, `mirror`, `comment`, `render --file`, and `bridge` and `why` with `--repo`" + ` need no hub. All other
commands talk to one; so does ` + "`export fleet`" + `, which writes the file that previews need of it. The hub is the first of these that there is:

1. the cluster that ` + "`--kubeconfig`" + ` and ` + "`--context`" + ` name
2. the local fleet that ` + "`causeway up`" + ` started
3. the cluster of ` + "`KUBECONFIG`" + `

With ` + "`--server`" + `, commands ask the API of a server instead of a hub, with the rights of the user who signed in there
(` + "`causeway login`" + `). The last table lists the commands that cannot.

`

// Reference writes the reference of a command line in Markdown.
func Reference(w io.Writer, root *cobra.Command) error {
	var b strings.Builder
	b.WriteString(preface + exitCodes() + needs)
	for _, group := range root.Groups() {
		for _, c := range root.Commands() {
			if c.GroupID == group.ID && c.IsAvailableCommand() && c.Name() != "help" {
				command(&b, c, "##")
			}
		}
	}
	b.WriteString("## Flags of all commands\n\n")
	flags(&b, root.PersistentFlags())
	served(&b, root)
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

func exitCodes() string {
	var b strings.Builder
	b.WriteString("| exit code | meaning |\n|---|---|\n")
	for _, c := range cli.ExitCodes() {
		fmt.Fprintf(&b, "| %d | %s |\n", c.Code, c.Means)
	}
	return b.String() + "\n"
}

// served writes which commands a server answers.
func served(b *strings.Builder, root *cobra.Command) {
	var rows strings.Builder
	var yes []string
	for _, c := range root.Commands() {
		switch why := c.Annotations[cli.AnnotationServer]; {
		case !c.IsAvailableCommand() || c.Name() == "help":
		case why == cli.ByServer:
			yes = append(yes, "`"+c.Name()+"`")
			for _, child := range c.Commands() {
				if why := child.Annotations[cli.AnnotationServer]; why != cli.ByServer {
					fmt.Fprintf(&rows, "| `%s %s` | %s |\n", c.Name(), child.Name(), why)
				}
			}
		default:
			fmt.Fprintf(&rows, "| `%s` | %s |\n", c.Name(), why)
		}
	}
	fmt.Fprintf(b, "## Commands that a server answers\n\nWith `--server`: %s. `login` and `logout` name the server as their argument. The other commands do not support it:\n\n| command | why, and what to do |\n|---|---|\n%s\n", strings.Join(yes, ", "), rows.String())
}

// command writes about a command, and below it about those that it has.
func command(b *strings.Builder, c *cobra.Command, heading string) {
	name := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
	fmt.Fprintf(b, "%s %s\n\n%s.\n\n```\n%s\n```\n\n", heading, name, c.Short, c.UseLine())
	if c.Long != "" {
		b.WriteString(strings.ReplaceAll(c.Long, "<", "&lt;") + "\n\n")
	}
	if c.Example != "" {
		fmt.Fprintf(b, "```sh\n%s\n```\n\n", unindent(c.Example))
	}
	flags(b, c.LocalNonPersistentFlags())
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() {
			command(b, child, heading+"#")
		}
	}
}

func unindent(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return strings.Join(lines, "\n")
}

func flags(b *strings.Builder, set *pflag.FlagSet) {
	var rows strings.Builder
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		usage, variable := split(usage)
		fmt.Fprintf(&rows, "| %s | %s | %s | %s |\n", name, kind, cell(usage+standard(f)), variable)
	})
	if rows.Len() > 0 {
		b.WriteString("| flag | value | meaning | environment |\n|---|---|---|---|\n" + rows.String() + "\n")
	}
}

// split takes the name of the environment's twin off the end of a usage.
func split(usage string) (text, variable string) {
	text, rest, ok := strings.Cut(usage, " [$")
	if !ok {
		return usage, ""
	}
	return text, "`" + strings.TrimSuffix(rest, "]") + "`"
}

func standard(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "false", "0", "0s", "[]", "-1":
		return ""
	}
	return " (default: " + f.DefValue + ")"
}

func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

package docs

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/causeway-gitops/causeway/internal/cli"
)

var (
	shellBlock = regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```")
	// typed are calls of causeway to the end of the command.
	typed  = regexp.MustCompile(`(?:^|[|(&;] *)(?:bin/)?causeway ([a-z][^|;&>#]*)`)
	given  = regexp.MustCompile(`(?:^|\s)(--?[a-z][a-z-]*)`)
	quoted = regexp.MustCompile(`'[^']*'|"[^"]*"`)
)

func TestFlagsInPagesExist(t *testing.T) {
	found := 0
	for name, text := range pages(t) {
		for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
			for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
				for _, call := range typed.FindAllStringSubmatch(quoted.ReplaceAllString(strings.TrimSpace(line), "x"), -1) {
					found += checkFlags(t, name, call[1])
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d flags were found", found)
	}
}

// TestReferenceHasFlagsOfSubcommands: what a command below another one takes can
// be looked up.
func TestReferenceHasFlagsOfSubcommands(t *testing.T) {
	var page strings.Builder
	if err := Reference(&page, cli.Root()); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, c := range cli.Root().Commands() {
		for _, child := range c.Commands() {
			if !child.IsAvailableCommand() {
				continue
			}
			_, section, _ := strings.Cut(page.String(), "\n### "+c.Name()+" "+child.Name()+"\n")
			section, _, _ = strings.Cut(section, "\n##")
			child.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
				found++
				if !f.Hidden && f.Name != "help" && !strings.Contains(section, "`--"+f.Name+"`") {
					t.Errorf("the reference does not have --%s of %s", f.Name, child.CommandPath())
				}
			})
		}
	}
	if found < 20 {
		t.Errorf("only %d flags were found", found)
	}
}

// TestPagesEndWhatTheyStart: what a page has running behind a shell it also ends.
func TestPagesEndWhatTheyStart(t *testing.T) {
	started := regexp.MustCompile(`(?m)[^&]& *([a-z]+)=\$!$|[^&]&$`)
	found := 0
	for name, text := range pages(t) {
		blocks := shellBlock.FindAllString(text, -1)
		all := strings.Join(blocks, "\n")
		for _, m := range started.FindAllStringSubmatch(all, -1) {
			found++
			if m[1] == "" || !regexp.MustCompile(`(?m)^ *kill .*\$`+m[1]+`\b`).MatchString(all) {
				t.Errorf("%s starts a process by %q and has no line that ends it", name, m[0])
			}
		}
	}
	if found == 0 {
		t.Error("no page starts a process")
	}
}

// checkFlags returns how many flags a call has.
func checkFlags(t *testing.T, page, call string) int {
	t.Helper()
	cmd, _, err := cli.Root().Find(strings.Fields(call))
	if err != nil {
		t.Errorf("%s: causeway %s: %v", page, call, err)
		return 0
	}
	all := given.FindAllStringSubmatch(call, -1)
	for _, f := range all {
		if f[1] != "--help" && !hasFlag(cmd, f[1]) {
			t.Errorf("%s: %s has no flag %s, as in: causeway %s", page, cmd.CommandPath(), f[1], call)
		}
	}
	return len(all)
}

func hasFlag(cmd *cobra.Command, name string) bool {
	if long, ok := strings.CutPrefix(name, "--"); ok {
		return cmd.Flag(long) != nil
	}
	short := strings.TrimPrefix(name, "-")
	return cmd.Flags().ShorthandLookup(short) != nil || cmd.InheritedFlags().ShorthandLookup(short) != nil
}

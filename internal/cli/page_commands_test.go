package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// The pages' own test writes the file: cd web && npx vitest run src/ui/commands.test.ts -u.
var offeredCommands = filepath.Join("..", "..", "web", "src", "ui", "commands.txt")

// What pages of the browser offer to copy is what the command line takes.
func TestCommandsOfPages(t *testing.T) {
	text, err := os.ReadFile(offeredCommands)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(text)) {
		words := shellWords(t, strings.TrimSpace(line))
		if len(words) == 0 {
			continue
		}
		seen++
		if err := parses(words[1:]); err != nil || words[0] != "causeway" {
			t.Errorf("%s: %v", strings.TrimSpace(line), err)
		}
	}
	if seen == 0 {
		t.Errorf("%s names no commands", offeredCommands)
	}
	for _, line := range []string{"why app web", "why team-a/shop", "why shop//web", "why a/b/c/d/e", "logs web web-1", "get apps --nope=1", "get nothing"} {
		if parses(strings.Fields(line)) == nil {
			t.Errorf("causeway %s is taken for a command", line)
		}
	}
}

// parses tells what is wrong with a command, as far as it can be told before it
// asks anybody.
func parses(args []string) error {
	root := newRoot(&command.Global{Streams: command.Streams{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}})
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if cmd == root || !cmd.Runnable() {
		return errors.New("there is no such command")
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if name := cmd.Flags().Arg(0); cmd.Name() == "why" && strings.Count(name, "/") == 1 && !cmd.Flags().Changed("values") {
		return errors.New("the command line takes " + name + " for a key of a cluster: pages ask about applications and objects")
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// shellWords splits a line as a shell does: what is in single quotes is as it
// is, and a backslash outside of them quotes one character.
func shellWords(t *testing.T, line string) []string {
	t.Helper()
	var words []string
	var word strings.Builder
	in, quoted, escaped := false, false, false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case quoted && r != '\'':
			word.WriteRune(r)
		case r == '\'':
			quoted, in = !quoted, true
		case r == '\\':
			escaped, in = true, true
		case r == ' ':
			if in {
				words = append(words, word.String())
			}
			word.Reset()
			in = false
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if quoted || escaped {
		t.Errorf("%s: a quote is open", line)
	}
	if in {
		words = append(words, word.String())
	}
	return words
}

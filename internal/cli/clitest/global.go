package clitest

import (
	"io"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// Global is what a command gets whose output is read.
func Global(t *testing.T, out io.Writer) *command.Global {
	t.Helper()
	streams, end := command.Streams{In: strings.NewReader(""), Out: out, Err: out}.Safe()
	t.Cleanup(end)
	return &command.Global{Streams: streams}
}

package command

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

func TestProgressTellsTerminalsNothing(t *testing.T) {
	start := fleetstatus.Snapshot{}
	now := fleetstatus.Snapshot{Apps: []fleetstatus.App{{Name: "mine", Problem: "no" + "\r\x1b[2K\a##vso[task.prependpath]/evil", Message: "\r\x1b[2K\a##vso[task.prependpath]/evil"}}, Step: "a" + "\r\x1b[2K\a##vso[task.prependpath]/evil"}
	for _, line := range live.Lines(start, now, start.Started) {
		var out bytes.Buffer
		streams, end := Streams{In: strings.NewReader(""), Out: &out, Err: &out}.Safe()
		_, _ = io.WriteString(progressOf(streams.Err), line)
		end()
		if strings.ContainsAny(out.String(), "\r\x1b\a\n") || strings.Contains(out.String(), "##vso[") {
			t.Errorf("it tells the terminal something: %q", out.String())
		}
	}
}

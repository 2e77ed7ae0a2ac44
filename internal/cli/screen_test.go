package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// steering goes back in the line, wipes it, and fills the clipboard.
// It also tells runners of jobs to set a variable and a search path.
const steering = "\r\x1b[2K\x1b]52;c;Y3VybA==\a##vso[task.prependpath]/evil"

// safeGlobal is what commands get whose output is read.
func safeGlobal(t *testing.T, out io.Writer) *global {
	t.Helper()
	streams, end := Streams{In: strings.NewReader(""), Out: out, Err: out}.safe()
	t.Cleanup(end)
	return &global{Streams: streams}
}

func checkShown(t *testing.T, text string, lines int) {
	t.Helper()
	if strings.ContainsAny(text, "\r\x1b\a") || strings.Contains(text, "##vso[") || regexp.MustCompile(`(?m)^\s*::`).MatchString(text) || strings.Count(text, "\n") != lines {
		t.Errorf("not %d lines that only say something: %q", lines, text)
	}
}

// TestCommandsTellTerminalsNothing prints what a checkout, an object or a status
// says, whoever wrote it.
func TestCommandsTellTerminalsNothing(t *testing.T) {
	t.Run("Cells", func(t *testing.T) {
		var out bytes.Buffer
		row := table{header: []string{"NAME", "REVISION", "SYNC"}, keys: 1, rows: [][]string{{"mine", "main\nbilling  v1.2.3  Synced" + steering, "OutOfSync"}}}
		if err := row.print(safeGlobal(t, &out).Out, live.Plain(), 100); err != nil {
			t.Fatal(err)
		}
		checkShown(t, out.String(), 2)
	})
	t.Run("Sync", func(t *testing.T) {
		var out bytes.Buffer
		s := &syncFlags{global: safeGlobal(t, &out)}
		_ = s.failed("mine", &v1alpha1.OperationState{Phase: "Failed", Message: "no\nbilling: Succeeded" + steering, SyncResult: &v1alpha1.SyncOperationResult{
			Resources: v1alpha1.ResourceResults{{Kind: "A", Name: "b", Status: v1alpha1.ResultCodeSyncFailed, Message: steering}},
		}})
		checkShown(t, out.String(), 2)
	})
	t.Run("Live", func(t *testing.T) {
		start := fleetstatus.Snapshot{}
		now := fleetstatus.Snapshot{Apps: []fleetstatus.App{{Name: "mine", Problem: "no" + steering, Message: steering}}, Step: "a" + steering}
		for _, line := range live.Lines(start, now, start.Started) {
			var out bytes.Buffer
			_, _ = io.WriteString(progressOf(safeGlobal(t, &out).Err), line)
			checkShown(t, out.String(), 0)
		}
	})
	t.Run("Checkout", func(t *testing.T) {
		dir := t.TempDir()
		text := "apiVersion: v1\nkind: \"ConfigMap\\e]0;x\\a\"\nmetadata: {name: \"a\\e[2K\\nsecret/b\"}\n"
		if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		app := "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a, namespace: argocd}\n" +
			"spec: {project: default, source: {repoURL: 'https://git.example.com/a', path: .}, destination: {name: in-cluster, namespace: default}}\n"
		file := filepath.Join(t.TempDir(), "app.yaml")
		if err := os.WriteFile(file, []byte(app), 0o600); err != nil {
			t.Fatal(err)
		}
		got := command(t, "render", "--file", file, "--mirror", "https://git.example.com/a="+dir, "-o", asName)
		if got.code == exitFine || got.out != "" || !strings.Contains(got.errors, "a.yaml:1") {
			t.Errorf("got %+v", got)
		}
		checkShown(t, got.errors, 1)
	})
}

// TestDocumentsAreForPrograms: what others wrote has the same value in JSON and YAML,
// whatever it looks like.
func TestDocumentsAreForPrograms(t *testing.T) {
	const title = "hosts\n::1 localhost\n##[section]a" + steering
	for _, output := range []string{asJSON, asYAML} {
		var out bytes.Buffer
		p := &previewFlags{offlineFlags: offlineFlags{global: safeGlobal(t, &out)}, output: output}
		if err := p.print(&forecast.Forecast{Head: forecast.Side{Title: title}}); err != nil {
			t.Fatal(err)
		}
		var got forecast.Forecast
		if err := yaml.Unmarshal(out.Bytes(), &got); err != nil || got.Head.Title != title {
			t.Errorf("as %s the title is %q: %v", output, got.Head.Title, err)
		}
	}
}

// TestLogsArePrintedAsTheyAre where programs read them, in lines that are not
// longer than memory.
func TestLogsArePrintedAsTheyAre(t *testing.T) {
	var out bytes.Buffer
	l := &logsFlags{global: safeGlobal(t, &out)}
	long := strings.Repeat("x", maxLine+1)
	if err := l.pour(strings.NewReader("a\x1b[31mred\n\n"+long+"\nlast"), "web-0", "app", &sync.Mutex{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 5 || lines[0] != "[web-0/app] a\x1b[31mred" || lines[1] != "[web-0/app] " || lines[4] != "[web-0/app] last" {
		t.Errorf("got %d lines: %.200q", len(lines), lines)
	}
}

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// audited writes an audit of three entries, and returns its file and last hash.
func audited(t *testing.T) (file, hash string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), chronicle.File)
	s, err := chronicle.OpenFile(file, filepath.Join(filepath.Dir(file), chronicle.KeyFile))
	if err != nil {
		t.Fatal(err)
	}
	for i, who := range []string{"ann", "bob", "ann"} {
		e, err := s.Append(t.Context(), &audit.Entry{
			Who: audit.Who{Name: who}, Verb: "sync", Resource: "applications", Namespace: "argocd", Name: fmt.Sprintf("shop-%d", i), Outcome: audit.Allowed, Reason: "ticket 4711 ##vso[a]\x7f\u202e",
		})
		if err != nil {
			t.Fatal(err)
		}
		hash = e.Hash
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return file, hash
}

func TestAuditCommands(t *testing.T) {
	file, hash := audited(t)
	export := filepath.Join(t.TempDir(), "audit.jsonl")
	got := invoke(t, "audit", "export", "--history-file", file)
	if got.code != command.ExitFine || strings.Count(got.out, "\n") != 3 {
		t.Fatalf("the export is %+v", got)
	}
	lines := strings.SplitAfter(got.out, "\n")
	if err := os.WriteFile(export, []byte(got.out), 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(text string) string {
		name := filepath.Join(t.TempDir(), "changed.jsonl")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		want   []string
	}{
		"list":     {"a line an entry", []string{"list", "--history-file", file}, command.ExitFine, []string{"SEQUENCE", "argocd/shop-2", "bob", "ticket 4711"}},
		"picked":   {"what was picked alone", []string{"list", "--store", file, "--who", "bob", "-o", "json"}, command.ExitFine, []string{`"name": "bob"`, `"sequence": 2`}},
		"nothing":  {"that there is none is said", []string{"list", "--store", file, "--verb", "delete"}, command.ExitFine, []string{"no such entry"}},
		"verify":   {"the last hash is told", []string{"verify", "--history-file", file}, command.ExitFine, []string{"the audit holds from entry 1 to entry 3", hash}},
		"expect":   {"what is expected is there", []string{"verify", "--history-file", file, "--expect", hash, "-o", "json"}, command.ExitFine, []string{`"entries": 3`}},
		"cut off":  {"an end that is gone", []string{"verify", "--history-file", file, "--expect", strings.Repeat("0", 64)}, command.ExitFailed, []string{"broken at entry 3", "cut off"}},
		"exported": {"an export proves by itself", []string{"verify", "--export", export}, command.ExitFine, []string{"from entry 1 to entry 3"}},
		"changed":  {"a line was changed", []string{"verify", "--export", write(strings.Replace(got.out, "bob", "eve", 1))}, command.ExitFailed, []string{"broken at entry 2"}},
		"missing":  {"a line is missing", []string{"verify", "--export", write(lines[0] + lines[2])}, command.ExitFailed, []string{"broken at entry 2: it is missing"}},
		"no JSON":  {"the line is named", []string{"verify", "--export", write(lines[0] + "what?\n")}, command.ExitFailed, []string{"line 2"}},
		"no file":  {"it is named", []string{"verify", "--history-file", "/nope"}, command.ExitFailed, []string{"/nope"}},
		"unknown":  {"a command that is near", []string{"verfy"}, command.ExitUsage, []string{"audit"}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			got := invoke(t, append([]string{"audit"}, c.args...)...)
			if got.code != c.code {
				t.Errorf("%s: code %d, want %d", c.reason, got.code, c.code)
			}
			for _, part := range c.want {
				if !strings.Contains(got.out+got.errors, part) {
					t.Errorf("%s: no %q in %s%s", c.reason, part, got.out, got.errors)
				}
			}
		})
	}
}

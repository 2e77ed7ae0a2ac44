package record

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
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

// kubeconfig is of a hub that is nobody's fleet.
func kubeconfig(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	const text = "{apiVersion: v1, kind: Config, clusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'}}], contexts: [{name: a, context: {cluster: a}}], current-context: a}"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAuditCommands(t *testing.T) {
	file, hash := audited(t)
	export := filepath.Join(t.TempDir(), "audit.jsonl")
	got := clitest.Run(t, NewAudit, "export", "--history-file", file)
	if got.Code != command.ExitFine || strings.Count(got.Out, "\n") != 3 {
		t.Fatalf("the export is %+v", got)
	}
	lines := strings.SplitAfter(got.Out, "\n")
	if err := os.WriteFile(export, []byte(got.Out), 0o600); err != nil {
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
		"list":      {"a line an entry", []string{"list", "--history-file", file}, command.ExitFine, []string{"SEQUENCE", "argocd/shop-2", "bob", "ticket 4711"}},
		"picked":    {"what was picked alone", []string{"list", "--store", file, "--who", "bob", "-o", "json"}, command.ExitFine, []string{`"name": "bob"`, `"sequence": 2`}},
		"nothing":   {"that there is none is said", []string{"list", "--store", file, "--verb", "delete"}, command.ExitFine, []string{"no such entry"}},
		"verify":    {"the last hash is told", []string{"verify", "--history-file", file}, command.ExitFine, []string{"the audit holds from entry 1 to entry 3", hash}},
		"expect":    {"what is expected is there", []string{"verify", "--history-file", file, "--expect", hash, "-o", "json"}, command.ExitFine, []string{`"entries": 3`}},
		"cut off":   {"an end that is gone", []string{"verify", "--history-file", file, "--expect", strings.Repeat("0", 64)}, command.ExitFailed, []string{"broken at entry 3", "cut off"}},
		"exported":  {"an export proves by itself", []string{"verify", "--export", export}, command.ExitFine, []string{"from entry 1 to entry 3"}},
		"changed":   {"a line was changed", []string{"verify", "--export", write(strings.Replace(got.Out, "bob", "eve", 1))}, command.ExitFailed, []string{"broken at entry 2"}},
		"missing":   {"a line is missing", []string{"verify", "--export", write(lines[0] + lines[2])}, command.ExitFailed, []string{"broken at entry 2: it is missing"}},
		"no JSON":   {"the line is named", []string{"verify", "--export", write(lines[0] + "what?\n")}, command.ExitFailed, []string{"line 2"}},
		"no file":   {"it is named", []string{"verify", "--history-file", "/nope"}, command.ExitFailed, []string{"/nope"}},
		"no hash":   {"a variable without a value proves nothing", []string{"verify", "--history-file", file, "--expect", ""}, command.ExitUsage, []string{"--expect has no value"}},
		"no export": {"nor is another audit meant by it", []string{"verify", "--export", ""}, command.ExitUsage, []string{"--export has no value"}},
		"long line": {"a file is not read without end", []string{"verify", "--export", write(strings.Repeat("x", mostLine+1))}, command.ExitFailed, []string{"a line of the export is longer than 1048576 bytes"}},
		"no fleet":  {"each way to name one is told", []string{"list", "--kubeconfig", kubeconfig(t)}, command.ExitUsage, []string{"name the engine's database with --store, its file with --history-file, or its address with --server"}},
		"output":    {"a way to print that there is not", []string{"list", "-o", "name"}, command.ExitUsage, []string{"use one of table, wide, json, yaml"}},
		"unknown":   {"a command that is near", []string{"verfy"}, command.ExitUsage, []string{`did you mean "verify"?`}},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			got := clitest.Run(t, NewAudit, c.args...)
			got.Says(t, c.reason, c.code, c.want...)
		})
	}
}

// TestAuditOfAServer is asked by what was picked, page after page, and each hash of it is held here.
func TestAuditOfAServer(t *testing.T) {
	file, hash := audited(t)
	lines := clitest.Run(t, NewAudit, "export", "--history-file", file).Out
	var asked []string
	d := clitest.NewDesk(t, map[string]any{
		"GET /api/v1/audit": func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.URL.RawQuery)
			_, _ = w.Write([]byte(`{"items": [{"sequence": 7, "verb": "sync", "who": {"name": "ann"}, "outcome": "denied", "resource": "clusters", "name": "dev", "count": 3, "message": "no right"}]}`))
		},
		"GET /api/v1/audit/export": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(lines)) },
	})
	run := func(args ...string) clitest.Left { return clitest.Run(t, NewAudit, append(args, "--server", d.URL)...) }
	run("list", "--who", "ann", "--outcome", "denied", "--app", "dev", "--limit", "0").Says(t, "at least one is asked for", command.ExitFine, "clusters dev", "denied", "3 times: no right")
	if got := strings.Join(asked, "; "); got != "limit=1&name=dev&outcome=denied&who=ann" {
		t.Errorf("asked %s", got)
	}
	run("verify", "--expect", hash).Says(t, "it holds", command.ExitFine, "the audit holds from entry 1 to entry 3", hash)
	lines = strings.Replace(lines, "bob", "eve", 1)
	run("verify").Says(t, "who changed it is not believed", command.ExitFailed, "broken at entry 2")
	lines = ""
	run("verify").Says(t, "nothing was done yet", command.ExitFine, "the audit has no entries yet")
}

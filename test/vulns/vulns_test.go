package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/test/nobody"
)

const source = `package main

import "net/url"

func main() { _, _ = url.Parse("https://example.com") }
`

// entry is a vulnerability of a function of net/url, which no Go mends.
func entry(id, function string) string {
	return `{"schema_version":"1.3.1","id":"` + id + `","modified":"2026-11-01T00:00:00Z","published":"2026-11-01T00:00:00Z","summary":"made up",
"affected":[{"package":{"name":"stdlib","ecosystem":"Go"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}],
"ecosystem_specific":{"imports":[{"path":"net/url","symbols":["` + function + `"]}]}}]}`
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// except is a file of exceptions for these entries.
func except(t *testing.T, ids ...string) string {
	t.Helper()
	var all []string
	for _, id := range ids {
		all = append(all, "{id: "+id+", program: probe, date: 2026-11-24, reason: the address is a constant in the source}")
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"exceptions.yaml": "exceptions: [" + strings.Join(all, ", ") + "]\n"})
	return filepath.Join(dir, "exceptions.yaml")
}

// TestFindings asks the real tool about a small program.
func TestFindings(t *testing.T) {
	const tool = "../../bin/govulncheck"
	if _, err := os.Stat(tool); err != nil {
		t.Skip("govulncheck is not built: `make vulncheck` does it")
	}
	module := t.TempDir()
	write(t, module, map[string]string{"go.mod": "module example.com/probe\n\ngo 1.26\n", "main.go": source})
	programs := []program{{name: "probe", module: module, path: "."}}
	for name, tc := range map[string]struct {
		reason   string
		entries  map[string]string
		excepted []string
		code     int
		want     string
	}{
		"Called": {
			reason:  "a function with a flaw is in the program",
			entries: map[string]string{"GO-2026-9001.json": entry("GO-2026-9001", "Parse")},
			code:    exitFailed, want: "FAILED: GO-2026-9001 in probe: made up (stdlib v",
		},
		"NotCalled": {
			reason:  "the package is in use, and the function with the flaw is not",
			entries: map[string]string{"GO-2026-9002.json": entry("GO-2026-9002", "ParseQuery")},
			want:    "1 programs have no known vulnerability",
		},
		"Excepted": {
			reason:   "somebody looked at it",
			entries:  map[string]string{"GO-2026-9001.json": entry("GO-2026-9001", "Parse")},
			excepted: []string{"GO-2026-9001"},
			want:     "GO-2026-9001 in probe is let be since 2026-11-24: the address is a constant in the source",
		},
		"Stale": {
			reason:   "an exception that is needed no more would hide what comes back",
			entries:  map[string]string{"GO-2026-9002.json": entry("GO-2026-9002", "ParseQuery")},
			excepted: []string{"GO-2026-9002"},
			code:     exitFailed, want: "FAILED: GO-2026-9002 in probe has an exception and is no longer found",
		},
	} {
		t.Run(name, func(t *testing.T) {
			database := t.TempDir()
			write(t, database, tc.entries)
			var out bytes.Buffer
			code := run(t.Context(), []string{"--tool", tool, "--db", "file://" + database, "--exceptions", except(t, tc.excepted...)}, &out, programs)
			if code != tc.code || !strings.Contains(out.String(), tc.want) {
				t.Errorf("%s: got %d, want %d with %q:\n%s", tc.reason, code, tc.code, tc.want, out.String())
			}
		})
	}
}

func TestDatabaseThatIsAway(t *testing.T) {
	empty := httptest.NewServer(http.NotFoundHandler())
	defer empty.Close()
	for name, tc := range map[string]struct {
		reason, database string
		code             int
		want             string
	}{
		"Closed": {"nobody answers", "http://" + nobody.Address(t), 0, "NOT CHECKED for known vulnerabilities: the database cannot be reached"},
		"Other":  {"somebody else answers", empty.URL, 0, "NOT CHECKED"},
		"Folder": {"somebody named a folder that is not there", "file:///nowhere/at/all", exitFailed, "FAILED: cannot read the database"},
		"Empty":  {"a folder without entries finds nothing", "file://" + t.TempDir(), exitFailed, "is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			code := run(t.Context(), []string{"--tool", "/nowhere/govulncheck", "--db", tc.database, "--exceptions", except(t)}, &out, nil)
			if code != tc.code || !strings.Contains(out.String(), tc.want) {
				t.Errorf("%s: got %d, want %d with %q:\n%s", tc.reason, code, tc.code, tc.want, out.String())
			}
		})
	}
}

func TestExceptionsSayWhy(t *testing.T) {
	programs := []program{{name: "probe"}}
	good := "{id: GO-2026-9001, program: probe, date: 2026-11-24, reason: the address is a constant in the source}"
	for name, tc := range map[string]struct{ reason, text, want string }{
		"Good":    {"all is said", "exceptions: [" + good + "]", ""},
		"Twice":   {"one of them would be stale for ever", "exceptions: [" + good + ", " + good + "]", "is there twice"},
		"Reason":  {"a verdict is no reason", strings.Replace("exceptions: ["+good+"]", "the address is a constant in the source", "false positive", 1), "say in reason"},
		"Date":    {"nobody knows when it was looked at", strings.Replace("exceptions: ["+good+"]", "2026-11-24", "lately", 1), "write when somebody looked"},
		"Program": {"an exception for all would hide it elsewhere", strings.Replace("exceptions: ["+good+"]", "program: probe", "program: other", 1), `there is no program "other"`},
		"ID":      {"it would except nothing", strings.Replace("exceptions: ["+good+"]", "GO-2026-9001", "CVE-2026-1", 1), "write GO-YEAR-NUMBER"},
		"Field":   {"a field that is misspelt", "exceptions: [{ID: GO-2026-9001, why: x}]", "cannot read"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, map[string]string{"e.yaml": tc.text})
			_, err := readExceptions(filepath.Join(dir, "e.yaml"), programs)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

func TestOwnExceptionsSayWhy(t *testing.T) {
	if _, err := readExceptions("../../.govulncheck.yaml", shipped); err != nil {
		t.Error(err)
	}
}

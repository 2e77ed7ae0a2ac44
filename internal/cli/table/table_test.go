package table

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/cli/live"
)

func TestTableGivesWay(t *testing.T) {
	all := Table{Header: []string{"NAME", "MESSAGE"}, Rows: [][]string{{"a", strings.Repeat("x", 100)}, {"ключ", ""}}}
	var out bytes.Buffer
	if err := all.Print(&out, live.Plain(), 40); err != nil {
		t.Fatal(err)
	}
	want := "NAME  MESSAGE\na     " + strings.Repeat("x", 33) + "…\nключ\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTablesTellTerminalsNothing(t *testing.T) {
	all := Table{Header: []string{"NAME", "MESSAGE"}, Rows: [][]string{{"a\x1b[2J", "\a\u202eb"}}}
	var out bytes.Buffer
	if err := all.Print(&out, live.Plain(), 40); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\a\u202e") || all.Rows[0][0] != "a\x1b[2J" {
		t.Errorf("names of others have control characters: %q, %q", out.String(), all.Rows)
	}
}

func TestColumnsGiveWay(t *testing.T) {
	header := []string{"NAME", "SERVER", "SYNC", "MESSAGE"}
	cases := map[string]struct {
		reason string
		row    []string
		whole  bool
		want   string
	}{
		"text": {"text gives way before values", []string{"shop", "https://a.io", "Synced", strings.Repeat("x", 90)}, false,
			"shop  https://a.io  Synced  " + strings.Repeat("x", 31) + "…\n"},
		"values": {"of a long value both ends stay", []string{"shop", "https://0123456789abcdef.example.com/k8s", "Synced", strings.Repeat("x", 90)}, false,
			"shop  https://0123…ple.com/k8s  Synced  " + strings.Repeat("x", 19) + "…\n"},
		"names": {"a name goes on below, and is never cut", []string{strings.Repeat("name-", 13), "https://a.example.com", "Synced", "waits"}, false, ""},
		"whole": {"text that was asked for goes on below", []string{"shop", "-", "Synced", strings.Repeat("word ", 13) + "end"}, true,
			"shop  -       Synced  word word word word word word word\n                      word word word word word word end\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			all := Table{Keys: 1, Whole: c.whole, Bare: true, Header: header, Rows: [][]string{c.row}}
			var out bytes.Buffer
			if err := all.Print(&out, live.Plain(), 60); err != nil {
				t.Fatal(err)
			}
			got := out.String()
			if c.want != "" && got != c.want {
				t.Errorf("%s: got\n%s", c.reason, got)
			}
			var firsts strings.Builder
			for line := range strings.Lines(got) {
				first, _, _ := strings.Cut(strings.TrimRight(line, "\n"), "  ")
				firsts.WriteString(first)
			}
			if firsts.String() != c.row[0] && !c.whole {
				t.Errorf("%s: the name is %q in\n%s", c.reason, firsts.String(), got)
			}
		})
	}
}

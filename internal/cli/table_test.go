package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/plan"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/preview/roster"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
	"github.com/causeway-gitops/causeway/internal/takeover"
)

// longest is a value whose two ends and middle can be told apart.
var longest = "begin-" + strings.Repeat("long words of a value, ", 8) + "-end"

// lengthy fills all texts of a value with long ones, and lists with several.
func lengthy[T any]() T {
	var v T
	lengthen(reflect.ValueOf(&v).Elem(), 0)
	return v
}

func lengthen(v reflect.Value, depth int) {
	if depth > 6 || !v.CanSet() {
		return
	}
	switch v.Kind() { //nolint:exhaustive // others have no length
	case reflect.String:
		v.SetString(longest)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1_234_567)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		lengthen(v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range v.Len() {
			lengthen(v.Index(i), depth+1)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(noon.Add(-time.Hour)))
			return
		}
		for i := range v.NumField() {
			lengthen(v.Field(i), depth+1)
		}
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(longest))
		}
	}
}

// printedTables are all tables of the command line, with long values.
func printedTables(output string) map[string]table {
	manifest := gitops.Manifest{Object: &unstructured.Unstructured{}, Origin: lengthy[gitops.Origin]()}
	manifest.Object.SetKind(longest)
	manifest.Object.SetNamespace(longest)
	manifest.Object.SetName(longest)
	deep := &branch{Kind: longest, Namespace: longest, Name: longest, Sync: "OutOfSync", Health: "Progressing", Info: longest}
	for range 12 {
		deep = &branch{Kind: "Deployment", Namespace: "shop", Name: "web", Sync: "Synced", Health: "Degraded", Wave: -100, Info: longest, Children: []*branch{deep, deep}}
	}
	count := lengthy[bridgeCount]()
	count.cluster, count.missing, count.wrong = longest, []string{longest, "b", "c"}, []string{"a", longest, "c", "d", "e", "f"}
	made := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Project: longest, Source: &v1alpha1.ApplicationSource{Path: longest}}}
	made.Name = longest
	out := lengthy[rolloutView]()
	for i := range out.Steps {
		out.Steps[i].Done = i
	}
	steps, waits := rolloutTables(out, noon)
	schedule := lengthy[api.Schedule]()
	all := map[string]table{
		"actions list": actionsTable(lengthy[[]available]()), "audit list": auditTable(lengthy[[]audit.Entry](), noon),
		"bridge": countsTable([]bridgeCount{count}, output), "bridge CLUSTER": keysTable(lengthy[bridge.ClusterReport](), output),
		"changes": commitsTable(lengthy[[]api.Commit](), output, noon), "diff": diffTable(lengthy[[]plan.ObjectDiff]()),
		"doctor": findingsTable(lengthy[[]finding](), live.Plain()), "generate": generatedTable([]*preview.App{{Application: made, Parent: lengthy[preview.ID](), Cluster: lengthy[roster.Cluster]()}}),
		"events": eventsTable(lengthy[[]api.Event](), noon), "history": historyTable(lengthy[[]history.Sync](), noon), "import, parts": partsTable(lengthy[[]takeover.Finding]()),
		"import, applications": takeoverTable(lengthy[[]takeover.Comparison]()), "import, sets": setsTable(lengthy[[]takeover.SetComparison]()), "keys list": apiKeysTable(lengthy[[]api.APIKey](), noon),
		"lint": lintTable(lengthy[lintResult]()), "orphans": orphansTable(lengthy[[]api.Unowned]()),
		"render": manifestsTable([]*gitops.Rendering{{Manifests: []gitops.Manifest{manifest}}}), "rollout, steps": steps, "rollout, waits": waits,
		"wait": waitTable(lengthy[[]waited]()), "tree": treeTable(deep, output), "why --values": valuesTable(lengthy[[]explained](), output), "windows": windowsTable(&schedule),
	}
	for _, k := range kinds() {
		f := &getFlags{output: output}
		one := item{cells: make([]string, len(k.header)), wide: make([]string, len(k.wide))}
		for _, cells := range [][]string{one.cells, one.wide} {
			for i := range cells {
				cells[i] = longest
			}
		}
		all["get "+k.aliases[0]] = f.tableOf(k, []item{one, one})
	}
	return all
}

func TestTablesTellTerminalsNothing(t *testing.T) {
	all := table{header: []string{"NAME", "MESSAGE"}, rows: [][]string{{"a\x1b[2J", "\a\u202eb"}}}
	var out bytes.Buffer
	if err := all.print(&out, live.Plain(), 40); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\a\u202e") || all.rows[0][0] != "a\x1b[2J" {
		t.Errorf("names of others have control characters: %q, %q", out.String(), all.rows)
	}
}

func TestTablesFitThePage(t *testing.T) {
	for name, table := range printedTables(asTable) {
		var out bytes.Buffer
		g := &global{Streams: Streams{Out: &out}, noColor: true}
		if err := g.printTable(table, asTable); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := ansi.StringWidth(strings.TrimRight(line, "\n")); n > pageWidth {
				t.Errorf("%s: a line of %d columns, more than people see: %q", name, n, line)
				break
			}
		}
		if table.keys < 1 || len(table.rows) == 0 {
			t.Errorf("%s: which thing a row is about is not said, or there is no row", name)
		}
		widths := table.fitted(pageWidth)
		for _, row := range table.rows {
			for i := range table.keys {
				if got := strings.Join(table.pieces(i, row[i], widths[i]), ""); got != row[i] {
					t.Errorf("%s: which thing the row is about is lost: %q of %q", name, got, row[i])
				}
			}
		}
	}
}

func TestWideTablesCutNothing(t *testing.T) {
	for name, table := range printedTables(asWide) {
		var out bytes.Buffer
		g := &global{Streams: Streams{Out: &out}, noColor: true}
		if err := g.printTable(table, asWide); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if !table.bare {
			lines = lines[1:]
		}
		if len(lines) != len(table.rows) {
			t.Fatalf("%s: %d lines for %d rows: programs like grep want one each", name, len(lines), len(table.rows))
		}
		for i, row := range table.rows {
			for _, cell := range row {
				if !strings.Contains(lines[i], strings.TrimRight(cell, " ")) {
					t.Errorf("%s: %q is not there", name, cell)
				}
			}
		}
	}
}

// TestNoTableIsForgotten finds the headings in the code itself.
func TestNoTableIsForgotten(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var tested []string
	for _, output := range []string{asTable, asWide} {
		for _, table := range printedTables(output) {
			tested = append(tested, `"`+strings.Join(table.header, `", "`)+`"`)
		}
	}
	headings := regexp.MustCompile(`header: \[\]string\{([^}]*)\}`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range headings.FindAllStringSubmatch(string(text), -1) {
			if !slices.Contains(tested, m[1]) {
				t.Errorf("%s: the table with the headings %s is not among those whose width is tested", file, m[1])
			}
		}
	}
}

// TestHistoryTellsWhatIsUnverified holds that of who asked nothing is cut: that nothing proves it stands at the end.
func TestHistoryTellsWhatIsUnverified(t *testing.T) {
	sync := history.Sync{
		ID: strings.Repeat("a", 32), Started: noon.Add(-time.Minute), Finished: noon, Phase: "Succeeded", Changed: history.Counts{Created: 12, Pruned: 3},
		Cause: history.Requested, By: gitops.Initiator("somebody.with.a.long.name@example.com", false), Message: strings.Repeat("successfully synced ", 9),
		Commits: []history.Commit{{Revision: strings.Repeat("b", 40)}, {Revision: strings.Repeat("c", 40)}},
	}
	var out bytes.Buffer
	if err := historyTable([]history.Sync{sync}, noon).print(&out, live.Plain(), pageWidth); err != nil {
		t.Fatal(err)
	}
	said := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{"requested", "(unverified)", "somebody", "e.com", "Succeeded"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// TestHistoryOfShortIDs: a server may answer with any ID.
func TestHistoryOfShortIDs(t *testing.T) {
	for id, want := range map[string]string{"": "", "abc": "abc", "abcdefgh": "abcdefgh", strings.Repeat("a", 32): "aaaaaaaa"} {
		sync := &history.Sync{ID: id, Started: noon}
		if got := historyRow(sync, noon)[1]; got != want {
			t.Errorf("%q is shown as %q", id, got)
		}
		if got := pastLine(sync, history.Wave{}, &history.Object{}); !strings.HasSuffix(got, "(trace "+want+")") {
			t.Errorf("%q is shown in %q", id, got)
		}
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
			all := table{keys: 1, whole: c.whole, bare: true, header: header, rows: [][]string{c.row}}
			var out bytes.Buffer
			if err := all.print(&out, live.Plain(), 60); err != nil {
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

// Facts stand between the keys of a cluster and those that it misses. API versions
// are counted where a table is to be read at a glance.
func TestFactsAreListed(t *testing.T) {
	r := bridge.ClusterReport{
		Keys:    []bridge.KeyReport{{Key: bridge.Key{In: bridge.Label, Name: "region"}, Value: "eu", Type: bridge.TypeString}},
		Missing: []bridge.MissingKey{{Key: bridge.Key{In: bridge.Label, Name: "tier"}}},
		Facts: []bridge.Fact{
			{Name: "nodeCount", Value: "3", Type: bridge.TypeInteger, Source: bridge.OfCluster},
			{Name: "apiVersions", Value: "a/v1,b/v1,c/v1,d/v1,e/v1,v1", Type: bridge.TypeString, Source: bridge.OfCluster},
		},
	}
	for output, versions := range map[string]string{asTable: "6: a/v1, b/v1, c/v1, d/v1 and 2 more", asWide: "a/v1,b/v1,c/v1,d/v1,e/v1,v1"} {
		rows := keysTable(r, output).rows
		want := [][]string{
			{"label", "region", "eu", "string?", "-", "-"}, {"fact", "nodeCount", "3", "integer", "cluster", "-"},
			{"fact", "apiVersions", versions, "string", "cluster", "-"}, {"label", "tier", "Missing", "", "", "-"},
		}
		if d := cmp.Diff(want, rows); d != "" {
			t.Errorf("%s (-want +got):\n%s", output, d)
		}
	}
	var out bytes.Buffer
	b := &bridgeFlags{offlineFlags: offlineFlags{global: &global{Streams: Streams{Out: &out}, noColor: true}}, output: asTable}
	r.Untold = "nodes may not be listed"
	if err := b.printOne(r); err != nil || !strings.Contains(out.String(), "the cluster does not tell all its facts: nodes may not be listed\n") {
		t.Errorf("%v:\n%s", err, out.String())
	}
}

func TestReadersAreCounted(t *testing.T) {
	apps := func(n int) []string { return []string{"a-prod", "b", "c", "d", "e", "f"}[:n] }
	cases := map[string]struct {
		reason     string
		all        []bridge.Reader
		want, wide string
	}{
		"nobody": {"", nil, "-", "-"},
		"one":    {"one is named", []bridge.Reader{{Set: "shop", Where: "shop.yaml:3", Applications: apps(1)}}, "shop", "shop (shop.yaml:3): a-prod"},
		"many of one": {"its applications are counted", []bridge.Reader{{Set: "shop", Where: "shop.yaml:3", Selects: true, Applications: apps(6)}}, "6 apps: shop",
			"shop (shop.yaml:3), in a selector: a-prod, b, c, d, e, f"},
		"many sets": {"what is counted comes before what may be cut", []bridge.Reader{{Set: "a", Applications: apps(2)}, {Set: "b", Applications: apps(1)}, {Set: "c"}, {Set: "d"}, {Set: "e"}},
			"5 sets, 2 apps: a, b, c, d and 1 more", "a: a-prod, b; b: a-prod; c; d; e"},
		"the same twice": {"a set that reads a key in two places is one", []bridge.Reader{{Set: "a", Where: "x:1"}, {Set: "a", Where: "x:2"}}, "a", "a (x:1); a (x:2)"},
	}
	for name, c := range cases {
		if got := readBy(c.all); got != c.want {
			t.Errorf("%s: %s: got %q, want %q", name, c.reason, got, c.want)
		}
		if got := readAt(c.all); got != c.wide {
			t.Errorf("%s, wide: %s: got %q, want %q", name, c.reason, got, c.wide)
		}
	}
}

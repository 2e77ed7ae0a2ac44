package docs

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/internal/cli"
	"github.com/causeway-gitops/causeway/internal/local"
)

func TestReferenceIsCurrent(t *testing.T) {
	var want bytes.Buffer
	if err := Reference(&want, cli.Root()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("reference/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("run `make generate`: reference/cli.md is stale (-want +got):\n%s", diff)
	}
}

// pages returns the Markdown files that people read, by path from the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	root := os.DirFS("..")
	out := map[string]string{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if filepath.Ext(name) != ".md" || strings.Contains(name, "testdata/") {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	spot    = regexp.MustCompile(`<a id="([^"]+)"></a>`)
)

func TestLinksLeadSomewhere(t *testing.T) {
	all := pages(t)
	for name, text := range all {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			target := m[1] + m[2]
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			file, anchor, _ := strings.Cut(target, "#")
			path := name
			if file != "" {
				path = filepath.Join(filepath.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join("..", path)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, target)
				continue
			}
			if page, ok := all[path]; anchor != "" && ok && !anchors(page)[anchor] {
				t.Errorf("%s links to %s: %s has no such heading", name, target, path)
			}
		}
	}
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchors are the headings of a page as they appear in links, and the places
// that have a name.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		out[strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	for _, m := range spot.FindAllStringSubmatch(text, -1) {
		out[m[1]] = true
	}
	return out
}

// TestLintPageNamesWhatIsFound: each reason that previews and lint give by
// themselves is in the page's table.
func TestLintPageNamesWhatIsFound(t *testing.T) {
	page, err := os.ReadFile("how-to/lint.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../internal/preview/*.go")
	if err != nil {
		t.Fatal(err)
	}
	reason, found := regexp.MustCompile(`\breason: "([A-Z]\w+)"`), 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range reason.FindAllStringSubmatch(string(text), -1) {
			found++
			if !strings.Contains(string(page), "`"+m[1]+"`") {
				t.Errorf("how-to/lint.md does not say what %s means", m[1])
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d reasons were found", found)
	}
}

// Whatever there is to read is in the table that people begin with.
func TestEachPageIsInTheTable(t *testing.T) {
	table, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"tutorial", "how-to", "reference", "explanation"} {
		pages, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			if path := folder + "/" + page.Name(); !strings.Contains(string(table), "]("+path) {
				t.Errorf("README.md has no row for %s", path)
			}
		}
	}
}

var yamlBlock = regexp.MustCompile("(?ms)^ *```yaml\n(.*?)^ *```")

func TestLocalFleetFilesInPagesAreRead(t *testing.T) {
	found := 0
	for name, text := range pages(t) {
		for _, m := range yamlBlock.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(m[1], "kind: LocalFleet") {
				continue
			}
			found++
			decoder := yaml.NewDecoder(strings.NewReader(m[1]))
			decoder.KnownFields(true)
			if err := decoder.Decode(&local.File{}); err != nil {
				t.Errorf("%s: %v in\n%s", name, err, m[1])
			}
		}
	}
	if found == 0 {
		t.Error("no page shows a LocalFleet file")
	}
}

// mentioned are the commands in the code of pages: `causeway get apps …`.
var mentioned = regexp.MustCompile("(?m)(?:^|[`(&|] ?)causeway ([a-z]+)")

func TestCommandsThatPagesMentionExist(t *testing.T) {
	known := map[string]bool{"help": true}
	for _, c := range cli.Root().Commands() {
		known[c.Name()] = true
	}
	for name, text := range pages(t) {
		if strings.HasPrefix(name, "design/") {
			continue
		}
		for _, m := range mentioned.FindAllStringSubmatch(text, -1) {
			if !known[m[1]] {
				t.Errorf("%s mentions the command %q, which does not exist", name, "causeway "+m[1])
			}
		}
	}
}

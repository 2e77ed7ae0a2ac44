package show

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

var update = flag.Bool("update", false, "write the golden files")

type form func(io.Writer, *forecast.Forecast, Options) error

var forms = map[string]form{"table.txt": Table, "tree.txt": Tree, "json": JSON, "yaml": YAML, "md": Markdown, "html": HTML}

func empty() *forecast.Forecast {
	return &forecast.Forecast{APIVersion: forecast.APIVersion, Base: forecast.Side{Revision: "main"}, Head: forecast.Side{Revision: "docs", Applications: 40}, Clusters: []string{"a", "b"}, Groups: []forecast.Group{}, Summary: forecast.Summary{Unchanged: 40}}
}

func render(t testing.TB, write form, f *forecast.Forecast, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, f, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, f := range map[string]*forecast.Forecast{"example": example(), "empty": empty(), "hostile": hostile()} {
		for ending, write := range forms {
			t.Run(name+"."+ending, func(t *testing.T) {
				got := render(t, write, f, Options{})
				file := filepath.Join("testdata", name+"."+ending)
				if *update {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("run with -update if this is meant (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestTextsFitTheWidth(t *testing.T) {
	for _, width := range []int{60, 80, 100, 160} {
		for ending, write := range map[string]form{"table": Table, "tree": Tree} {
			for l := range strings.SplitSeq(render(t, write, hostile(), Options{Width: width}), "\n") {
				if n := ansi.StringWidth(l); n > width && !strings.Contains(l, "run:") {
					t.Errorf("%s of width %d has a line of %d: %q", ending, width, n, l)
				}
			}
		}
	}
}

func TestColoursAreAdded(t *testing.T) {
	for name, write := range map[string]form{"table": Table, "tree": Tree} {
		want := render(t, write, example(), Options{})
		got := render(t, write, example(), Options{Style: marked{}})
		if got == want || strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(got) != want {
			t.Errorf("%s: colours change more than colours:\n%s", name, cmp.Diff(want, got))
		}
	}
}

// marked is a style with the simplest of colours.
type marked struct{}

func mark(text string) string { return "\x1b[1m" + text + "\x1b[0m" }

func (marked) Title(text string) string   { return mark(text) }
func (marked) Dim(text string) string     { return mark(text) }
func (marked) Added(text string) string   { return mark(text) }
func (marked) Removed(text string) string { return mark(text) }
func (marked) Changed(text string) string { return mark(text) }

func TestNoControlCharacters(t *testing.T) {
	for name, write := range map[string]form{"table": Table, "tree": Tree, "markdown": Markdown} {
		if got := render(t, write, hostile(), Options{}); strings.ContainsAny(got, "\x1b\x07\r") {
			t.Errorf("%s has control characters of users", name)
		}
	}
}

func TestHTMLHoldsOnlyItsOwnTags(t *testing.T) {
	z := html.NewTokenizer(strings.NewReader(render(t, HTML, hostile(), Options{})))
	open := map[string]int{}
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		token := z.Token()
		if token.Data == "script" || token.Data == "img" || token.Data == "link" || token.Data == "iframe" {
			t.Errorf("the page has <%s>", token.Data)
		}
		for _, a := range token.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || (a.Key == "href" && !strings.HasPrefix(a.Val, "#")) || a.Key == "src" {
				t.Errorf("<%s> has %s=%q", token.Data, a.Key, a.Val)
			}
		}
		switch kind {
		case html.StartTagToken:
			open[token.Data]++
		case html.EndTagToken:
			open[token.Data]--
		default:
		}
	}
	for _, tag := range []string{"details", "summary", "table", "tr", "td", "ul", "li", "pre", "section", "main"} {
		if open[tag] != 0 {
			t.Errorf("<%s> is not balanced: %d", tag, open[tag])
		}
	}
}

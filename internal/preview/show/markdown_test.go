package show

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// balanced tells what is wrong with the fences and tags of a comment.
func balanced(text string) string {
	fence, depth := "", 0
	for i, l := range strings.Split(text, "\n") {
		run := l[:len(l)-len(strings.TrimLeft(l, "`"))]
		switch {
		case fence == "" && len(run) >= 3 && strings.HasSuffix(l, "diff"):
			fence = run
			continue
		case fence != "" && l == fence:
			fence = ""
			continue
		case fence != "" && len(run) >= len(fence):
			return fmt.Sprintf("line %d ends a fence: %q", i+1, l)
		case fence != "":
			continue
		}
		if len(run) >= 3 {
			return fmt.Sprintf("line %d is a fence: %q", i+1, l)
		}
		if strings.HasPrefix(l, "/") {
			return fmt.Sprintf("line %d is a command to the host: %q", i+1, l)
		}
		l = plainText(l)
		depth += strings.Count(l, "<details>") - strings.Count(l, "</details>")
		if depth < 0 || depth > 1 {
			return fmt.Sprintf("line %d: %d details are open", i+1, depth)
		}
		if strings.HasPrefix(l, "|") && cells(l) != 7 {
			return fmt.Sprintf("line %d has %d bars: %q", i+1, cells(l), l)
		}
	}
	if fence != "" || depth != 0 {
		return fmt.Sprintf("fence %q is open, and %d details", fence, depth)
	}
	return ""
}

// plainText is a line without its code and escaped characters, as CommonMark
// reads it.
func plainText(l string) string {
	var out strings.Builder
	for i := 0; i < len(l); {
		switch {
		case l[i] == '\\' && i+1 < len(l):
			i += 2
		case l[i] == '`':
			run := l[i : i+len(l[i:])-len(strings.TrimLeft(l[i:], "`"))]
			end := codeEnd(l[i+len(run):], len(run))
			if end < 0 {
				out.WriteString(run)
				end = 0
			}
			i += len(run) + end
		default:
			out.WriteByte(l[i])
			i++
		}
	}
	return out.String()
}

// codeEnd is where a run of exactly n backticks ends; less than 0 if none does.
func codeEnd(l string, n int) int {
	for i := 0; i < len(l); i++ {
		run := len(l[i:]) - len(strings.TrimLeft(l[i:], "`"))
		if run == n {
			return i + n
		}
		i += run
	}
	return -1
}

func cells(l string) int { return strings.Count(l, "|") }

var mention = regexp.MustCompile(`@[A-Za-z]`)

// outside is a comment without its fences and code.
func outside(text string) string {
	text = regexp.MustCompile("(?ms)^(`{3,})diff$.*?^`{3,}$").ReplaceAllString(text, "")
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = plainText(lines[i])
	}
	return strings.Join(lines, "\n")
}

func TestMarkdownHoldsAnyLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := map[string]*forecast.Forecast{"example": example(), "empty": empty(), "hostile": hostile(), "large": large(r)}
	for name, f := range all {
		times := 100
		if name == "large" {
			times = 10
		}
		for range times {
			limit := leastLimit + r.IntN(60_000)
			if r.IntN(3) == 0 {
				limit = leastLimit + r.IntN(4_000)
			}
			got := render(t, Markdown, f, Options{Limit: limit})
			if len(got) > limit {
				t.Errorf("%s: %d bytes, the limit is %d", name, len(got), limit)
			}
			if wrong := balanced(got); wrong != "" {
				t.Fatalf("%s at %d: %s\n%s", name, limit, wrong, got)
			}
			if !strings.HasPrefix(got, "**") || !strings.HasSuffix(got, "\n") || strings.Contains(got, "<!--") {
				t.Errorf("%s: begins with %.20q, ends with %.20q", name, got, got[len(got)-20:])
			}
			if rest := outside(got); mention.MatchString(rest) || strings.Contains(rest, "<script") || strings.Contains(rest, "![") {
				t.Fatalf("%s at %d: a text of a user is alive:\n%s", name, limit, rest)
			}
		}
	}
}

func TestMarkdownCutsTheLargestFirst(t *testing.T) {
	f := empty()
	for _, size := range []int{3, 2000, 5} {
		var manifest strings.Builder
		for i := range size {
			fmt.Fprintf(&manifest, "line-%d-of-%d: something to read\n", i, size)
		}
		f.Groups = append(f.Groups, forecast.Group{Change: forecast.Added, Title: fmt.Sprint(size, " lines"), Objects: []forecast.Object{{Change: forecast.Added, Kind: "K", Name: "n", Manifest: manifest.String()}}})
	}
	f.Summary.Added = 3
	got := render(t, Markdown, f, Options{Limit: 8000})
	for _, want := range []string{"line-2-of-3:", "line-4-of-5:", "line-20-of-2000:", "more lines left out: `causeway preview --output tree` shows them"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "left out"); n != 1 {
		t.Errorf("%d groups are cut, want the large one alone", n)
	}
}

// large has more of everything than a comment holds.
func large(r *rand.Rand) *forecast.Forecast {
	f := example()
	for i := range 300 {
		g := forecast.Group{Change: forecast.Changed, Title: fmt.Sprintf("group %d", i)}
		for range 1 + r.IntN(40) {
			g.Objects = append(g.Objects, forecast.Object{
				Change: forecast.Changed, Kind: "ConfigMap", Namespace: "n", Name: strconv.Itoa(i),
				Fields: []forecast.Field{{Path: "data.x", Old: strings.Repeat("a ", r.IntN(900)), New: strings.Repeat("b\n", r.IntN(300))}},
			})
			g.Risks = append(g.Risks, forecast.Risk{Kind: forecast.RiskImmutable, Object: "ConfigMap n/x", Message: strings.Repeat("m", r.IntN(500))})
		}
		f.Groups = append(f.Groups, g)
		f.Failures = append(f.Failures, forecast.Finding{Reason: "R", Message: strings.Repeat("f", r.IntN(700)), New: r.IntN(2) == 0})
		f.Missing = append(f.Missing, forecast.Missing{RepoURL: strings.Repeat("u", r.IntN(400)), Message: "m", Command: "c"})
	}
	return f
}

package show

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/preview/forecast"
)

// drawnLines are lines with their signs.
func drawnLines(all []line) []string {
	var out []string
	for _, l := range all {
		out = append(out, string(l.sign)+l.text)
	}
	return out
}

func TestFieldsBelowTheirParents(t *testing.T) {
	cases := map[string]struct {
		reason string
		fields []forecast.Field
		want   []string
	}{
		"Siblings":  {"fields of one parent share its line", []forecast.Field{{Path: "spec.a", Old: "x", New: "z"}, {Path: "spec.b", New: int64(1)}, {Path: "spec.c.d", Old: true}}, []string{" spec:", "-  a: x", "+  a: z", "+  b: 1", " spec.c:", "-  d: true"}},
		"Top":       {"one without a parent stands alone", []forecast.Field{{Path: "type", Old: "a", New: "b"}, {Path: "spec.a", New: "x"}, {Path: "kind", New: "x"}}, []string{"-type: a", "+type: b", " spec:", "+  a: x", "+kind: x"}},
		"Quoted":    {"keys with dots are in quotes", []forecast.Field{{Path: `metadata.labels["a.b/c"]`, New: "x"}}, []string{" metadata.labels:", `+  "a.b/c": x`}},
		"Brackets":  {"dots and brackets in quotes part nothing", []forecast.Field{{Path: `data["a]\".b"].c`, New: "x"}}, []string{` data["a]\".b"]:`, "+  c: x"}},
		"Item":      {"an item of a list", []forecast.Field{{Path: "spec.l[name=a.b]", New: map[string]any{"name": "a.b", "v": int64(1)}}}, []string{" spec.l:", "+  - name: a.b", "+    v: 1"}},
		"ItemField": {"a field of one", []forecast.Field{{Path: "spec.l[name=a.b].v", Old: int64(1), New: int64(2)}}, []string{" spec.l[name=a.b]:", "-  v: 1", "+  v: 2"}},
		"Order":     {"another order", []forecast.Field{{Path: "spec.env[order]", Old: "name=A name=B", New: "name=B name=A"}}, []string{" spec.env:", "-  order: name=A name=B", "+  order: name=B name=A"}},
		"Map":       {"a mapping below its key", []forecast.Field{{Path: "spec.m", New: map[string]any{"b": "x", "a": []any{"w"}}}}, []string{" spec:", "+  m:", "+    a:", "+    - w", "+    b: x"}},
		"List":      {"a list at its key", []forecast.Field{{Path: "spec.l", Old: []any{"a"}, New: []any{}}}, []string{" spec:", "-  l:", "-  - a", "+  l: []"}},
		"Nothing":   {"what is empty is told", []forecast.Field{{Path: "spec.m", Old: map[string]any{}, New: ""}}, []string{" spec:", "-  m: {}", `+  m: ""`}},
		"Text":      {"a text of several lines where there was none", []forecast.Field{{Path: "data.f", New: "a\nb\n"}}, []string{" data:", "+  f: |", "+    a", "+    b"}},
		"Lines":     {"lines that differ, with those around them", []forecast.Field{{Path: "data.f", Old: "1\n2\n3\n4\n5\n6\n7\n8\n", New: "1\n2\n3\n4\nx\n6\n7\n8\n"}}, []string{" data:", "   f: |", "     3", "     4", "-    5", "+    x", "     6", "     7"}},
		"Apart":     {"places that are apart", []forecast.Field{{Path: "f", Old: "a\n1\n2\n3\n4\n5\n6\nb", New: "x\n1\n2\n3\n4\n5\n6\ny"}}, []string{" f: |", "-  a", "+  x", "   1", "   2", "   …", "   5", "   6", "-  b", "+  y"}},
		"OneLine":   {"a text that gets lines", []forecast.Field{{Path: "f", Old: "a", New: "a\nb"}}, []string{" f: |", "   a", "+  b"}},
		"Masked":    {"what is masked on both sides differs all the same", []forecast.Field{{Path: "data.p", Old: "[masked]", New: "[masked]", Masked: true}}, []string{" data:", "-  p: [masked]", "+  p: [masked]  # another value"}},
		"MaskedTo":  {"nothing is told of one that only comes", []forecast.Field{{Path: "p", New: "[masked]", Masked: true}}, []string{"+p: [masked]"}},
		"MaskedIn":  {"also within a text of several lines", []forecast.Field{{Path: "data.conf", Old: "user: a\npassword: [masked]\n", New: "user: a\npassword: [masked]\n", Masked: true}}, []string{" data:", "   conf: |  # another value, which is masked"}},
		"Control":   {"nothing of users reaches a terminal", []forecast.Field{{Path: "a\x1b.b", Old: "x\x1b[31m", New: "y\r"}}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := drawnLines(fieldLines(tc.fields))
			if tc.want == nil {
				if strings.ContainsAny(strings.Join(got, ""), "\x1b\r") || len(got) != 3 {
					t.Errorf("%s: %q", tc.reason, got)
				}
				return
			}
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], "'[masked]'", "[masked]")
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestLinesOfObjects(t *testing.T) {
	cases := map[string]struct {
		reason string
		object forecast.Object
		want   []string
	}{
		"Comes":   {"all of its lines", forecast.Object{Change: forecast.Added, Manifest: "a: 1\nb: 2\n"}, []string{"+a: 1", "+b: 2"}},
		"Goes":    {"all of its lines", forecast.Object{Change: forecast.Removed, Manifest: "a: 1"}, []string{"-a: 1"}},
		"Omitted": {"how many fields are left out", forecast.Object{Change: forecast.Changed, Fields: []forecast.Field{{Path: "a", New: "x"}}, Omitted: 1}, []string{"+a: x", " … and 1 more field"}},
		"Omits":   {"of many", forecast.Object{Change: forecast.Changed, Omitted: 3}, []string{" … and 3 more fields"}},
		"Empty":   {"an object of which nothing is known", forecast.Object{Change: forecast.Added}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, drawnLines(objectLines(tc.object))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// Texts of very many lines are shown one after the other: to align them takes long.
func TestTextsOfVeryManyLines(t *testing.T) {
	text := strings.Repeat("a line\n", maxHunkLines/2)
	got := drawnLines(hunks("", text, text+"more\n"))
	if len(got) != maxHunkLines+1 || got[0] != "-a line" || got[maxHunkLines] != "+more" {
		t.Errorf("%d lines, from %q to %q", len(got), got[0], got[len(got)-1])
	}
}

func TestTreesShowTheFirstOfMany(t *testing.T) {
	group := func(names, lines int) *forecast.Forecast {
		g := forecast.Group{Change: forecast.Added, Title: "many"}
		for i := range names {
			g.Applications = append(g.Applications, forecast.Application{Name: fmt.Sprint("app-", i), Cluster: "c"})
		}
		g.Objects = []forecast.Object{{Change: forecast.Added, Kind: "K", Name: "n", Manifest: strings.Repeat("line\n", lines)}}
		return &forecast.Forecast{Groups: []forecast.Group{g}}
	}
	cases := map[string]struct {
		reason       string
		names, lines int
		shown        [2]int
		more         []string
	}{
		"Few":     {"all of few", maxNames, maxLines, [2]int{maxNames, maxLines}, nil},
		"OneMore": {"a line that says that there is one more would be as long", maxNames + 1, maxLines + 1, [2]int{maxNames + 1, maxLines + 1}, nil},
		"Many":    {"the first of many, and how many there are", maxNames + 5, maxLines + 5, [2]int{maxNames, maxLines}, []string{"… and 5 more", "… 5 more lines"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := render(t, Tree, group(tc.names, tc.lines), Options{})
			if shown := [2]int{strings.Count(got, "app-"), strings.Count(got, "+ line")}; shown != tc.shown {
				t.Errorf("%s: %v are shown", tc.reason, shown)
			}
			for _, more := range tc.more {
				if !strings.Contains(got, more) {
					t.Errorf("%s: %q is missing", tc.reason, more)
				}
			}
			if len(tc.more) == 0 && strings.Contains(got, "…") {
				t.Errorf("%s: something is left out", tc.reason)
			}
		})
	}
}

package helm

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/strvals"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestParametersThatTakeMemory are refused before they are set.
func TestParametersThatTakeMemory(t *testing.T) {
	many := func(form string, n int) string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprintf(form, i))
		}
		return strings.Join(out, ",")
	}
	parameter := func(name, value string) v1alpha1.ApplicationSourceHelm {
		return v1alpha1.ApplicationSourceHelm{Parameters: []v1alpha1.HelmParameter{{Name: name, Value: value}}}
	}
	file := v1alpha1.ApplicationSourceHelm{FileParameters: []v1alpha1.HelmFileParameter{{Name: many("a%d[65535]=x", 9) + ",z", Path: "../values/a.yaml"}}}
	var each v1alpha1.ApplicationSourceHelm
	for i := range 9 {
		each.Parameters = append(each.Parameters, v1alpha1.HelmParameter{Name: fmt.Sprintf("a%d[65535]", i), Value: "x", ForceString: i%2 == 0})
	}
	cases := map[string]struct {
		reason string
		spec   v1alpha1.ApplicationSourceHelm
		want   string
	}{
		"Names":    {"one name may have many", parameter(many("a%d[65535]=x", 9)+",z", "x"), "too many entries"},
		"Values":   {"so may a value behind a list", parameter("z", "{x},"+many("a%d[65535]=x", 9)+",y={x}"), "too many entries"},
		"Joined":   {"a list needs no comma behind it", parameter("z", "{x}"+many("a%d[65535]={x}", 9)), "too many entries"},
		"Each":     {"they count together", each, "too many entries"},
		"Files":    {"files are parameters", file, "too many entries"},
		"Nested":   {"lists of lists count", parameter(many("a[%d][65535]=x", 9)+",z", "x"), "too many entries"},
		"Fields":   {"lists in objects of lists count", parameter(many("a[%d].b[65535]=x", 9)+",z", "x"), "too many entries"},
		"Escaped":  {"indices may be escaped", parameter(many(`a%d[\6\5535]=x`, 9)+",z", "x"), "too many entries"},
		"Deep":     {"lists are not nested without end", parameter("a"+strings.Repeat("[0]", 100), "x"), "more than 30 indices"},
		"Large":    {"a large index is Helm's to refuse", parameter("a[65537]", "x"), "maximum supported index"},
		"Largest":  {"the largest that Helm takes is taken", parameter("a[65536]", "x"), ""},
		"Text":     {"values may have brackets", parameter("a", strings.Repeat("[65535]", 100)), ""},
		"Braces":   {"lists may, too", parameter("a", "{"+many("[65535]", 100)+"}"), ""},
		"Filled":   {"a list may be filled one by one", parameter(many("a[%d]=x", 500)+",z", "x"), ""},
		"Comma":    {"a name may have several, as with Helm", parameter("a=1,b", "x"), ""},
		"NoNumber": {"no number is Helm's to refuse", parameter("a[x]", "x"), "error parsing index"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := sourceOf(t, chartFiles(), tc.spec, gitops.Facts{})
			err := parameters(s, &tc.spec, map[string]any{})
			var p *gitops.Problem
			switch {
			case tc.want == "" && err != nil, tc.want != "" && (!errors.As(err, &p) || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("%s: %v, want %q", tc.reason, err, tc.want)
			case err != nil && len(err.Error()) > 500:
				t.Errorf("%s: the error has %d bytes", tc.reason, len(err.Error()))
			}
		})
	}
}

// TestExplainedParametersTakeMemory each by itself.
func TestExplainedParametersTakeMemory(t *testing.T) {
	var spec v1alpha1.ApplicationSourceHelm
	for range 100 {
		spec.Parameters = append(spec.Parameters, v1alpha1.HelmParameter{Name: "a[65535]", Value: "x"})
	}
	s := sourceOf(t, chartFiles(), spec, gitops.Facts{})
	if _, err := New(Options{}).Explain(t.Context(), s); err == nil || !strings.Contains(err.Error(), "too many entries") {
		t.Errorf("a hundred lists of the largest kind: %v", err)
	}
	if err := parameters(s, &spec, map[string]any{}); err != nil {
		t.Errorf("together they are one list: %v", err)
	}
}

// TestOneFileForManyNames is kept once.
func TestOneFileForManyNames(t *testing.T) {
	spec := v1alpha1.ApplicationSourceHelm{FileParameters: []v1alpha1.HelmFileParameter{{Name: strings.Repeat("a=x,b=x,", 200) + "c", Path: "../values/large"}}}
	s := sourceOf(t, chartFiles().With("values/large", strings.Repeat("x", 1<<20)), spec, gitops.Facts{})
	bytes := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := parameters(s, &spec, map[string]any{}); err != nil {
				b.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	if bytes > 16<<20 {
		t.Errorf("a MiB for 401 names takes %d MiB", bytes>>20)
	}
}

// FuzzLists: whatever --set makes lists of was counted before.
func FuzzLists(f *testing.F) {
	for _, seed := range []string{"a[3]=x", "a={x}b[2]=y", `a[\3].b[1][2]=x,c\,d[1]=y`, "a=[9],b[0].c[1]=z", "a[2]={x,y},a[1][0]=z", "a={x,}[3]=", "a[1]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		made := lists{}
		if err := made.add(text); err != nil || made.entries() > 1<<12 {
			return
		}
		values := map[string]any{}
		_ = safely(func() error { return strvals.ParseInto(text, values) })
		if got, most := entriesOf(values), made.entries()+len(text); got > most {
			t.Errorf("%q makes %d entries, and %d were counted", text, got, made.entries())
		}
	})
}

func entriesOf(v any) int {
	sum := 0
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			sum += entriesOf(item)
		}
	case []any:
		sum = len(v)
		for _, item := range v {
			sum += entriesOf(item)
		}
	}
	return sum
}

package chart

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestIndexesOfJSON reads indexes of JSON by the places of their charts, and to the
// same as if they were read as a whole.
func TestIndexesOfJSON(t *testing.T) {
	for name, c := range map[string]struct {
		reason, text string
		found        bool
	}{
		"Helm":    {"as Helm writes it", `{"apiVersion":"v1","entries":{"web":[{"version":"1.0.0","urls":["a","b"]},{"version":"1.1.0","digest":"x"}],"db":[{"version":"2.0.0"}]},"generated":"now"}`, true},
		"Spaces":  {"in lines", "\n{\n  \"entries\" : {\n \"web\" : [ { \"version\" : \"1.0.0\" } ] ,\n \"none\": null , \"n\": 1\n }\n}\n", true},
		"Signs":   {"texts with signs in them", `{"a":"}\"]{","entries":{"w\u0065b":[{"version":"1.0.0","description":"\\\"}],\\","urls":["]"]}],"x":[]}}`, true},
		"Broken":  {"a chart that has no versions hides no others", `{"entries":{"db":"a,b","web":[{"version":"1.0.0"}]}}`, true},
		"Twice":   {"a chart that stands there twice", `{"entries":{"web":[],"web":[{"version":"1.0.0"}]}}`, false},
		"Again":   {"entries that stand there twice", `{"entries":{"web":[]},"entries":{"web":[{"version":"1.0.0"}]}}`, false},
		"Empty":   {"no charts", `{"entries":{}}`, false},
		"List":    {"entries that are none", `{"entries":[{"web":[]}]}`, false},
		"Nothing": {"no entries", `{"apiVersion":"v1"}`, false},
		"Cut":     {"no JSON", `{"entries":{"web":[{"version":"1.0.0"}]}`, false},
		"YAML":    {"what only begins so", "{entries: {web: [{version: 1.0.0}]}}", false},
	} {
		t.Run(name, func(t *testing.T) {
			spans := splitJSON([]byte(c.text))
			if (spans != nil) != c.found {
				t.Fatalf("%s: %v", c.reason, spans)
			}
			if !c.found {
				return
			}
			x, err := ParseIndex([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			whole, err := ParseIndex([]byte("# as YAML\n" + c.text))
			if err != nil {
				t.Fatal(err)
			}
			for chart, want := range whole.parsed { // without those that cannot be read
				got, err := x.Releases(chart)
				if err != nil && len(want) > 0 {
					t.Errorf("%s: %v", c.reason, err)
				}
				if diff := cmp.Diff(append([]Release{}, want...), append([]Release{}, got...)); diff != "" {
					t.Errorf("%s: %s: %s", c.reason, chart, diff)
				}
			}
		})
	}
}

// TestLargeIndexes reads those of many charts, which together have more values than
// are read at a time, and refuses one that is not found by its charts.
func TestLargeIndexes(t *testing.T) {
	const charts, releases = 2000, 250
	release := `{"version":"1.0.%d","urls":["a","b"]},`
	var list strings.Builder
	for i := range releases {
		fmt.Fprintf(&list, release, i)
	}
	body := "[" + strings.TrimSuffix(list.String(), ",") + "]"
	var asJSON, asYAML, other strings.Builder
	for i := range charts {
		fmt.Fprintf(&asJSON, `,"c%d":%s`, i, body)
		fmt.Fprintf(&asYAML, "  c%d:\n    %s\n", i, body)
		fmt.Fprintf(&other, "   c%d: %s\n", i, body)
	}
	for name, c := range map[string]struct {
		text  string
		fails bool
	}{
		"JSON":  {`{"entries":{` + asJSON.String()[1:] + `}}`, false},
		"YAML":  {"entries:\n" + asYAML.String(), false},
		"Other": {"entries:\n" + other.String(), true},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := ParseIndex([]byte(c.text))
			if c.fails {
				if err == nil || !strings.Contains(err.Error(), "values; have the index written as `helm repo index` does") {
					t.Errorf("it is read: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r, err := x.Find("c1999", "1.x")
			if err != nil || r.Version != "1.0.249" || len(r.URLs) != 2 {
				t.Errorf("got %v, %v", r, err)
			}
		})
	}
}

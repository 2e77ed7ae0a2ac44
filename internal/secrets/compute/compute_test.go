package compute

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/template"
)

func TestMain(m *testing.M) {
	Worker()
	os.Exit(m.Run())
}

func pool(t *testing.T) *Pool {
	t.Helper()
	p := NewPool()
	t.Cleanup(p.Close)
	return p
}

func secret() map[string]any { return map[string]any{"apiVersion": "v1", "kind": "Secret"} }

func templated(text string) *Template {
	return &Template{Requests: []Request{{Place: "target.template.data", Request: template.Request{Templates: map[string]string{"out": text}}}}}
}

// TestJobsThatDoNotEnd: what strangers write takes a worker, and nothing else.
func TestJobsThatDoNotEnd(t *testing.T) {
	p := pool(t)
	object := entry.Text([]byte(`{"a":"` + strings.Repeat("x", 1<<16) + `"}`))
	twice := strings.TrimSuffix(strings.Repeat("[@this,@this]|", 40), "|")
	for name, tc := range map[string]struct {
		reason string
		job    Job
	}{
		"property": {"each part of the path doubles what it is of", Job{Values: []Value{{Place: "data[0]", Key: "a", Entry: object, Property: twice}}}},
		"jsonpath": {"each step goes to all that there is", Job{Values: []Value{{
			Place: "data[0]", Key: "a", Entry: entry.Answer([]byte("["+strings.Repeat(`[1,1,1,1],`, 400)+"1]"), "$"+strings.Repeat("..*", 30)),
		}}}},
		"repeat":  {"a text is repeated", Job{Bare: true, Template: templated(`{{ repeat 1000000000 "abcdefgh" }}`)}},
		"doubled": {"a text is put behind itself", Job{Bare: true, Template: templated(`{{ $x := "ab" }}{{ range until 60 }}{{ $x = print $x $x }}{{ end }}{{ $x }}`)}},
		"itself":  {"a template calls itself", Job{Bare: true, Template: templated(`{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.job.Object = secret()
			if made, err := p.Do(t.Context(), tc.job); err == nil {
				t.Errorf("%s: it made %d fields", tc.reason, len(made.Object))
			}
		})
	}
	if _, err := p.Do(t.Context(), Job{Bare: true, Object: secret(), Template: templated("{{ 1 }}")}); err != nil {
		t.Errorf("the next job: %v", err)
	}
}

// TestErrorsHoldNoValue: an error goes into the status, which many read.
func TestErrorsHoldNoValue(t *testing.T) {
	p := pool(t)
	value := func(text string) []Value {
		return []Value{{Place: "data[0]", Key: "a", Entry: entry.Text([]byte(text))}}
	}
	for name, job := range map[string]Job{
		"function": {Values: value("hunter22-of-prod"), Template: templated(`{{ .a | mustToDate "2006" }}`)},
		"part":     {Values: value("user:hunter22"), Template: templated(`{{ semver (last (splitList ":" .a)) }}`)},
		"fail":     {Values: value("hunter22"), Template: templated(`{{ fail (print "not " .a) }}`)},
		"field":    {Values: value("hunter22"), Template: templated(`{{ .a.b }}`)},
		"json":     {From: []Set{{Place: "dataFrom[0]", Data: map[string][]byte{"a": []byte("hunter22")}, Rewrite: []esv1.Rewrite{{Merge: &esv1.RewriteMerge{}}}}}},
		"base64":   {Values: []Value{{Place: "data[0]", Key: "a", Entry: entry.Text([]byte("hunter22!")), Decoding: esv1.DecodeBase64}}},
		"map":      {Values: value("hunter22"), Template: &Template{Requests: []Request{{Request: template.Request{Templates: map[string]string{"out": "{{ .a }}"}, Scope: esv1.ScopeKeysAndValues}}}}},
		"path":     {Values: value("hunter22"), Template: &Template{Requests: []Request{{Request: template.Request{Templates: map[string]string{"out": "[{{ .a }}"}, Target: "spec.x"}}}}},
		"extract":  {From: []Set{{Place: "dataFrom[0]", Entry: &entry.Entry{Form: entry.OfText, Text: []byte("hunter22")}}}},
	} {
		t.Run(name, func(t *testing.T) {
			job.Object = secret()
			_, err := p.Do(t.Context(), job)
			if err == nil || strings.Contains(err.Error(), "hunter22") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestWhatCountsBefore is the order of values, and of templates.
func TestWhatCountsBefore(t *testing.T) {
	set := func(name, text string) Set {
		return Set{Place: "dataFrom", Data: map[string][]byte{name: []byte(text)}}
	}
	made, err := pool(t).Do(t.Context(), Job{
		From:   []Set{set("a", "first"), set("a", "second"), set("b", "set")},
		Values: []Value{{Place: "data[0]", Key: "b", Entry: entry.Text([]byte("value"))}},
		Template: &Template{KeepValues: true, Requests: []Request{
			{Request: template.Request{Templates: map[string]string{"c": "early"}}}, {Request: template.Request{Templates: map[string]string{"c": "{{ .a }} {{ .b }}"}}},
		}},
		Object: secret(),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"a": "c2Vjb25k", "b": "dmFsdWU=", "c": "c2Vjb25kIHZhbHVl"}
	if diff := cmp.Diff(want, made.Object["data"]); diff != "" {
		t.Errorf("the data differ (-want +got):\n%s", diff)
	}
}

// TestLenientJobsTellWhatIsMissing: a policy for it says what happens then.
func TestLenientJobsTellWhatIsMissing(t *testing.T) {
	p := pool(t)
	job := Job{Values: []Value{{Place: "data[0]", Key: "a", Entry: entry.Text([]byte("{}")), Property: "none"}}, Object: secret()}
	if _, err := p.Do(t.Context(), job); err == nil || !strings.Contains(err.Error(), "data[0]") {
		t.Errorf("a strict job: %v", err)
	}
	job.Lenient = true
	made, err := p.Do(t.Context(), job)
	if diff := cmp.Diff(Made{Missing: []string{"data[0]"}}, made); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

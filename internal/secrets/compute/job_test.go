package compute

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/template"
)

func dataOf(pairs ...string) map[string][]byte {
	out := map[string][]byte{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = []byte(pairs[i+1])
	}
	return out
}

func regexpOf(source, target string) []esv1.Rewrite {
	return []esv1.Rewrite{{Regexp: &esv1.RewriteRegexp{Source: source, Target: target}}}
}

// TestJobs has what a job makes, by what its Secret holds.
func TestJobs(t *testing.T) {
	p := pool(t)
	object := entry.Object([]byte(`{"user":"ada","a/b":"x","n":5432}`))
	fields := entry.Fields(dataOf("user", "ada"))
	for name, tc := range map[string]struct {
		reason string
		job    Job
		want   map[string]string
		err    string
	}{
		"value":          {"a value under its key", Job{Values: []Value{{Key: "k", Entry: object, Property: "user"}}}, map[string]string{"k": "ada"}, ""},
		"whole":          {"an entry under a key", Job{Values: []Value{{Key: "k", Entry: entry.Text([]byte("x"))}}}, map[string]string{"k": "x"}, ""},
		"decoded":        {"a value that is encoded", Job{Values: []Value{{Key: "k", Entry: entry.Text([]byte("aGk=")), Decoding: esv1.DecodeAuto}}}, map[string]string{"k": "hi"}, ""},
		"binary":         {"bytes that are no text", Job{Values: []Value{{Key: "k", Entry: entry.Text([]byte{0, 255, 10})}}}, map[string]string{"k": "\x00\xff\n"}, ""},
		"empty":          {"a value that is nothing is one", Job{Values: []Value{{Key: "k", Entry: entry.Text(nil)}}}, map[string]string{"k": ""}, ""},
		"extract":        {"the fields of an entry, with keys that a Secret may have", Job{From: []Set{{Entry: &object}}}, map[string]string{"user": "ada", "a_b": "x", "n": "5432"}, ""},
		"unicode":        {"or with numbers in them", Job{From: []Set{{Entry: &object, Conversion: esv1.ConversionUnicode}}}, map[string]string{"user": "ada", "a_U002f_b": "x", "n": "5432"}, ""},
		"rewritten":      {"keys that are rewritten are not converted first", Job{From: []Set{{Entry: &object, Rewrite: regexpOf("/", "-")}}}, map[string]string{"user": "ada", "a-b": "x", "n": "5432"}, ""},
		"wrong key":      {"and have to be ones that a Secret may have", Job{From: []Set{{Place: "dataFrom[0]", Entry: &object, Rewrite: regexpOf("x", "y")}}}, nil, "dataFrom[0]: key has invalid character '/'"},
		"found":          {"names of entries are converted before they are rewritten", Job{From: []Set{{Found: true, Data: dataOf("app/db", "x"), Rewrite: regexpOf("^app_", "")}}}, map[string]string{"db": "x"}, ""},
		"found twice":    {"two that become one are refused", Job{From: []Set{{Place: "dataFrom[0]", Found: true, Data: dataOf("a/b", "x", "a:b", "y")}}}, nil, "secret name collision"},
		"all decoded":    {"all values of a set are decoded", Job{From: []Set{{Data: dataOf("a", "aGk="), Decoding: esv1.DecodeBase64}}}, map[string]string{"a": "hi"}, ""},
		"later set":      {"the later set counts", Job{From: []Set{{Data: dataOf("a", "1")}, {Data: dataOf("a", "2")}}}, map[string]string{"a": "2"}, ""},
		"template":       {"a template replaces values", Job{Values: []Value{{Key: "k", Entry: object, Property: "user"}}, Template: templated("{{ .k }}!")}, map[string]string{"out": "ada!"}, ""},
		"no template":    {"a template of nothing has none", Job{Values: []Value{{Key: "k", Entry: object}}, Template: &Template{}}, map[string]string{}, ""},
		"kept":           {"unless they are kept", Job{Values: []Value{{Key: "k", Entry: object, Property: "user"}}, Template: &Template{KeepValues: true}}, map[string]string{"k": "ada"}, ""},
		"bare":           {"a Secret of no values, where that is wanted", Job{Bare: true}, map[string]string{}, ""},
		"unknown field":  {"a template of a value that there is not", Job{Bare: true, Template: templated("{{ .k }}")}, nil, `no entry for key "k"`},
		"absent":         {"a property that there is not", Job{Values: []Value{{Place: "data[0] (k)", Key: "k", Entry: object, Property: "nope"}}}, nil, `data[0] (k): the entry has no such property: "nope"`},
		"renamed":        {"which is no reason to delete anything", Job{Lenient: true, Values: []Value{{Place: "data[0]", Key: "k", Entry: object, Property: "nope"}}}, nil, "data[0]: the entry has no such property"},
		"renamed, set":   {"neither for sets", Job{Lenient: true, From: []Set{{Place: "dataFrom[0]", Entry: &fields, Property: "nope"}}}, nil, "dataFrom[0]: the entry has no such property"},
		"no JSON":        {"an entry that is no JSON", Job{Lenient: true, Values: []Value{{Place: "data[0]", Key: "k", Entry: entry.Text([]byte("<html>")), Property: "a"}}}, nil, "data[0]: the entry is no JSON"},
		"no object":      {"or no object", Job{Lenient: true, From: []Set{{Place: "dataFrom[0]", Entry: &entry.Entry{Form: entry.OfText, Text: []byte("[]")}}}}, nil, "dataFrom[0]: the value is no JSON object"},
		"form":           {"an entry of another version", Job{Values: []Value{{Place: "data[0]", Key: "k"}}}, nil, "unknown form"},
		"place of error": {"a template says where it stands", Job{Bare: true, Template: &Template{Requests: []Request{{Place: "target.template.templateFrom[1]", Request: template.Request{Templates: map[string]string{"a": "{{"}}}}}}, nil, "target.template.templateFrom[1]: template of the key"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.job.Object = secret()
			made, err := p.Do(t.Context(), tc.job)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s: got %v, want %q", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, decoded(t, made)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func decoded(t *testing.T, made Made) map[string]string {
	t.Helper()
	out := map[string]string{}
	data, _ := made.Object["data"].(map[string]any)
	for key, v := range data {
		text, err := base64.StdEncoding.DecodeString(v.(string))
		if err != nil {
			t.Fatal(err)
		}
		out[key] = string(text)
	}
	return out
}

// TestLargeValues: a Secret may have a megabyte.
func TestLargeValues(t *testing.T) {
	p := pool(t)
	large := bytes.Repeat([]byte{0, 255, 'a', '\n'}, 1<<18)
	made, err := p.Do(t.Context(), Job{Object: secret(), Values: []Value{{Key: "k", Entry: entry.Text(large)}}, Template: templated("{{ .k }}")})
	if err != nil || decoded(t, made)["out"] != string(large) {
		t.Errorf("%v, %d bytes", err, len(decoded(t, made)["out"]))
	}
	_, err = p.Do(t.Context(), Job{Object: secret(), Values: []Value{{Key: "k", Entry: entry.Text(large)}}, Template: templated(`{{ fail .k }}`)})
	if err == nil || len(err.Error()) > 2*longestFailure {
		t.Errorf("an error of %d bytes", len(fmt.Sprint(err)))
	}
}

// TestJobsOfOtherKinds: what is no Secret has plain texts.
func TestJobsOfOtherKinds(t *testing.T) {
	made, err := pool(t).Do(t.Context(), Job{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}, From: []Set{{Data: dataOf("a", "x")}}})
	if diff := cmp.Diff(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"a": "x"}}, made.Object); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestTexts has the templates of a store.
func TestTexts(t *testing.T) {
	p := pool(t)
	values := map[string]any{"remoteRef": map[string]any{"key": "db/x y", "property": ""}, "auth": map[string]any{"user": "ada"}}
	got, err := p.Texts(t.Context(), map[string]string{
		"url": "https://x/{{ .remoteRef.key | urlquery }}", "body": "", "headers.A": `{{ printf "%s:" .auth.user | b64enc }}`,
	}, values)
	want := map[string]string{"url": "https://x/db%2Fx+y", "body": "", "headers.A": "YWRhOg=="}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for text, want := range map[string]string{"{{ .nope }}": "url", "{{": "url", `{{ repeat 1000000000 "abcdefgh" }}`: "cannot render the templates"} {
		if _, err := p.Texts(t.Context(), map[string]string{"url": text}, values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// TestManyAtATime: workers are shared, and nobody gets another's object.
func TestManyAtATime(t *testing.T) {
	p := pool(t)
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			want := fmt.Sprint("value ", i)
			made, err := p.Do(t.Context(), Job{Object: secret(), Values: []Value{{Key: "k", Entry: entry.Text([]byte(want))}}})
			if err != nil || decoded(t, made)["k"] != want {
				t.Errorf("%v, got %v, want %q", err, made.Object, want)
			}
		})
	}
	wait.Wait()
}

// TestWhoDoesNotWait: a context that is over ends a job.
func TestWhoDoesNotWait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := pool(t)
	if _, err := p.Do(ctx, Job{Bare: true, Object: secret()}); !errors.Is(err, context.Canceled) {
		t.Errorf("a job: %v", err)
	}
	if _, err := p.Texts(ctx, map[string]string{"url": ""}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("texts: %v", err)
	}
	if _, _, err := (request{}).do(); !errors.Is(err, errRequest) {
		t.Errorf("a request of nothing: %v", err)
	}
}

// TestWithoutWorkers: a program that does not call Worker computes by itself.
func TestWithoutWorkers(t *testing.T) {
	p := &Pool{}
	defer p.Close()
	made, err := p.Do(t.Context(), Job{Object: secret(), From: []Set{{Data: dataOf("a", "x")}}})
	if err != nil || decoded(t, made)["a"] != "x" {
		t.Errorf("%v, %v", err, made)
	}
	if got, err := p.Texts(t.Context(), map[string]string{"url": "{{ .a }}"}, map[string]any{"a": "x"}); err != nil || got["url"] != "x" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := p.Texts(t.Context(), map[string]string{"url": "{{ fail .a }}"}, map[string]any{"a": planted}); err == nil || shown(err.Error()) {
		t.Errorf("got %v", err)
	}
}

// TestClosedTwice: the engine ends once for each of its parts.
func TestClosedTwice(*testing.T) {
	p := NewPool()
	p.Close()
	p.Close()
}

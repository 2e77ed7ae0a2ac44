package compute

import (
	"encoding/base64"
	"strings"
	"testing"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/template"
)

// planted is looked for in errors, also where something was made of it.
const planted = "hunter22-of-prod"

func shown(text string) bool {
	return strings.Contains(text, "hunter22") || strings.Contains(text, base64.StdEncoding.EncodeToString([]byte("hunter22"))[:8]) ||
		strings.Contains(text, "HUNTER22") || strings.Contains(text, "68756e746572") || strings.Contains(text, "22retnuh")
}

// TestErrorsHoldNothingMadeOfValues: a property of an entry, a value that was decoded, and what a template makes of
// them are no text that the engine was given.
func TestErrorsHoldNothingMadeOfValues(t *testing.T) {
	p := pool(t)
	inner := entry.Text([]byte(`{"password":"` + planted + `","note":"x"}`))
	encoded := entry.Text([]byte(base64.StdEncoding.EncodeToString([]byte(planted))))
	for name, value := range map[string]Value{
		"whole":    {Entry: entry.Text([]byte(planted))},
		"inside":   {Entry: inner},
		"property": {Entry: inner, Property: "password"},
		"field":    {Entry: entry.Object([]byte(`{"password":"` + planted + `"}`)), Property: "password"},
		"decoded":  {Entry: encoded, Decoding: esv1.DecodeBase64},
		"answer":   {Entry: entry.Answer([]byte(`{"a":"`+planted+`"}`), "$.a")},
	} {
		value.Key, value.Place = "a", "data[0]"
		for _, text := range []string{
			`{{ fail .a }}`, `{{ fail (print "no: " .a) }}`, `{{ fail (b64enc .a) }}`, `{{ fail (upper .a) }}`, `{{ fail (printf "%x" .a) }}`,
			`{{ range until 20 }}{{ end }}{{ fail (trunc 8 .a) }}`, `{{ mustRegexMatch (print "(" .a) "x" }}`, `{{ regexMatch "x" .a }}{{ regexFind (print .a "(") "x" }}`,
			`{{ mustToDate "2006" .a }}`, `{{ mustDateModify .a now }}`, `{{ mustFromJson .a }}`, `{{ urlParse (print ":" .a) }}`, `{{ jwkPublicKeyPem (printf "{\"kty\":\"%s\"}" .a) }}`,
			`{{ range .a }}{{ end }}`, `{{ range $i, $c := .a }}{{ end }}`, `{{ range (fromJson .a).password }}{{ end }}`, `{{ range (index (fromJson (b64dec .a)) "password") }}{{ end }}`,
			`{{ range $i, $c := len .a }}{{ end }}`, `{{ with $x := .a }}{{ range $x }}{{ end }}{{ end }}`, `{{ rsaDecrypt "RSA-OAEP" "SHA256" .a .a }}`, `{{ filterCertChain .a "" }}`, `{{ index .a "x" }}`, `{{ call .a }}`, `{{ semver .a }}`, `{{ filterPEM "X" .a }}`, `{{ template "x" .a }}`,
		} {
			made, err := p.Do(t.Context(), Job{Values: []Value{value}, Template: templated(text), Object: secret()})
			if err == nil {
				if strings.Contains(text, "fail") {
					t.Errorf("%s of %s: no error", text, name)
				}
				continue
			}
			if shown(err.Error()) || made.Object != nil {
				t.Errorf("%s of %s: %v", text, name, err)
			}
		}
	}
}

// TestSetsHoldNoValueInErrors has what is rewritten, named and decoded.
func TestSetsHoldNoValueInErrors(t *testing.T) {
	p := pool(t)
	whole := entry.Text([]byte(`{"password":"` + planted + `","b":"` + planted + `"}`))
	for name, job := range map[string]Job{
		"field":   {From: []Set{{Place: "dataFrom[0]", Entry: &whole}}, Template: templated("{{ fail .password }}")},
		"decode":  {From: []Set{{Place: "dataFrom[0]", Entry: &whole, Decoding: esv1.DecodeBase64}}},
		"merge":   {From: []Set{{Place: "dataFrom[0]", Entry: &whole, Rewrite: []esv1.Rewrite{{Merge: &esv1.RewriteMerge{}}}}}},
		"inside":  {From: []Set{{Place: "dataFrom[0]", Entry: &whole, Property: "password"}}},
		"found":   {From: []Set{{Place: "dataFrom[0]", Found: true, Data: map[string][]byte{"a": []byte(planted)}, Decoding: esv1.DecodeBase64}}},
		"pairs":   {From: []Set{{Place: "dataFrom[0]", Entry: &whole}}, Template: &Template{Requests: []Request{{Request: template.Request{Scope: esv1.ScopeKeysAndValues, Templates: map[string]string{"x": "a: *{{ .password }}"}}}}}},
		"place":   {From: []Set{{Place: "dataFrom[0]", Entry: &whole}}, Template: &Template{Requests: []Request{{Request: template.Request{Target: "spec.x", Templates: map[string]string{"x": "*{{ .password }}"}}}}}},
		"decoded": {From: []Set{{Place: "dataFrom[0]", Entry: &whole}}, Template: &Template{Requests: []Request{{Request: template.Request{Decoding: esv1.DecodeBase64, Templates: map[string]string{"x": "{{ .password }}"}}}}}},
	} {
		job.Object = map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}
		if _, err := p.Do(t.Context(), job); err == nil || shown(err.Error()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFailSaysWhatTheTemplateSays: a reason that somebody wrote into the template helps who reads the condition.
func TestFailSaysWhatTheTemplateSays(t *testing.T) {
	p := pool(t)
	for _, text := range []string{`{{ fail "set a region" }}`, "{{ fail `set a region` }}"} {
		_, err := p.Do(t.Context(), Job{Bare: true, Object: secret(), Template: templated(text)})
		if err == nil || !strings.Contains(err.Error(), "set a region") {
			t.Errorf("%s: %v", text, err)
		}
	}
	_, err := p.Texts(t.Context(), map[string]string{"url": `{{ fail "set a region" }}`}, nil)
	if err == nil || !strings.Contains(err.Error(), "set a region") {
		t.Errorf("a store's template: %v", err)
	}
}

// TestTextsHoldNoValueInErrors: the templates of stores see credentials.
func TestTextsHoldNoValueInErrors(t *testing.T) {
	p := pool(t)
	values := map[string]any{"auth": map[string]any{"token": planted}}
	for _, text := range []string{`{{ fail .auth.token }}`, `{{ fail (b64enc .auth.token) }}`, `{{ .auth.token.x }}`, `{{ mustRegexMatch (print "(" .auth.token) "" }}`, `{{ .auth.nope }}`} {
		if _, err := p.Texts(t.Context(), map[string]string{"headers.Authorization": text}, values); err == nil || shown(err.Error()) || !strings.Contains(err.Error(), "headers.Authorization") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestTemplatesOfSecretsAreNotShown: a template that is a value of a Secret may have others in it.
func TestTemplatesOfSecretsAreNotShown(t *testing.T) {
	p := pool(t)
	for name, tc := range map[string]struct{ reason, text, want string }{
		"parse":   {"what cannot be parsed is quoted", "x\n{{ hunter22 .a }}", `template of the key "conf": line 2: `},
		"unended": {"so is what does not end", "{{ .a \"hunter22", "line 1"},
		"call":    {"and what is called", "\n\n{{ htpasswd .a \"hunter22\" | atoi | fail }}", "line 3"},
		"unknown": {"a value that there is not", "{{ .hunter22 }}", "line 1"},
		"fail":    {"what a template says itself", `{{ fail "hunter22" }}`, "line 1"},
		"YAML":    {"what comes of it", "hunter22: [", "not shown"},
	} {
		request := Request{Place: "target.template.templateFrom[0]", Request: template.Request{
			Templates: map[string]string{"conf": tc.text}, Scope: esv1.ScopeKeysAndValues, Hidden: true,
		}}
		job := Job{Values: []Value{{Key: "a", Entry: entry.Text([]byte("v"))}}, Template: &Template{Requests: []Request{request}}, Object: secret()}
		_, err := p.Do(t.Context(), job)
		if err == nil || !strings.Contains(err.Error(), "target.template.templateFrom[0]: template of the key \"conf\"") || !strings.Contains(err.Error(), tc.want) || shown(err.Error()) {
			t.Errorf("%s: %s: got %v, want %q", name, tc.reason, err, tc.want)
		}
		job.Template.Requests = append([]Request{{Request: template.Request{Templates: map[string]string{"out": "{{ fail (print \"hunt\" \"er22\") }}"}}}}, request)
		if _, err := p.Do(t.Context(), job); err == nil || shown(err.Error()) {
			t.Errorf("%s, in another template: %v", name, err)
		}
	}
}

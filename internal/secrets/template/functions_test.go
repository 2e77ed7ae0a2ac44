package template

import (
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"
)

// given are values that templates see.
var given = map[string]string{
	"user": "ada", "password": `p"w'<&>`, "port": "5432", "object": `{"a":{"b":[1,2]},"s":"x"}`, "yaml": "a: 1\nb: [x, z]\n", "lines": "one\ntwo", "binary": "\x00\xff",
	"encoded": "aGVsbG8=", "hex": "68656c6c6f", "csv": "x,y,z", "with-dash": "dashed", "empty": "", "large": strings.Repeat("x", 1<<20),
}

func TestFunctions(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text, want string }{
		"plain":         {"a text without actions is as it is", "a: b\n", "a: b\n"},
		"empty":         {"nothing is nothing", "", ""},
		"value":         {"a value by its key", "{{ .user }}", "ada"},
		"no escapes":    {"no character is escaped", "{{ .password }}", `p"w'<&>`},
		"index":         {"a key that is no name", `{{ index . "with-dash" }}`, "dashed"},
		"binary":        {"bytes that are no text", "{{ .binary }}", "\x00\xff"},
		"spaces":        {"dashes take white space away", "a  {{- .user -}}  b", "aadab"},
		"condition":     {"a value that is empty is false", `{{ if .empty }}a{{ else }}b{{ end }}`, "b"},
		"variable":      {"a variable", `{{ $x := .user | upper }}{{ $x }}{{ $x }}`, "ADAADA"},
		"range":         {"each of a list", `{{ range $i, $x := splitList "," .csv }}{{ $i }}{{ $x }};{{ end }}`, "0x;1y;2z;"},
		"keys":          {"each of the values, by its key", `{{ range $k, $v := . }}{{ if eq $v "ada" }}{{ $k }}{{ end }}{{ end }}`, "user"},
		"define":        {"a template of its own", `{{ define "x" }}<{{ . }}>{{ end }}{{ template "x" .user }}`, "<ada>"},
		"block":         {"or a block", `{{ block "x" .user }}<{{ . }}>{{ end }}`, "<ada>"},
		"default":       {"a default for what is empty", `{{ .empty | default "x" }}`, "x"},
		"fromJson":      {"a value that is JSON", `{{ (.object | fromJson).s }}`, "x"},
		"fromJson deep": {"and inside it", `{{ index (.object | fromJson).a.b 1 }}`, "2"},
		"toJson":        {"back to JSON, with escapes", `{{ dict "p" .password | toJson }}`, `{"p":"p\"w'\u003c\u0026\u003e"}`},
		"toRawJson":     {"and without", `{{ dict "p" "<&>" | toRawJson }}`, `{"p":"<&>"}`},
		"fromYaml":      {"a value that is YAML", `{{ (.yaml | fromYaml).b | join "+" }}`, "x+z"},
		"fromYaml none": {"what is none has an error", `{{ if hasKey (fromYaml "a: b: c") "Error" }}wrong{{ end }}`, "wrong"},
		"toYaml":        {"back to YAML, without an end of line", `{{ .yaml | fromYaml | toYaml }}`, "a: 1\nb:\n- x\n- z"},
		"b64enc":        {"base64", `{{ .binary | b64enc }}`, "AP8="},
		"b64dec":        {"and back", `{{ .encoded | b64dec }}`, "hello"},
		"hexdec":        {"hexadecimal", `{{ .hex | hexdec }}`, "hello"},
		"hexdec wrong":  {"what is none says so", `{{ "6" | hexdec }}`, "encoding/hex: odd length hex string"},
		"sha256":        {"a sum", `{{ .user | sha256sum }}`, "fdee430d40bd57deeac186cd9790033d0f06f909a8806e7ce6e717ab7c7d5029"},
		"nindent":       {"lines that are moved in", `x:{{ .lines | nindent 2 }}`, "x:\n  one\n  two"},
		"quote":         {"a text in quotes", `{{ .password | quote }}`, `"p\"w'<&>"`},
		"trim":          {"texts", `{{ " a " | trim }}{{ "aXb" | replace "X" "-" }}{{ trimSuffix "a" .user }}`, "aa-bad"},
		"printf":        {"a format", `{{ printf "%s:%s" .user .port }}`, "ada:5432"},
		"int":           {"a text is a number", `{{ add (int .port) 1 }}`, "5433"},
		"parts":         {"of a fraction the whole part counts", `{{ int "3.7" }} {{ add "1.9" "1.9" }} {{ max "2.5" 1 }} {{ add1 "0.9" }}`, "3 2 2 1"},
		"no fractions":  {"what is no fraction is as it was", `{{ int "x.y" }} {{ int ".5" }} {{ int "-.5" }} {{ int "-3.5" }} {{ int 4 }} {{ mul 2 "3.0" 2 }}`, "0 0 0 -3 4 12"},
		"url":           {"a text for an address", `{{ .password | urlquery }}`, "p%22w%27%3C%26%3E"},
		"regexp":        {"a pattern", `{{ regexReplaceAll "[a-z]" .user "x" }}`, "xxx"},
		"ternary":       {"one of two", `{{ ternary "a" "b" (eq .user "ada") }}`, "a"},
		"htpasswd sha":  {"a line of a password file", `{{ htpasswd .user "pw" "sha" }}`, "ada:{SHA}GpHWL3ymc5liWkNopqtdSjuqYHM="},
		"htpasswd name": {"whose name has no colon", `{{ htpasswd "a:b" "pw" "bcrypt" }}`, "invalid username: a:b"},
		"megabyte":      {"a value of a megabyte", `{{ len .large }}`, "1048576"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := render("key", tc.text, given)
			if err != nil || got != tc.want {
				t.Errorf("%s: got %q, %v; want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}

func TestPasswordFiles(t *testing.T) {
	got, err := render("key", `{{ htpasswd .user "secret" "bcrypt" }}`, given)
	if err != nil {
		t.Fatal(err)
	}
	name, hash, _ := strings.Cut(got, ":")
	if name != "ada" || bcrypt.CompareHashAndPassword([]byte(hash), []byte("secret")) != nil {
		t.Errorf("got %q", got)
	}
	if got, err = passwordHash("abc", "sha"); err != nil || got != "{SHA}qZk+NkcGgWq6PiVxeFDCbJzQ2J0=" {
		t.Errorf("sha: %q, %v", got, err)
	}
	if _, err := htpasswd("ada", strings.Repeat("p", 73), "bcrypt"); err == nil || strings.Contains(err.Error(), "ppp") {
		t.Errorf("bcrypt takes 72 bytes: %v", err)
	}
}

func TestTemplatesThatFail(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text, want string }{
		"open":           {"an action that does not end", "{{ .user", "unclosed action"},
		"block":          {"nor a block", "{{ if .user }}", "unexpected EOF"},
		"absent":         {"a key that there is not", "{{ .nope }}", `no entry for key "nope"`},
		"function":       {"a function that there is not", "{{ nope }}", `function "nope" not defined`},
		"env":            {"the machine is not seen", `{{ env "PATH" }}`, `"env" not defined`},
		"expandenv":      {"in no way", `{{ expandenv "$PATH" }}`, `"expandenv" not defined`},
		"host":           {"nor are names looked up", `{{ getHostByName "localhost" }}`, `"getHostByName" not defined`},
		"md5":            {"a broken hash", `{{ md5sum .user }}`, `"md5sum" not defined`},
		"other template": {"another key's template", `{{ template "other" . }}`, `template "other" not defined`},
		"fail":           {"one that says so", `{{ fail "no region" }}`, "no region"},
		"itself":         {"one that calls itself", `{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}`, "exceeded maximum template depth"},
		"deep":           {"more blocks than anybody reads", strings.Repeat("{{ if .user }}", 501) + strings.Repeat("{{ end }}", 501), "stand inside one another"},
		"words":          {"more words than anybody reads", strings.Repeat("{{ .user }}", 60_000), "words and signs"},
		"type":           {"a field of a text", "{{ .user.name }}", "can't evaluate field name"},
		"slice":          {"a part that there is not", `{{ slice .user 5 9 }}`, "string"},
		"panic":          {"a function that panics", `{{ regexReplaceAll "(" .user "" }}`, "error calling regexReplaceAll"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := render("key", tc.text, given)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %.50q, %v; want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}

// TestKeysOfTemplatesAreApart: what one key's template defines, no other one's sees.
func TestKeysOfTemplatesAreApart(t *testing.T) {
	if _, err := render("a", `{{ define "shared" }}x{{ end }}`, given); err != nil {
		t.Fatal(err)
	}
	if _, err := render("b", `{{ template "shared" }}`, given); err == nil {
		t.Error("the template of another key is known")
	}
}

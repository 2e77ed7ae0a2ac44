package generate

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// What a plugin answers is parameters, or an error whose kind says whether it is tried again,
// and what to look at. Nothing, which would delete all Applications, has to be said.
func TestAnswersOfPlugins(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		code   int
		text   string
		want   []map[string]any
		kind   gitops.ProblemKind
		says   []string
	}{
		"Some":     {reason: "as they are", code: 200, text: `{"output": {"parameters": [{"a": {"b": 1}}, {}]}, "more": 1}`, want: []map[string]any{{"a": map[string]any{"b": float64(1)}}, {}}},
		"Created":  {reason: "any success is one", code: 201, text: `{"output": {"parameters": [{"a": "b"}]}}`, want: []map[string]any{{"a": "b"}}},
		"None":     {reason: "that there are none is an answer", code: 200, text: `{"output": {"parameters": []}}`, want: []map[string]any{}},
		"Null":     {reason: "nothing is none", code: 200, text: `{"output": {"parameters": null}}`, kind: gitops.Invalid, says: []string{"output.parameters is missing", `let the plugin answer {"output"`}},
		"Empty":    {reason: "nor is an empty answer", code: 200, text: " \n", kind: gitops.Invalid, says: []string{"cannot read the answer of plugin.test"}},
		"NoList":   {reason: "nor one set that is in no list", code: 200, text: `{"output": {"parameters": {"a": "b"}}}`, kind: gitops.Invalid, says: []string{"cannot read the answer of plugin.test"}},
		"Texts":    {reason: "nor are texts", code: 200, text: `{"output": {"parameters": ["a"]}}`, kind: gitops.Invalid, says: []string{"cannot read the answer"}},
		"Many":     {reason: "more than is read of anybody", code: 200, text: `{"output": {"parameters": [` + strings.Repeat("{},", bounded.MostValues) + `{}]}}`, kind: gitops.Invalid, says: []string{"cannot read the answer"}},
		"Moved":    {reason: "an answer that is elsewhere is none", code: 304, text: "", kind: gitops.Invalid, says: []string{"plugin.test answers 304 Not Modified", "check the input parameters"}},
		"Input":    {reason: "it does not like what it is asked", code: 422, text: `{"message": "no branch"}`, kind: gitops.Invalid, says: []string{"422 Unprocessable Entity no branch", "check the input parameters"}},
		"Error":    {reason: "it may call its message another name", code: 400, text: `{"error": "no branch"}`, kind: gitops.Invalid, says: []string{"400 Bad Request no branch"}},
		"Token":    {reason: "the token is not told", code: 401, text: `{"message": "s3cret is wrong: s3cret"}`, kind: gitops.Refused, says: []string{"[redacted] is wrong: [redacted]", "check the token that the ConfigMap names"}},
		"Path":     {reason: "nobody is there", code: 404, text: "<html>", kind: gitops.NotFound, says: []string{"404 Not Found", "check baseUrl: the plugin answers below it at /api/v1/getparams.execute"}},
		"Busy":     {reason: "it is tried again", code: 429, text: "", kind: gitops.Unreachable, says: []string{"429 Too Many Requests"}},
		"Slow":     {reason: "it is tried again", code: 408, text: "", kind: gitops.Unreachable, says: []string{"408 Request Timeout"}},
		"Down":     {reason: "it is tried again", code: 503, text: `{"message": "` + strings.Repeat("x", 1000) + `"}`, kind: gitops.Unreachable, says: []string{"503 Service Unavailable " + strings.Repeat("x", 300)}},
		"Nameless": {reason: "a status that has no name", code: 599, text: "", kind: gitops.Unreachable, says: []string{"plugin.test answers 599"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &pluginService{base: &url.URL{Scheme: "https", Host: "plugin.test"}, token: "s3cret"}
			got, err := s.read(&http.Response{StatusCode: tc.code, Body: io.NopCloser(strings.NewReader(tc.text))})
			if diff := cmp.Diff(tc.want, got); diff != "" || (err == nil) != (tc.says == nil) {
				t.Fatalf("%s: %v (-want +got):\n%s", tc.reason, err, diff)
			}
			for _, want := range tc.says {
				if !gitops.IsProblem(err, tc.kind) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") || len(err.Error()) > 700 {
					t.Errorf("%s: got %v, want %q", tc.reason, err, want)
				}
			}
		})
	}
}

// A Secret may have an empty token: then there is none to hide, and the message is as it is.
func TestMessagesOfPluginsWithoutAToken(t *testing.T) {
	s := &pluginService{base: &url.URL{Scheme: "https", Host: "plugin.test"}}
	if err := s.refused(http.StatusForbidden, []byte(`{"message": "sign in"}`)); !strings.Contains(err.Error(), "403 Forbidden sign in") {
		t.Errorf("got %v", err)
	}
}

// Where a plugin is, and which Secret has its token, as a ConfigMap says it.
func TestAddressesAndTokensOfPlugins(t *testing.T) {
	for text, want := range map[string]bool{
		"https://plugin.test": true, "http://plugin.test:8080/base\n": true, "HTTPS://plugin.test": true,
		"": false, "plugin.test": false, "plugin.test:80": false, "ftp://plugin.test": false, "https://": false, "unix:///run/plugin": false, "https://[": false,
	} {
		if got, err := serviceURL(text); (err == nil) != want {
			t.Errorf("%q is read as %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"$key": "argocd-secret/key", "$secret:key": "secret/key", "$secret:a:b": "secret/a:b", "$plugin.my.token": "argocd-secret/plugin.my.token",
		"": "", "$": "", "key": "", "secret:key": "", "$:key": "", "$secret:": "", "a $key": "",
	} {
		name, key, ok := secretRef(text)
		if got := name + "/" + key; ok != (want != "") || ok && got != want {
			t.Errorf("%q names %q, %t; want %q", text, got, ok, want)
		}
	}
}

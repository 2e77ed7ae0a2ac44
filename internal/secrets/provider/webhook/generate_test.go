package webhook

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

func TestGenerate(t *testing.T) {
	asked, status, answer := "", http.StatusOK, ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.URL.RequestURI() + " " + r.Header.Get("Authorization")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	}))
	defer server.Close()
	const whole = `{"data":[{"user":"ada","n":12345678901234567890,"in.ner":{"a":1},"password":"hunter22"}],"none":{},"text":"hunter22"}`
	for name, tc := range map[string]struct {
		reason, more, answer string
		status               int
		want                 map[string]string
		err                  string
	}{
		"object":     {"all fields of an object", ``, `{"a":"b","n":1.5,"l":[1],"on":true}`, 200, map[string]string{"a": "b", "n": "1.5", "l": "[1]", "on": "true"}, ""},
		"path":       {"of a part of the answer", `"result":{"jsonPath":"$.data[0]"},`, strings.Replace(whole, `"n":12345678901234567890,`, "", 1), 200, map[string]string{"user": "ada", "in.ner": `{"a":1}`, "password": "hunter22"}, ""},
		"names":      {"with names in brackets", `"result":{"jsonPath":"$[\"data\"][0][\"in.ner\"]"},`, whole, 200, map[string]string{"a": "1"}, ""},
		"expression": {"an expression takes longer than is known", `"result":{"jsonPath":"$..[?(@.user=='ada')]"},`, whole, 200, nil, "names and numbers alone"},
		"no object":  {"a text is none", `"result":{"jsonPath":"$.text"},`, whole, 200, nil, "response json"},
		"nothing":    {"an object without fields would empty a Secret", `"result":{"jsonPath":"$.none"},`, whole, 200, nil, "without fields"},
		"absent":     {"a part that is not there", `"result":{"jsonPath":"$.nope"},`, whole, 200, nil, "result.jsonPath"},
		"no JSON":    {"what is no JSON", ``, `hunter22`, 200, nil, "failed to parse"},
		"refused":    {"who may not ask", ``, `hunter22`, 403, nil, "403 Forbidden"},
		"gone":       {"a server without the path", ``, `{}`, 404, nil, "404 Not Found"},
		"too much":   {"more than there is memory for", ``, `{"a":[` + strings.Repeat(`{},`, 600_000) + `{}]}`, 200, nil, "memory"},
		"wrong":      {"a spec that is none", `"timeout":"soon",`, ``, 200, nil, `spec: timeout "soon"`},
		"unlabelled": {"a Secret that addresses may not have", `"secrets":[{"name":"more","secretRef":{"name":"plain"}}],`, ``, 200, nil, "lacks the label"},
	} {
		t.Run(name, func(t *testing.T) {
			status, answer, asked = tc.status, tc.answer, ""
			spec := fmt.Sprintf(`{%s"method":"POST","url":"%s/make?u={{ .auth.user }}","headers":{"Authorization":"Bearer {{ .auth.token }}"},"secrets":[{"name":"auth","secretRef":{"name":"hook"}}]}`, tc.more, server.URL)
			if strings.Contains(tc.more, `"secrets"`) {
				spec = strings.Replace(spec, `,"secrets":[{"name":"auth","secretRef":{"name":"hook"}}]}`, "}", 1)
			}
			got, err := Generate(t.Context(), json.RawMessage(spec), store.NewShelf(store.Cluster{Objects: secrets{}, Render: compute.NewPool().Texts}, nil).Around("ns"))
			if (err != nil) != (tc.err != "") || err != nil && (!strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "hunter22")) {
				t.Fatalf("%s: got the error %v, want %q", tc.reason, err, tc.err)
			}
			texts := map[string]string(nil)
			for key, value := range got {
				if texts == nil {
					texts = map[string]string{}
				}
				texts[key] = string(value)
			}
			if diff := cmp.Diff(tc.want, texts); diff != "" {
				t.Errorf("%s: %s", tc.reason, diff)
			}
			if want := "POST /make?u=ada Bearer " + planted; asked != "" && asked != want {
				t.Errorf("%s: asked %s", tc.reason, asked)
			}
			if asked != "" && name == "expression" {
				t.Error("a server that makes a credential is asked for one that nobody takes")
			}
		})
	}
}

// TestGenerateDials where stores may, and nowhere else.
func TestGenerateDials(t *testing.T) {
	closed := store.Cluster{Objects: secrets{}, Render: compute.NewPool().Texts, Dial: egress.DialRemote}
	_, err := Generate(t.Context(), json.RawMessage(`{"url":"http://127.0.0.1:1/"}`), store.NewShelf(closed, nil).Around("ns"))
	if err == nil || !strings.Contains(err.Error(), "is a local address") {
		t.Error(err)
	}
}

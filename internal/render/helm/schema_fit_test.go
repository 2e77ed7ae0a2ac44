package helm

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestSchemasReachNothing: no connection is opened and no file of the machine
// is read for a schema, whoever of the charts has it.
func TestSchemasReachNothing(t *testing.T) {
	var asked atomic.Int32
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = fmt.Fprint(w, `{"type": "string"}`)
	}))
	defer host.Close()
	file := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(file, []byte(`{"const": "hunter2", "list": ["hunter2"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct{ reason, schema, want string }{
		"Address":  {"an address is not asked", `{"$ref": "` + host.URL + `/schema"}`, ""},
		"Part":     {"nor for a part of what is there", `{"properties": {"a": {"$ref": "` + host.URL + `/schema#/a"}}}`, ""},
		"Dialect":  {"nor for a dialect", `{"$schema": "` + host.URL + `/schema"}`, ""},
		"Relative": {"nor by what is relative to it", `{"$id": "` + host.URL + `/schema", "properties": {"a": {"$ref": "other"}}}`, ""},
		"File":     {"a file is not read", `{"$ref": "file://` + file + `"}`, "is no part of it"},
		"FilePart": {"nor a part of it", `{"$ref": "file://` + file + `#/list"}`, "is no part of it"},
		"FileKind": {"nor as a dialect", `{"$schema": "file://` + file + `"}`, "is no part of it"},
		"Beside":   {"nor by a relative path, which for Helm is one of the machine", `{"$ref": "../../../../` + file + `"}`, "is no part of it"},
		"Token":    {"whether it is there is not told", `{"$ref": "file:///var/run/secrets/none"}`, "is no part of it"},
		"Process":  {"nor what it begins with", `{"$ref": "file:///proc/self/environ"}`, "is no part of it"},
	}
	for name, tc := range cases {
		for whose, path := range map[string]string{"chart": "web/", "dependency": "web/charts/sub/"} {
			t.Run(name+"/"+whose, func(t *testing.T) {
				files := chartFiles().With("web/charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n").
					With("web/values.yaml", "a: x\nsub: {a: x}\n").With(path+"values.schema.json", tc.schema)
				s := sourceOf(t, files, v1alpha1.ApplicationSourceHelm{}, gitops.Facts{})
				_, err := New(Options{}).Render(t.Context(), s)
				text := fmt.Sprint(err)
				if (tc.want == "") != (err == nil) || !strings.Contains(text, tc.want) || strings.Contains(text, "hunter2") {
					t.Errorf("%s: %v", tc.reason, err)
				}
				if warned := len(s.Warnings()) == 1; warned != (tc.want == "") {
					t.Errorf("%s, and that is told: %v", tc.reason, s.Warnings())
				}
			})
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the host was asked %d times", n)
	}
}

// TestSchemas are checked against what templates see.
func TestSchemas(t *testing.T) {
	strict := `{"properties": {"a": {"type": "integer"}}}`
	files := chartFiles().With("web/charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n").With("web/charts/sub/values.yaml", "a: x\n")
	cases := map[string]struct {
		reason, path string
		spec         v1alpha1.ApplicationSourceHelm
		want         string
	}{
		"Own":     {"the chart's own", "web/values.schema.json", v1alpha1.ApplicationSourceHelm{}, "web:\n- at '/a': got string, want integer"},
		"Below":   {"that of a dependency", "web/charts/sub/values.schema.json", v1alpha1.ApplicationSourceHelm{}, "sub:\n- at '/a': got string, want integer"},
		"Fits":    {"values of the application count", "web/values.schema.json", v1alpha1.ApplicationSourceHelm{Values: "a: 1"}, ""},
		"Skipped": {"unless they are not asked", "web/values.schema.json", v1alpha1.ApplicationSourceHelm{SkipSchemaValidation: true}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := New(Options{}).Render(t.Context(), sourceOf(t, files.With(tc.path, strict), tc.spec, gitops.Facts{}))
			if (tc.want == "") != (err == nil) || !strings.Contains(fmt.Sprint(err), tc.want) {
				t.Errorf("%s: %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

package helm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestChartsOfManyValues: what a chart's texts become is bounded before they
// are parsed, in each of its files and in what its templates write.
func TestChartsOfManyValues(t *testing.T) {
	many := "x: [" + strings.Repeat("{},", 600_000) + "1]\n"
	cases := map[string]struct {
		name, text string
		spec       v1alpha1.ApplicationSourceHelm
	}{
		"Output":       {name: "web/templates/a.yaml", text: "kind: A\nx: [{{ repeat 10000000 \"{},\" }}1]\n"},
		"Decoded":      {name: "web/templates/a.yaml", text: "{{ $x := fromYaml (printf \"x: [%s1]\" (repeat 2000000 \"{},\")) }}"},
		"DecodedJSON":  {name: "web/templates/a.yaml", text: "{{ $x := fromJsonArray (printf \"[%s1]\" (repeat 2000000 \"{},\")) }}"},
		"DecodedOften": {name: "web/templates/a.yaml", text: "{{ $x := list }}{{ range until 100 }}{{ $x = append $x (fromYamlArray (printf \"[%s1]\" (repeat 100000 \"{},\"))) }}{{ end }}"},
		"Values":       {name: "web/values.yaml", text: many},
		"Dependency":   {name: "web/charts/db/values.yaml", text: many},
		"Schema":       {name: "web/values.schema.json", text: `{"enum":[` + strings.Repeat("{},", 600_000) + "1]}"},
		"Archive":      {name: "web/charts/db.tgz", text: packedChart(t, many)},
		"ValueFile":    {name: "values/a.yaml", text: many, spec: v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"../values/a.yaml"}}},
		"Own":          {name: "values/a.yaml", spec: v1alpha1.ApplicationSourceHelm{Values: many}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			files := chartFiles()
			files["web/charts/db/Chart.yaml"] = "apiVersion: v2\nname: db\nversion: 1.0.0\n"
			files[tc.name] = tc.text
			_, err := New(Options{}).Render(t.Context(), sourceOf(t, files, tc.spec, gitops.Facts{}))
			if err == nil || !strings.Contains(err.Error(), "400000 values") && !strings.Contains(err.Error(), "MiB of text and lists") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestValuesOfOneApplication: files that are permitted one by one are bounded together.
func TestValuesOfOneApplication(t *testing.T) {
	files, spec := chartFiles(), v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"../values/*.yaml"}}
	for c := 'a'; c <= 'f'; c++ {
		files["values/"+string(c)+".yaml"] = "x: [" + strings.Repeat("1,", 100_000) + "1]\n"
	}
	s := sourceOf(t, files, spec, gitops.Facts{})
	s.Values = bounded.NewBudget(500_000)
	_, err := New(Options{}).Render(t.Context(), s)
	if much := (*bounded.TooMuch)(nil); !errors.As(err, &much) || !much.Together {
		t.Errorf("got %v", err)
	}
}

func packedChart(t *testing.T, values string) string {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	in := tar.NewWriter(zip)
	for name, text := range map[string]string{"db/Chart.yaml": "apiVersion: v2\nname: db\nversion: 1.0.0\n", "db/values.yaml": values} {
		err := in.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o600})
		if err == nil {
			_, err = in.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(in.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

package v1alpha1

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/test/deviation"
)

// tolerated are the fields of the corpus that no version of the API has; an
// API server prunes them. A field that the types forgot would show up beside them.
var tolerated = map[string]string{
	"ApplicationSet.spec.generators[].clusters.filters":          "proposed in a design document, never built",
	"ApplicationSet.spec.generators[].git.filters":               "proposed in a design document, never built",
	"ApplicationSet.spec.generators[].matrix.generators[].union": "proposed, then built under the name merge",
}

// TestCorpusRoundTrip decodes and encodes every object of ours in the corpus:
// what the types know must survive, what they do not know must be listed.
func TestCorpusRoundTrip(t *testing.T) {
	root := corpusFolder(t)
	counts := map[string]int{}
	unknown := map[string]string{}
	eachObject(t, root, func(where string, object map[string]any) {
		kind := object["kind"].(string)
		encoded, err := roundTrip(kind, object)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			return
		}
		counts[kind]++
		compare(kind, object, encoded, func(path, trouble string) {
			if trouble == lost {
				unknown[path] = where
				return
			}
			t.Errorf("%s: %s %s", where, path, trouble)
		})
	})
	for _, path := range slices.Sorted(maps.Keys(unknown)) {
		if _, ok := tolerated[path]; !ok {
			t.Errorf("%s is lost, for example in %s", path, unknown[path])
		}
	}
	for path, reason := range tolerated {
		if _, ok := unknown[path]; !ok {
			t.Errorf("%s (%s) is listed as tolerated, but nothing has it", path, reason)
		}
	}
	t.Logf("decoded and encoded %d Applications, %d ApplicationSets, %d AppProjects; %d unknown fields tolerated",
		counts[ApplicationKind], counts[ApplicationSetKind], counts[AppProjectKind], len(unknown))
	if counts[ApplicationKind] < 40 || counts[ApplicationSetKind] < 400 || counts[AppProjectKind] < 4 {
		t.Errorf("found too few objects: %v", counts)
	}
}

// TestRecordedApplications decodes Applications as Argo CD wrote them and
// expects to write the same, to the last field.
func TestRecordedApplications(t *testing.T) {
	files, err := filepath.Glob("../../../../shared/conformance/applicationset/*/expected*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		deviation.Missing(t, "shared/conformance/applicationset")
	}
	agree, total := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var results []struct {
			Applications []map[string]any `json:"applications"`
		}
		if err := yaml.Unmarshal(text, &results); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, result := range results {
			for _, want := range result.Applications {
				total++
				got, err := roundTrip(ApplicationKind, want)
				if err != nil {
					t.Errorf("%s: %v", file, err)
					continue
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: Application is written otherwise (-want +got):\n%s", file, diff)
					continue
				}
				agree++
			}
		}
	}
	t.Logf("%d of %d cases agree", agree, total)
	if agree < 1400 {
		t.Errorf("%d Applications are written as recorded, want at least 1400", agree)
	}
}

// roundTrip decodes an object into its type, encodes it, and expects that a
// second turn changes nothing.
func roundTrip(kind string, object map[string]any) (map[string]any, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	once, err := recode(kind, text)
	if err != nil {
		return nil, err
	}
	twice, err := recode(kind, once)
	if err != nil {
		return nil, err
	}
	if string(once) != string(twice) {
		return nil, fmt.Errorf("second turn differs: %s", cmp.Diff(string(once), string(twice)))
	}
	var out map[string]any
	return out, json.Unmarshal(once, &out)
}

func recode(kind string, text []byte) ([]byte, error) {
	var into any
	switch kind {
	case ApplicationKind:
		into = &Application{}
	case ApplicationSetKind:
		into = &ApplicationSet{}
	case AppProjectKind:
		into = &AppProject{}
	default:
		return nil, fmt.Errorf("no type for kind %s", kind)
	}
	// As an API client does: names of fields in upper and lower case differ.
	if err := utiljson.Unmarshal(text, into); err != nil {
		return nil, err
	}
	return json.Marshal(into)
}

const lost = "is lost"

// compare reports what of want is not in got, and what got has beyond it.
// A value that is empty may come or go.
func compare(path string, want, got any, report func(path, trouble string)) {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			report(path, "is no longer an object")
			return
		}
		compareMaps(path, want, got, report)
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			report(path, "is no longer a list of the same length")
			return
		}
		for i := range want {
			compare(path+"[]", want[i], got[i], report)
		}
	default:
		if !cmp.Equal(want, got) {
			report(path, fmt.Sprintf("was %v and is %v", want, got))
		}
	}
}

func compareMaps(path string, want, got map[string]any, report func(path, trouble string)) {
	for name, value := range want {
		inner, ok := got[name]
		if ok && (!empty(value) || !empty(inner)) {
			compare(path+"."+name, value, inner, report)
			continue
		}
		if !ok && !empty(value) {
			report(path+"."+name, lost)
		}
	}
	for name, value := range got {
		if _, ok := want[name]; !ok && !empty(value) {
			report(path+"."+name, "was not there before")
		}
	}
}

// empty reports whether a JSON value means the same as its absence.
func empty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case bool:
		return !value
	case float64:
		return value == 0
	case []any:
		return len(value) == 0
	case map[string]any:
		for _, inner := range value {
			if !empty(inner) {
				return false
			}
		}
		return true
	}
	return false
}

// corpusFolder has public repositories; without them the test is skipped.
func corpusFolder(t testing.TB) string {
	t.Helper()
	const folder = "../../../../shared/corpus"
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("skipped: the public repositories are not here: %v", err)
	}
	return folder
}

// eachObject calls visit with every object of our kinds below a folder. Files
// that are not YAML (most are templates) are passed over.
func eachObject(t testing.TB, root string, visit func(where string, object map[string]any)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path)) {
			return err
		}
		where, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		return eachDocument(file, func(object map[string]any) { visit(where, object) })
	})
	if err != nil {
		t.Fatal(err)
	}
}

func eachDocument(file io.Reader, visit func(object map[string]any)) error {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(file))
	for {
		text, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var object map[string]any
		if err := yaml.Unmarshal(text, &object); err != nil {
			continue
		}
		version, _ := object["apiVersion"].(string)
		kind, _ := object["kind"].(string)
		known := slices.Contains([]string{ApplicationKind, ApplicationSetKind, AppProjectKind}, kind)
		if known && strings.TrimSpace(version) == GroupVersion.String() {
			visit(object)
		}
	}
}

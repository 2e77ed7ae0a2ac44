package render

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// readObject reads an object for which there is any room.
func readObject(text []byte, names *keys) (map[string]any, error) {
	r := objectReader{names: names, left: math.MaxInt64}
	return r.read(text)
}

// FuzzObject holds that what is kept is read as the API machinery reads it,
// and that nothing else breaks the reader.
func FuzzObject(f *testing.F) {
	for _, text := range []string{
		`{"kind":"A","n":[1,-2,1.5,1e21,9223372036854775807,9223372036854775808,-0,0.1],"t":true,"f":false,"x":null}`,
		`{"a":"\"b\\","c":"\u2028<&>\n\t\ud83d\ude00ä","":{},"e":[],"f":[[{}]]}`,
		`{"a":`, `[1]`, `{"a":1}x`, `{"a" :1}`, `{"a":1,}`, `{a:1}`, `{"a":"\`, `{"a":"\"`, `{"a":1e999}`, `{"a":+1}`, `{"a":01}`, "{\"a\":\"\xff\"}", `{"a":1,"a":2}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, _ = readObject(text, new(keys))
		var object map[string]any
		if utiljson.Unmarshal(text, &object) != nil || object == nil || tooDeep(object, maxDepth) {
			return
		}
		var line bytes.Buffer
		out := json.NewEncoder(&line)
		out.SetEscapeHTML(false)
		if err := out.Encode(object); err != nil {
			t.Skip(err)
		}
		kept := bytes.TrimSuffix(line.Bytes(), []byte("\n"))
		var want map[string]any
		if err := utiljson.Unmarshal(kept, &want); err != nil {
			t.Fatal(err)
		}
		got, err := readObject(kept, new(keys))
		if err != nil {
			t.Fatalf("%s: %v", kept, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", kept, d)
		}
	})
}

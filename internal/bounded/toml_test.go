package bounded

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

func rows(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return b.String()
}

func TestTOMLIsBounded(t *testing.T) {
	dots := strings.Repeat("a.", 30_000) + "a"
	long := strings.Repeat("a", 30_000)
	for name, c := range map[string]struct {
		reason, text string
		ok           bool
	}{
		"header":         {"a table with many parts", "[" + dots + "]\n", false},
		"last header":    {"nothing ends it", "[" + dots + "]", false},
		"after a mark":   {"of another encoding", "\xef\xbb\xbf[" + dots + "]", false},
		"list of tables": {"as many", "[[" + dots + "]]\n", false},
		"key":            {"a key with many parts", dots + " = 1\n", false},
		"key inside":     {"of a table in a line", "x = {" + dots + " = 1}\n", false},
		"quoted":         {"dots between quotes are no parts", `"` + dots + `" = 1`, true},
		"text":           {"a value is no key", "a = '" + dots + "'\n", true},
		"long text":      {"nor one of several lines, which ends with its sign", "a = \"\"\"\n[" + dots + "]\n\"\"\"\"\"\nb = 1\n", true},
		"comment":        {"nor a comment", "# [" + dots + "]\na = 1 # " + dots + " = 1", true},
		"after a text":   {"which hides nothing", "a = '''it's \\'''\nb = \"\\\"\" # '\n[" + dots + "]\n", false},
		"below a table":  {"each key has its table's name", "[" + long + "]\n" + rows(3000, "k%d = 1"), false},
		"quoted table":   {"in quotes as well", "['" + long + "']\n" + rows(3000, "k%d = 1"), false},
		"below a key":    {"each key of a table in a line has its path", "[x]\n" + long + " = [" + strings.Repeat("{b = 1, c = 2},", 1500) + "]\n", false},
		"one by one":     {"tables that are not inside one another", rows(3000, "[table%d]\na = [{b = 1}, {b = 2}]"), true},
		"tables":         {"in a list", "a = [\n" + strings.Repeat("  {b = {c = 1}},\n", 20_000) + "]\n", true},
		"numbers":        {"too many values", "a = [" + strings.Repeat("1,", MostValues) + "]", false},
		"keys":           {"too many keys", rows(MostValues+1, "k%d=1"), false},
		"deep":           {"lists in lists", "a = " + strings.Repeat("[", MostNested+1), false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := CheckTOML([]byte(c.text))
			if much := (*TooMuch)(nil); (err == nil) != c.ok || err != nil && !errors.As(err, &much) {
				t.Errorf("%s: %v", c.reason, err)
			}
			var into map[string]any
			if err == nil && toml.Unmarshal([]byte(c.text), &into) != nil {
				t.Error("it is no TOML")
			}
		})
	}
}

// FuzzTOML holds what is counted against what the parser keeps.
func FuzzTOML(f *testing.F) {
	for _, text := range []string{
		"a.b.c = 1\n[x.y]\nz = {k.l = 2, m = [{n = 1}, {o = 2}]}\n[[w.v]]\nu = 1\n",
		"['a.b'.c]\nd = '''x''''\ne = \"\"\"\n\\\"\"\"\"\"\nf.g = [\n[1, 2], # ]\n]\n[h]\ni = 1",
		"\xef\xbb\xbf[a.a.a]\r\nb = 1.5\r\nc = 1979-05-27T07:32:00Z\r\n",
		"a = 1\n[b.c.d\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var into map[string]any
		meta, err := toml.Decode(text, &into)
		if err != nil {
			return
		}
		kept := int64(0)
		for _, key := range meta.Keys() {
			for _, part := range key {
				kept += int64(len(part))
			}
		}
		bytes, err := CheckTOML([]byte(text))
		if err == nil && bytes < kept+int64(len(meta.Keys()))*bytesPerKey {
			t.Errorf("%d bytes for %d keys with %d bytes of paths", bytes, len(meta.Keys()), kept)
		}
	})
}

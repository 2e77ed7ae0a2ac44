package key

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// data are values that are called as their keys, so that a mix-up shows.
func data(keys ...string) map[string][]byte {
	out := map[string][]byte{}
	for _, key := range keys {
		out[key] = []byte("value of " + key)
	}
	return out
}

func TestConvert(t *testing.T) {
	for name, tc := range map[string]struct {
		reason   string
		strategy esv1.ConversionStrategy
		keys     []string
		want     map[string]string
		err      string
	}{
		"default":    {"what a Secret cannot have becomes an underscore", "", []string{"a/b c"}, map[string]string{"a_b_c": "a/b c"}, ""},
		"named":      {"the empty strategy has a name", esv1.ConversionDefault, []string{"a:b"}, map[string]string{"a_b": "a:b"}, ""},
		"kept":       {"what a Secret may have stays", "", []string{"A-z_0.9"}, map[string]string{"A-z_0.9": "A-z_0.9"}, ""},
		"unicode":    {"the number of the character is kept", esv1.ConversionUnicode, []string{"a/b"}, map[string]string{"a_U002f_b": "a/b"}, ""},
		"astral":     {"a number may have five digits", esv1.ConversionUnicode, []string{"a\U0001F511"}, map[string]string{"a_U1f511_": "a\U0001F511"}, ""},
		"empty":      {"an empty key stays so", "", []string{""}, map[string]string{"": ""}, ""},
		"none":       {"no values are no error", "", nil, map[string]string{}, ""},
		"collision":  {"one of two values would be lost", "", []string{"a/b", "a:b"}, nil, `a_b is made of "a/b" and of "a:b"`},
		"collides":   {"also with a key that was so before", "", []string{"a/b", "a_b"}, nil, "secret name collision"},
		"apart":      {"Unicode keeps such keys apart", esv1.ConversionUnicode, []string{"a/b", "a:b"}, map[string]string{"a_U002f_b": "a/b", "a_U003a_b": "a:b"}, ""},
		"broken":     {"bytes that are no text are a character each", "", []string{"a\xff"}, map[string]string{"a_": "a\xff"}, ""},
		"strategy":   {"a strategy that there is not", "Reverse", []string{"a"}, nil, "use Default or Unicode"},
		"whitespace": {"ends of lines are no part of a key", "", []string{"a\n"}, map[string]string{"a_": "a\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			before := data(tc.keys...)
			got, err := Convert(tc.strategy, before)
			check(t, tc.reason, got, err, tc.want, tc.err)
			if diff := cmp.Diff(data(tc.keys...), before); diff != "" {
				t.Errorf("%s: what was given changed:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestReverse(t *testing.T) {
	for name, tc := range map[string]struct {
		reason   string
		strategy string
		keys     []string
		want     map[string]string
		err      string
	}{
		"kept":      {"None changes nothing", KeepKeys, []string{"a_U002f_b"}, map[string]string{"a_U002f_b": "a_U002f_b"}, ""},
		"empty":     {"the empty strategy is None", "", []string{"a"}, map[string]string{"a": "a"}, ""},
		"unicode":   {"what Unicode made is undone", ReverseUnicode, []string{"a_U002f_b"}, map[string]string{"a/b": "a_U002f_b"}, ""},
		"astral":    {"five digits as well", ReverseUnicode, []string{"_U1f511_"}, map[string]string{"\U0001F511": "_U1f511_"}, ""},
		"letters":   {"digits may be in capitals", ReverseUnicode, []string{"_U002F_"}, map[string]string{"/": "_U002F_"}, ""},
		"short":     {"three digits are no number", ReverseUnicode, []string{"_U02f_"}, map[string]string{"_U02f_": "_U02f_"}, ""},
		"twice":     {"each is undone", ReverseUnicode, []string{"_U002f__U002f_"}, map[string]string{"//": "_U002f__U002f_"}, ""},
		"collision": {"two keys become one", ReverseUnicode, []string{"_U0061_", "a"}, nil, "secret name collision"},
		"strategy":  {"a strategy that there is not", "Unicode", []string{"a"}, nil, "use None or ReverseUnicode"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Reverse(tc.strategy, data(tc.keys...))
			check(t, tc.reason, got, err, tc.want, tc.err)
		})
	}
}

// check compares keys, by the keys that their values had before.
func check(t *testing.T, reason string, got map[string][]byte, err error, want map[string]string, wrong string) {
	t.Helper()
	if wrong != "" {
		if err == nil || !strings.Contains(err.Error(), wrong) || strings.Contains(err.Error(), "value of") {
			t.Errorf("%s: got %v, want an error with %q and no value", reason, err, wrong)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", reason, err)
	}
	from := map[string]string{}
	for key, value := range got {
		from[key] = strings.TrimPrefix(string(value), "value of ")
	}
	if diff := cmp.Diff(want, from); diff != "" {
		t.Errorf("%s (-want +got):\n%s", reason, diff)
	}
}

func TestValidate(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		keys   []string
		wants  []string
	}{
		"good":    {"all of these a Secret may have", []string{"a", "A.b", "c_d", "-"}, nil},
		"longest": {"253 bytes are enough", []string{strings.Repeat("a", 253)}, nil},
		"long":    {"one more is not, and is not quoted whole", []string{strings.Repeat("a", 254)}, []string{"key has length 254 but max is 253"}},
		"signs":   {"each key is named, in their order", []string{"a b", "c/d"}, []string{`invalid character ' ': a b`, `invalid character '/': c/d`}},
		"line":    {"a line's end is no letter", []string{"a\n"}, []string{`'\n'`}},
	} {
		t.Run(name, func(t *testing.T) {
			err := Validate(data(tc.keys...))
			if (err == nil) != (len(tc.wants) == 0) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			for _, want := range tc.wants {
				if !strings.Contains(err.Error(), want) || len(err.Error()) > 400 {
					t.Errorf("%s: got %v, want %q", tc.reason, err, want)
				}
			}
		})
	}
}

// FuzzKeysComeBack: what Unicode makes of a key can be undone, and a Secret may have it.
func FuzzKeysComeBack(f *testing.F) {
	for _, seed := range []string{"a/b", "a b\n", "ключ:1", "\U0001F511", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if !utf8.ValidString(name) || strings.Contains(name, "_U") || strings.ContainsFunc(name, func(r rune) bool { return r > 0xfffff }) {
			t.Skip("a name that nobody has")
		}
		converted, err := Convert(esv1.ConversionUnicode, data(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := Validate(converted); err != nil && !strings.Contains(err.Error(), "has length") {
			t.Error(err)
		}
		back, err := Reverse(ReverseUnicode, converted)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(data(name), back); diff != "" {
			t.Errorf("%q does not come back:\n%s", name, diff)
		}
	})
}

package git

import "testing"

// TestHeadOfATag: what a tag is of is said by its first three lines. What was
// signed as something else, and has such lines in it, is no tag by them.
func TestHeadOfATag(t *testing.T) {
	type said struct{ object, kind, name string }
	for name, tc := range map[string]struct {
		tag  string
		want said
	}{
		"Tag":      {"object 0a1b\ntype commit\ntag v1\ntagger a <a> 1 +0000\n\nobject evil\n", said{"0a1b", "commit", "v1"}},
		"Spaces":   {"object 0a1b\ntype commit\ntag v 1 \n\n", said{"0a1b", "commit", "v 1 "}},
		"Merge":    {"tree 2c\nparent 3d\nmergetag object 0a1b\n type commit\n tag v2\n tagger a <a> 1 +0000\n \n object evil\nauthor a <a> 1 +0000\n\nMerge\n", said{}},
		"Indented": {" object 0a1b\n type commit\n tag v1\n\n", said{}},
		"Order":    {"type commit\nobject 0a1b\ntag v1\n\n", said{}},
		"Between":  {"object 0a1b\nnote x\ntype commit\ntag v1\n\n", said{}},
		"NoName":   {"object 0a1b\ntype commit\n\ntag v1\n", said{}},
		"Empty":    {"", said{}},
	} {
		t.Run(name, func(t *testing.T) {
			object, kind, by := head([]byte(tc.tag))
			if got := (said{object, kind, by}); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

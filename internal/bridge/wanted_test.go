package bridge

import "testing"

// TestKeysOfLabelsAreLowerCase before their slash: Kubernetes refuses the whole
// object otherwise. Those of annotations need not be.
func TestKeysOfLabelsAreLowerCase(t *testing.T) {
	for name, tc := range map[string]struct {
		key Key
		ok  bool
	}{
		"label":                  {Key{Label, "example.com/Team"}, true},
		"label, upper case":      {Key{Label, "Example.com/team"}, false},
		"annotation, upper case": {Key{Annotation, "Example.com/team"}, true},
	} {
		if err := CheckWanted(tc.key, "a"); (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

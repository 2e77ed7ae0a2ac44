package entry

import (
	"errors"
	"strings"
	"testing"
)

// TestNoJSONIsNotAbsence: with a DeletionPolicy, what is absent goes; an entry that is damaged, or the page of a
// proxy, must not look like it.
func TestNoJSONIsNotAbsence(t *testing.T) {
	for name, text := range map[string]string{"words": "hunter22", "HTML": "<html>hunter22</html>", "half": `{"a":"hunter22`, "empty": "", "binary": "\xff\x00"} {
		for _, one := range []Entry{Text([]byte(text)), Fields(map[string][]byte{"x": []byte(text)})} {
			property := "password"
			if one.Form == OfFields {
				property = "x.password"
			}
			for what, err := range map[string]error{"value": second(one.Value(property)), "map": second(one.Map(property))} {
				if err == nil || errors.Is(err, ErrNotFound) || strings.Contains(err.Error(), "hunter") {
					t.Errorf("%s, %s of %s: got %v", name, what, one.Form, err)
				}
			}
		}
	}
}

func second[V any](_ V, err error) error { return err }

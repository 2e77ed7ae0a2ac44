package rewrite

import (
	"strings"
	"testing"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
)

// TestErrorsOfJSONHoldNoValue: a number that is too large, and a character that is out of place, are a part of a value.
func TestErrorsOfJSONHoldNoValue(t *testing.T) {
	for name, text := range map[string]string{"number": `{"a":22e2222}`, "character": `Q`, "behind": `{"a":1}Q`, "escaped": `{"a":"\Q"}`, "text": `"22e2222"`} {
		_, merged := Apply(all(mergeOf(esv1.RewriteMerge{})), map[string][]byte{"k": []byte(text)})
		_, answered := entry.Answer([]byte(text), "$.a").Value("")
		_, inside := entry.Answer([]byte(text), "$.a").Map("")
		for _, err := range []error{merged, answered, inside} {
			if err == nil || strings.Contains(err.Error(), "22e2222") || strings.Contains(err.Error(), "Q") {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}

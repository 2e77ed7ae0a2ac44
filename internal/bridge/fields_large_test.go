package bridge

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// Texts of values that are too large to be read are told as a whole.
func TestLargeValuesAreNotRead(t *testing.T) {
	small, large := "a: 1\nb: 2\n", "a: [\n"+strings.Repeat("1,", bounded.MostValues)+"1]\n"
	if _, _, ok := bothYAML(small, "a: 2\n"); !ok {
		t.Error("small ones are not read")
	}
	if _, _, ok := bothYAML(small, large); ok {
		t.Error("a large one is read")
	}
}

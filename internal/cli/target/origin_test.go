package target

import (
	"testing"

	"github.com/causeway-gitops/causeway/internal/client"
)

func TestOriginsAreReadAgain(t *testing.T) {
	for _, text := range []string{"", "a.yaml", "web/a.yaml:3"} {
		if got := OriginOf(text).String(); got != text {
			t.Errorf("%q is %q", text, got)
		}
	}
	if _, err := client.Base("x"); err != nil {
		t.Error(err)
	}
}

package declared

import (
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/walk/walktest"
)

func TestTreesWithoutEnd(t *testing.T) {
	_, err := NewReader().Read(t.Context(), walktest.Bomb{Deep: 10, Every: "x.txt"}, ".")
	if err == nil || !strings.Contains(err.Error(), "more than 200000 files and folders") {
		t.Errorf("files that declare nothing take time, too: %v", err)
	}
}

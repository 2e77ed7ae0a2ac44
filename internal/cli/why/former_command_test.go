package why

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// TestFormerCommandOfValues answers as before, and says what it is called now.
func TestFormerCommandOfValues(t *testing.T) {
	dir := clitest.NewShop(t)
	all := clitest.Look(t, newWhyValue, dir, "shop-prod", "-o", "json")
	all.Says(t, "all values", command.ExitFine, "causeway why value is causeway why APP --values now\n")
	if diff := cmp.Diff(clitest.Look(t, New, dir, "shop-prod", "--values", "-o", "json").Out, all.Out); diff != "" {
		t.Errorf("it is another answer: %s", diff)
	}
	var one []explained
	got := clitest.Look(t, newWhyValue, dir, "shop-prod", "image.tag", "-o", "json")
	got.Says(t, "one value", command.ExitFine, "causeway why value is causeway why APP --value PATH now\n")
	if err := json.Unmarshal([]byte(got.Out), &one); err != nil || len(one) != 1 || one[0].Value != "1.2.3" || len(one[0].Layers) != 2 || one[0].Layers[0].Value != "none" {
		t.Errorf("programs read the layers, the last of which counts: %v\n%s", err, got.Out)
	}
	clitest.Refuses(t, newWhyValue, map[string]string{"": "name an application, and a path", "a b c": "name an application, and a path", "a --no-fetch": "--no-fetch is for a checkout", "a -o tree": "tree"})
}

package docs

import (
	"os"
	"testing"

	"github.com/causeway-gitops/causeway/test/leash"
)

func TestMain(m *testing.M) { os.Exit(leash.Held(m.Run)) }

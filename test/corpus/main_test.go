package corpus

import (
	"os"
	"testing"

	"github.com/causeway-gitops/causeway/test/leash"
)

// Its control planes end with it, also when it is killed.
func TestMain(m *testing.M) { os.Exit(leash.Held(m.Run)) }

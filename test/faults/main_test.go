package faults

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/cli"
	"github.com/causeway-gitops/causeway/internal/render/directory"
)

var (
	oneSeed  = flag.Uint64("seed", 0, "play this seed alone")
	someSeed = flag.String("seeds", "", "play these seeds, as in 1-500 (default: 20 of them)")
	// Only what is broken uses it up.
	patience = flag.Duration("patience", 3*time.Minute, "how long a seed may take to recover")
	inFlight = flag.Int("in-flight", 24, "how many seeds are played at a time")
)

// asEngine makes the test binary an engine: the command line itself.
const asEngine = "CAUSEWAY_FAULTS_ENGINE"

func TestMain(m *testing.M) {
	directory.Worker()
	if os.Getenv(asEngine) != "" {
		os.Exit(cli.Main("fault-suite"))
	}
	os.Exit(m.Run())
}

// chosen are the seeds to play.
func chosen(t *testing.T) []uint64 {
	t.Helper()
	if *oneSeed != 0 {
		return []uint64{*oneSeed}
	}
	first, last := uint64(1), uint64(20)
	if *someSeed != "" {
		from, to, found := strings.Cut(*someSeed, "-")
		if !found {
			to = from
		}
		if _, err := fmt.Sscan(from, &first); err != nil {
			t.Fatalf("cannot read -seeds %q: write 1-500", *someSeed)
		}
		if _, err := fmt.Sscan(to, &last); err != nil {
			t.Fatalf("cannot read -seeds %q: write 1-500", *someSeed)
		}
	}
	var all []uint64
	for s := first; s <= last; s++ {
		all = append(all, s)
	}
	return all
}

package faults

import (
	"errors"
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli"
	"github.com/causeway-gitops/causeway/internal/difference/jq"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/test/await"
	"github.com/causeway-gitops/causeway/test/leash"
)

var (
	oneSeed  = flag.Uint64("seed", 0, "play this seed alone")
	someSeed = flag.String("seeds", "1-20", "play these seeds, as in 1-500")
	planes   = flag.String("planes", "1-2", "play these seeds of killed control planes")
	// Only what is broken uses it up.
	patience = flag.Duration("patience", await.Limit, "how long a seed may take to recover")
	inFlight = flag.Int("in-flight", 24, "how many seeds are played at a time")
)

// asEngine makes the test binary an engine: the command line itself.
const asEngine = "CAUSEWAY_FAULTS_ENGINE"

func TestMain(m *testing.M) {
	hub.RenderWorker()
	jq.Worker()
	if os.Getenv(asEngine) != "" {
		os.Exit(cli.Main("fault-suite"))
	}
	os.Exit(leash.Held(m.Run))
}

// chosen are the seeds to play.
func chosen(t *testing.T) []uint64 {
	t.Helper()
	if *oneSeed != 0 {
		return []uint64{*oneSeed}
	}
	return span(t, "seeds", *someSeed)
}

// span reads a flag such as 1-500, or 7.
func span(t *testing.T, name, text string) []uint64 {
	t.Helper()
	from, to, found := strings.Cut(text, "-")
	if !found {
		to = from
	}
	first, err1 := strconv.ParseUint(from, 10, 64)
	last, err2 := strconv.ParseUint(to, 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatalf("cannot read -%s %q, write 1-500: %v", name, text, err)
	}
	var all []uint64
	for s := first; s <= last; s++ {
		all = append(all, s)
	}
	return all
}

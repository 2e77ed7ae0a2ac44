// Package await is how long tests wait for what has to come: as test/await of the engine, of which this module has nothing.
package await

import (
	"os"
	"strconv"
	"time"
)

// Limit is how long a test waits for an event; CAUSEWAY_PATIENCE multiplies it. Only what is broken uses it up.
var Limit = limit(os.Getenv("CAUSEWAY_PATIENCE"))

func limit(patience string) time.Duration {
	const usual = 4 * time.Minute
	factor, err := strconv.ParseFloat(patience, 64)
	if err != nil || factor < 1 {
		return usual
	}
	return time.Duration(factor * float64(usual))
}

// Package await is how long tests wait for what has to come: one limit for all of them, so generous that only what is
// broken uses it up, and a variable for machines that are slower still. It is no measure of speed: nothing that is
// tested may depend on it.
package await

import (
	"os"
	"strconv"
	"time"
)

// Variable multiplies the limit: 3 waits three times as long.
const Variable = "CAUSEWAY_PATIENCE"

// usual is the limit where nothing is said.
const usual = 4 * time.Minute

// Limit is how long a test waits for an event.
var Limit = Times(usual)

// Times is a time that is multiplied as the limit is. What cannot be read
// counts as nothing said, and a machine is never taken to be faster than usual.
func Times(d time.Duration) time.Duration {
	factor, err := strconv.ParseFloat(os.Getenv(Variable), 64)
	if err != nil || factor < 1 {
		return d
	}
	return time.Duration(factor * float64(d))
}

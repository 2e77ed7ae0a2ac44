package gitops

import (
	"math"
	"time"
)

// Seconds is a number of seconds that somebody wrote. What is longer than a
// duration can be is as long as one can be: a product that overflows would be
// short, or less than nothing.
func Seconds(n int64) time.Duration {
	const most = math.MaxInt64 / int64(time.Second)
	return time.Duration(min(max(n, -most), most)) * time.Second
}

package wake

import "time"

// FloodBurst and FloodPause are how often what is said of one cluster has all that
// reads clusters looked at, what hosts tell a set, and a generator its host asked for
// that: so often at once, and then once in a pause. Much of it is somebody else's
// word, and a fleet is expanded for each.
const (
	FloodBurst = 10
	FloodPause = 15 * time.Second
)

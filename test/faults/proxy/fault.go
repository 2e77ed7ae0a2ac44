package proxy

// Fault is what happens to one request.
type Fault string

// The faults. Those of watches concern the stream of events after the answer
// has begun.
const (
	None Fault = ""
	// Cut ends the request before the API server has seen it.
	Cut Fault = "cut"
	// Lost lets the API server do its work and drops the answer.
	Lost Fault = "lost"
	// Truncated sends half of the answer.
	Truncated Fault = "truncated"
	// Slow holds the request back for up to half a second.
	Slow Fault = "slow"
	// Hang keeps the request for seconds and ends it without an answer.
	Hang        Fault = "hang"
	Conflict    Fault = "409"
	Throttled   Fault = "429"
	Internal    Fault = "500"
	Unavailable Fault = "503"
	// Disconnect closes the whole connection, with all requests on it.
	Disconnect Fault = "disconnect"

	// WatchEnd ends the stream in good order after a few events.
	WatchEnd Fault = "watch-end"
	// WatchCut ends it in the middle of an event.
	WatchCut Fault = "watch-cut"
	// WatchGone says that the resource version is too old.
	WatchGone Fault = "watch-410"
	// WatchStill holds events back for seconds, then ends the stream.
	WatchStill Fault = "watch-still"
)

// Class is a group of requests that clients treat alike.
type Class string

// The classes of requests.
const (
	Read   Class = "read"
	Write  Class = "write"
	Watch  Class = "watch"
	Lease  Class = "lease"
	Status Class = "status" // writes of an Application's own state
)

// weighted is one row of what may happen to a class.
type weighted struct {
	fault  Fault
	weight int
}

var menus = map[Class][]weighted{
	Read:   {{Cut, 3}, {Lost, 2}, {Truncated, 3}, {Slow, 4}, {Hang, 1}, {Throttled, 2}, {Internal, 3}, {Unavailable, 3}, {Disconnect, 1}},
	Write:  {{Cut, 3}, {Lost, 5}, {Truncated, 3}, {Slow, 4}, {Hang, 1}, {Conflict, 3}, {Throttled, 2}, {Internal, 3}, {Unavailable, 3}},
	Status: {{Cut, 3}, {Lost, 5}, {Truncated, 3}, {Slow, 4}, {Hang, 1}, {Conflict, 3}, {Throttled, 2}, {Internal, 3}, {Unavailable, 3}},
	Watch:  {{Cut, 2}, {Throttled, 1}, {Internal, 1}, {WatchEnd, 4}, {WatchCut, 4}, {WatchGone, 4}, {WatchStill, 3}},
	Lease:  {{Cut, 2}, {Lost, 2}, {Slow, 4}, {Conflict, 1}, {Internal, 2}, {Unavailable, 2}},
}

// pick takes a row by a number that is spread evenly over uint64.
func pick(menu []weighted, n uint64) Fault {
	total := 0
	for _, w := range menu {
		total += w.weight
	}
	left := int(n % uint64(total)) //nolint:gosec // less than total, which is small
	for _, w := range menu {
		if left < w.weight {
			return w.fault
		}
		left -= w.weight
	}
	return None
}

package reply

import (
	"net/http"
	"strconv"
	"time"
)

// mostWait bounds how long a cluster may put a request off. client-go believes
// any number, ten times in a row, while who asks waits. API servers ask for some
// seconds; who waits longer asks again.
const mostWait = 30 * time.Second

// boundWait cuts how long an answer says to wait before the next try. What is no
// number client-go does not wait for. One below nothing is none: as nanoseconds
// it may become centuries.
func boundWait(h http.Header) {
	const most = int(mostWait / time.Second)
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || 0 <= seconds && seconds <= most {
		return
	}
	h.Set("Retry-After", strconv.Itoa(max(0, min(seconds, most))))
}

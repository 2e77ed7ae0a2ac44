package externalsecret

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// A Secret that somebody keeps changing is made again at once, and then after pauses
// that double: each time, its store is asked, and generators make other values. After a
// time without a change, they begin anew.
const (
	firstPause = time.Second
	mostPause  = 5 * time.Minute
	calm       = time.Minute
)

// mend is when a damaged Secret was made again, and how long it rests then.
type mend struct {
	at    time.Time
	pause time.Duration
}

// mendsAt is when a Secret may be made again that somebody changed; the zero time for at once.
func (r *Reconciler) mendsAt(name types.NamespacedName) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, ok := r.mends[name]
	if !ok || last.at.After(r.Now()) { // a clock that is set back
		return time.Time{}
	}
	return last.at.Add(last.pause)
}

// mended notes that a Secret was made again that somebody had changed.
func (r *Reconciler) mended(name types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.mends[name]
	pause := min(mostPause, max(firstPause, 2*last.pause)) //nolint:mnd // twice as long
	if r.Now().Sub(last.at) > max(calm, 2*last.pause) {    //nolint:mnd // nobody changed it for as long again
		pause = firstPause
	}
	r.mends[name] = mend{at: r.Now(), pause: pause}
}

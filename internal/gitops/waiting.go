package gitops

import (
	"fmt"
	"regexp"
	"strconv"
)

// Waiting is an object that holds a sync back.
type Waiting struct {
	Key    Key
	Phase  Phase
	Wave   int
	Health Health
}

// String has the form "waiting for apps/Deployment:shop/web in wave 2: 1 of 3 replicas".
func (w Waiting) String() string {
	s := fmt.Sprintf("waiting for %s in wave %d", w.Key, w.Wave)
	if w.Phase != Sync {
		s = fmt.Sprintf("waiting for %s in %s wave %d", w.Key, w.Phase, w.Wave)
	}
	if w.Health.Message != "" {
		return s + ": " + w.Health.Message
	}
	return s + ": " + string(w.Health.Code)
}

// waitingForm is the form of Waiting.String, and of the words that follow where
// there are more.
var waitingForm = regexp.MustCompile(`(?s)^waiting for ([^/:\s]*)/([^/:\s]+):([^/\s]*)/(\S+) in (?:([A-Za-z]+) )?wave (-?\d+): (.*)$`)

// moreForm ends a text that stands for several.
var moreForm = regexp.MustCompile(`(?s)^(.*) \(and \d+ more\)$`)

// ParseWaiting reads what Waiting.String wrote, as the message of an operation
// has it; false for any other text.
func ParseWaiting(text string) (w Waiting, ok bool) {
	if m := moreForm.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	m := waitingForm.FindStringSubmatch(text)
	if m == nil {
		return Waiting{}, false
	}
	wave, err := strconv.Atoi(m[6])
	if err != nil {
		return Waiting{}, false
	}
	w = Waiting{Key: Key{Group: m[1], Kind: m[2], Namespace: m[3], Name: m[4]}, Phase: Phase(m[5]), Wave: wave}
	if w.Phase == "" {
		w.Phase = Sync
	}
	w.Health.Message = m[7]
	if code := HealthCode(m[7]); known(code) {
		w.Health = Health{Code: code}
	}
	return w, true
}

func known(code HealthCode) bool {
	switch code {
	case Healthy, Progressing, Suspended, Degraded, Missing, HealthUnknown:
		return true
	}
	return false
}

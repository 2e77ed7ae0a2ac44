package webhook

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// Bounds of events, whose senders nobody knows before they are read.
const (
	// maxBody bounds an event; GitHub sends at most 25 MB.
	maxBody = 25 << 20
	// maxUnsigned bounds one whose host has no secret to sign with.
	maxUnsigned = 4 << 20
	// held bounds what all events together take up that are larger than small.
	// A place for what most are is kept for each.
	held  = 64 << 20
	small = 64 << 10
)

var (
	errLarge = errors.New("the event is too large")
	errFull  = errors.New("too many large events are being received; send it again later")
)

// body reads an event. It takes up memory as what is sent arrives, and not as
// somebody says that it will; done gives it back.
func (h *Handler) body(w http.ResponseWriter, r *http.Request, most int64) (text []byte, done func(), err error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(readTime)) // a recorder has none
	defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	var taken int64
	done = func() { h.holding.Add(-taken) }
	if r.ContentLength > most {
		return nil, done, errLarge
	}
	from := http.MaxBytesReader(w, r.Body, most)
	text = make([]byte, 0, small)
	for {
		n, err := from.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err != nil {
			return text, done, ended(err)
		}
		if len(text) < cap(text) {
			continue
		}
		size := min(2*int64(cap(text)), most+1) // one more tells that it ends
		if h.holding.Add(size) > held {
			h.holding.Add(-size)
			return nil, done, errFull
		}
		text = append(make([]byte, 0, size), text...)
		h.holding.Add(-taken)
		taken = size
	}
}

func ended(err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &large):
		return errLarge
	}
	return err
}

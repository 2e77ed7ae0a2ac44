package webhook

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// small is what an event takes up of its own; most are no larger.
const small = 64 << 10

// bounds of events, whose senders nobody knows before they are read.
type bounds struct {
	// body is how large one may be.
	body int64
	// atOnce is how many are received at a time.
	atOnce int32
	// held is what all together take up that are larger than small, in bytes.
	held int64
}

var (
	// GitHub sends at most 25 MB.
	boundsSigned   = bounds{body: 25 << 20, atOnce: 16, held: 64 << 20}
	boundsUnsigned = bounds{body: 4 << 20, atOnce: 8, held: 16 << 20}
)

// room is where events are received.
type room struct {
	// receiving is how many are being read and told.
	receiving atomic.Int32
	// holding is what they take up beyond what each may, in bytes.
	holding atomic.Int64
	// received is what is logged of them.
	received noise
}

// place is room, and how much of it there is.
type place struct {
	*room
	bounds
}

func (h *Handler) room(signs bool) place {
	if signs {
		return place{&h.signed, boundsSigned}
	}
	return place{&h.unsigned, boundsUnsigned}
}

// begin takes one of the places for events; end gives it back.
func (p place) begin() (end func(), ok bool) {
	if p.receiving.Add(1) > p.atOnce {
		p.receiving.Add(-1)
		return nil, false
	}
	return func() { p.receiving.Add(-1) }, true
}

var (
	errLarge = errors.New("the event is too large")
	errFull  = errors.New("too many large events are being received; send it again later")
)

// read reads an event. It takes up memory as what is sent arrives, and not as
// somebody says that it will; done gives it back.
func (p place) read(w http.ResponseWriter, r *http.Request) (text []byte, done func(), err error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(readTime)) // a recorder has none
	defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	var taken int64
	done = func() { p.holding.Add(-taken) }
	if r.ContentLength > p.body {
		return nil, done, errLarge
	}
	from := http.MaxBytesReader(w, r.Body, p.body)
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
		size := min(2*int64(cap(text)), p.body+1) // one more tells that it ends
		if p.holding.Add(size) > p.held {
			p.holding.Add(-size)
			return nil, done, errFull
		}
		text = append(make([]byte, 0, size), text...)
		p.holding.Add(-taken)
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

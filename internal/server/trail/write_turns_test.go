package trail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/store/audit"
	"github.com/causeway-gitops/causeway/test/await"
)

// desk is a keeper that writes one entry after the other, when it is told to.
type desk struct {
	next chan struct{}

	mu         sync.Mutex
	here, most map[string]int // by who wrote it
}

func (d *desk) Append(_ context.Context, e *audit.Entry) (*audit.Entry, error) {
	d.count(e.Who.Name, 1)
	defer d.count(e.Who.Name, -1)
	<-d.next
	return e, nil
}

func (d *desk) Note(*audit.Entry) {}

func (d *desk) count(who string, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.here[who] += n
	d.most[who] = max(d.most[who], d.here[who])
}

func (d *desk) has(who string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.here[who] > 0
}

// However much one person writes at a time, one entry of theirs is on its way:
// others, and who signs in, wait for no more than that.
func TestWritesTakeTurns(t *testing.T) {
	d := &desk{next: make(chan struct{}), here: map[string]int{}, most: map[string]int{}}
	trail := New(d, slog.New(slog.DiscardHandler))
	var writing sync.WaitGroup
	write := func(name string, u *auth.User, e *audit.Entry) {
		writing.Go(func() {
			if err := trail.Begin(t.Context(), u, e); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	comes := func(name string) {
		t.Helper()
		await.Until(t, func(context.Context) error {
			if d.has(name) {
				return nil
			}
			return fmt.Errorf("%s waits for others", name)
		})
	}
	mallory := &auth.User{Name: "mallory", Via: auth.Local}
	const many = 100
	for range many {
		write("mallory", mallory, &audit.Entry{Verb: "update"})
	}
	comes("mallory")
	for _, name := range []string{"ann", "bob"} {
		write(name, &auth.User{Name: name, Via: auth.Local}, &audit.Entry{Verb: "update"})
		comes(name)
	}
	write("eve", nil, &audit.Entry{Verb: "sign-in", Who: audit.Who{Name: "eve"}})
	comes("eve")
	for range many + 3 {
		d.next <- struct{}{}
	}
	writing.Wait()
	if d.most["mallory"] != turnsEach {
		t.Errorf("%d entries of one person are on their way at a time", d.most["mallory"])
	}
}

// Who has gone while others of theirs wait has done nothing.
func TestWhoWaitsForTheirTurnMayGo(t *testing.T) {
	d := &desk{next: make(chan struct{}), here: map[string]int{}, most: map[string]int{}}
	trail := New(d, slog.New(slog.DiscardHandler))
	ann := &auth.User{Name: "ann", Via: auth.Local}
	begun := make(chan error)
	go func() { begun <- trail.Begin(t.Context(), ann, &audit.Entry{Verb: "update"}) }()
	await.Until(t, func(context.Context) error {
		if d.has("ann") {
			return nil
		}
		return errors.New("it never begins")
	})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := trail.Begin(gone, ann, &audit.Entry{Verb: "update"}); !errors.As(err, &Untold{}) || !strings.Contains(err.Error(), "too many writes of yours") {
		t.Errorf("the answer is %v", err)
	}
	close(d.next)
	if err := <-begun; err != nil {
		t.Error(err)
	}
}

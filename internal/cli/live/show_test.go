package live

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

// reel is a feed of pictures that are there already.
type reel []fleetstatus.Snapshot

func (r reel) Next(ctx context.Context, version int) (fleetstatus.Snapshot, int, error) {
	if version+1 < len(r) {
		return r[version+1], version + 1, nil
	}
	<-ctx.Done()
	return fleetstatus.Snapshot{}, version, ctx.Err()
}

// buffer is written by the display and read by the test.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func TestRunWritesLinesAndNotes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, notes, ended := &buffer{}, make(chan string), make(chan error, 1)
	show := Show{Out: out, Style: Plain(), Now: func() time.Time { return start }}
	go func() { ended <- show.Run(ctx, reel{starting(), rolling()}, notes) }()
	notes <- "all is well\n"
	for !strings.Contains(out.String(), "rolling out") {
		select {
		case <-t.Context().Done():
			t.Fatal("the second picture was not told")
		case <-time.After(time.Millisecond):
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"starting 3 clusters\n", "all is well\n", "cluster hub is ready"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %q", want, out.String())
		}
	}
}

func TestControlC(t *testing.T) {
	interrupted, aborted := 0, 0
	m := &model{show: Show{Style: Plain(), Now: func() time.Time { return start }, Interrupt: func() { interrupted++ }}, abort: func() { aborted++ }}
	if m.View() != "" {
		t.Error("before the first picture there is nothing to draw")
	}
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	m.Update(starting())
	if !strings.Contains(m.View(), "Fleet example") {
		t.Errorf("drawn: %q", m.View())
	}
	m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("q")})
	if interrupted+aborted != 0 {
		t.Error("another key ended it")
	}
	m.Update(tea.KeyMsg{Type: tea.KeyCtrlC})
	if interrupted != 1 || aborted != 0 {
		t.Error("the first ctrl-c asks for the end")
	}
	m.Update(tea.KeyMsg{Type: tea.KeyCtrlC})
	if interrupted != 1 || aborted != 1 {
		t.Error("the second one ends at once")
	}
}

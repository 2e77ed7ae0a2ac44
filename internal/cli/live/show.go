package live

import (
	"context"
	"fmt"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"github.com/causeway-gitops/causeway/internal/local/progress"
)

// Feed gives pictures, each newer than the version before.
type Feed interface {
	Next(ctx context.Context, version int) (progress.Snapshot, int, error)
}

// pace is the shortest time between two pictures.
const (
	pace      = 150 * time.Millisecond
	plainPace = time.Second
)

// Show shows the feed on out until ctx ends. What comes from notes is printed
// once, above the table.
type Show struct {
	Out   io.Writer
	Style Style
	// Terminal draws a table; otherwise lines are written.
	Terminal bool
	Now      func() time.Time
}

// Run shows the feed until ctx ends. Texts from notes are printed for good.
func (w Show) Run(ctx context.Context, feed Feed, notes <-chan string) error {
	if w.Terminal {
		return w.draw(ctx, feed, notes)
	}
	return w.write(ctx, feed, notes)
}

func (w Show) write(ctx context.Context, feed Feed, notes <-chan string) error {
	pictures := w.pictures(ctx, feed, plainPace)
	var before progress.Snapshot
	for {
		select {
		case s, ok := <-pictures:
			if !ok {
				return nil
			}
			for _, line := range Lines(before, s, w.Now()) {
				if _, err := fmt.Fprintln(w.Out, line); err != nil {
					return err
				}
			}
			before = s
		case note := <-notes:
			if _, err := fmt.Fprint(w.Out, note); err != nil {
				return err
			}
		}
	}
}

// pictures hands on the newest picture, no more often than pace. The channel
// is closed after the last one when ctx ends.
func (w Show) pictures(ctx context.Context, feed Feed, pace time.Duration) <-chan progress.Snapshot {
	out := make(chan progress.Snapshot)
	go func() { // ends with ctx; its reader waits for the close
		defer close(out)
		version := -1
		for {
			s, newer, err := feed.Next(ctx, version)
			if err != nil {
				return
			}
			version = newer
			select {
			case out <- s:
			case <-ctx.Done():
				return
			}
			select {
			case <-time.After(pace):
			case <-ctx.Done():
			}
		}
	}()
	return out
}

func (w Show) draw(ctx context.Context, feed Feed, notes <-chan string) error {
	program := tea.NewProgram(model{show: w}, tea.WithOutput(w.Out), tea.WithInput(nil), tea.WithoutSignalHandler())
	inner, cancel := context.WithCancel(ctx)
	pictures := w.pictures(inner, feed, pace)
	done := make(chan struct{})
	go func() { // ends with ctx, waited for below
		defer close(done)
		for s := range pictures {
			program.Send(s)
		}
		program.Quit()
	}()
	printed := make(chan struct{})
	go func() { // the same
		defer close(printed)
		for {
			select {
			case <-inner.Done():
				return
			case note := <-notes:
				program.Println(note)
			}
		}
	}()
	_, err := program.Run()
	cancel()
	<-done
	<-printed
	return err
}

// model draws the newest picture; the clock runs between pictures too.
type model struct {
	show          Show
	snapshot      progress.Snapshot
	seen          bool
	width, height int
}

type tick struct{}

func (m model) Init() tea.Cmd { return clock() }

func clock() tea.Cmd {
	return tea.Tick(pace, func(time.Time) tea.Msg { return tick{} })
}

func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case progress.Snapshot:
		m.snapshot, m.seen = msg, true
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tick:
		return m, clock()
	}
	return m, nil
}

func (m model) View() string {
	if !m.seen {
		return ""
	}
	text := View(m.snapshot, Frame{Now: m.show.Now(), Width: m.width, Height: m.height, Style: m.show.Style})
	return lipgloss.NewStyle().MaxWidth(max(m.width, 20)).Render(text)
}

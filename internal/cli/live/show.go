package live

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/term"

	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

// Feed gives pictures, each newer than the version before.
type Feed interface {
	Next(ctx context.Context, version int) (fleetstatus.Snapshot, int, error)
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
	// In is where keys come from. The first ctrl-c calls Interrupt, a second
	// one Abort.
	In        io.Reader
	Interrupt func()
	Abort     func()
}

// Run shows the feed until ctx ends. Texts from notes are printed for good.
func (w Show) Run(ctx context.Context, feed Feed, notes <-chan string) error {
	if w.Terminal {
		return w.draw(ctx, feed, notes)
	}
	return w.write(ctx, feed, notes)
}

func (w Show) write(ctx context.Context, feed Feed, notes <-chan string) error {
	ctx, cancel := context.WithCancel(ctx)
	news := pictures(ctx, feed, plainPace)
	defer func() {
		cancel()
		for range news { // it has to be read until its close
		}
	}()
	var before fleetstatus.Snapshot
	for {
		select {
		case s, ok := <-news:
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

// pictures hands on the newest picture, no more often than pace, and one last
// time when ctx ends. The channel is closed after that; it has to be read until then.
func pictures(ctx context.Context, feed Feed, pace time.Duration) <-chan fleetstatus.Snapshot {
	out := make(chan fleetstatus.Snapshot)
	go func() { // ends with ctx; its reader waits for the close
		defer close(out)
		version := -1
		for {
			s, newer, err := feed.Next(ctx, version)
			if err != nil {
				break
			}
			version = newer
			out <- s
			select {
			case <-time.After(pace):
			case <-ctx.Done():
			}
		}
		// A feed gives a picture that is there even to a context that has ended.
		if s, _, err := feed.Next(ctx, -1); err == nil {
			out <- s
		}
	}()
	return out
}

// drawing is a table on a terminal.
type drawing struct {
	program *tea.Program
	feed    Feed
	notes   <-chan string
}

func (w Show) draw(ctx context.Context, feed Feed, notes <-chan string) error {
	// Keys are read so that nothing that is typed spoils the table; ctrl-c is
	// one of them then.
	m := &model{show: w}
	d := drawing{program: tea.NewProgram(m, tea.WithOutput(w.Out), tea.WithInput(w.keys()), tea.WithoutSignalHandler()), feed: feed, notes: notes}
	m.abort = func() {
		_ = d.program.ReleaseTerminal()
		w.Abort()
	}
	inner, cancel := context.WithCancel(ctx)
	var fed sync.WaitGroup
	fed.Go(func() { d.feedPictures(inner) })
	fed.Go(func() { d.feedNotes(inner) })
	_, err := d.program.Run()
	cancel()
	fed.Wait()
	return err
}

func (w Show) keys() io.Reader {
	if f, ok := w.In.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

func (d drawing) feedPictures(ctx context.Context) {
	for s := range pictures(ctx, d.feed, pace) {
		d.program.Send(s)
	}
	d.program.Quit()
}

func (d drawing) feedNotes(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case note := <-d.notes:
			d.program.Println(strings.TrimRight(note, "\n") + "\n")
		}
	}
}

// model draws the newest picture; the clock runs between pictures too.
type model struct {
	show          Show
	snapshot      fleetstatus.Snapshot
	seen          bool
	width, height int
	interrupted   bool
	abort         func()
}

type tick struct{}

func (m *model) Init() tea.Cmd { return clock() }

func clock() tea.Cmd {
	return tea.Tick(pace, func(time.Time) tea.Msg { return tick{} })
}

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case fleetstatus.Snapshot:
		m.snapshot, m.seen = msg, true
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyMsg:
		m.key(msg)
	case tick:
		return m, clock()
	}
	return m, nil
}

// key understands ctrl-c. The terminal does not turn it into a signal while
// keys are read one by one.
func (m *model) key(k tea.KeyMsg) {
	switch {
	case k.String() != "ctrl+c":
	case !m.interrupted:
		m.interrupted = true
		m.show.Interrupt()
	default:
		m.abort()
	}
}

func (m *model) View() string {
	if !m.seen {
		return ""
	}
	return View(m.snapshot, Frame{Now: m.show.Now(), Width: m.width, Height: m.height, Style: m.show.Style})
}

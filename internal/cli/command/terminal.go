package command

import (
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/causeway-gitops/causeway/internal/cli/live"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// Terminal reports whether an output is one.
func Terminal(out io.Writer) bool {
	f, ok := screen.Under(out).(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// WidthOf is the number of columns; 0 when lines may be as long as they are.
func WidthOf(out io.Writer) int {
	f, ok := screen.Under(out).(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

func (g *Global) colour(out io.Writer) bool {
	return !g.NoColor && os.Getenv("NO_COLOR") == "" && Terminal(out)
}

// Style colours words for an output, which lets the colours through.
func (g *Global) Style(out io.Writer) live.Style {
	style := live.NewStyle(screen.Under(out), g.colour(out))
	if w, ok := out.(*screen.Writer); ok && g.colour(out) {
		w.Allow(style.Signs()...)
	}
	return style
}

// Safe has what is written say something, and tell the terminal nothing.
func (s Streams) Safe() (safe Streams, end func()) {
	out, errs := screen.NewWriter(s.Out), screen.NewWriter(s.Err)
	return Streams{In: s.In, Out: out, Err: errs}, func() { _, _ = out.Flush(), errs.Flush() }
}

// Exact is an output for what programs read, or go on with, as it is. On a
// terminal people read that, too.
func Exact(out io.Writer) io.Writer {
	if Terminal(out) {
		return out
	}
	return screen.Under(out)
}

// progressOf is where progress is shown: of a terminal the cursor is moved, and
// elsewhere lines are written as all others.
func progressOf(out io.Writer) io.Writer {
	if Terminal(out) {
		return screen.Under(out)
	}
	return out
}

// Show makes the display of progress on standard error.
func (g *Global) Show() live.Show {
	return live.Show{
		Out: progressOf(g.Err), In: g.In, Style: g.Style(g.Err), Terminal: Terminal(g.Err), Now: time.Now,
		Interrupt: func() { _ = syscall.Kill(os.Getpid(), syscall.SIGINT) },
		Abort:     func() { os.Exit(ExitInterrupted) },
	}
}

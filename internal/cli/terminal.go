package cli

import (
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/causeway-gitops/causeway/internal/cli/live"
)

// terminal tells whether an output is one.
func terminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// widthOf is the number of columns; 0 when lines may be as long as they are.
func widthOf(out io.Writer) int {
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

func (g *global) colour(out io.Writer) bool {
	return !g.noColor && os.Getenv("NO_COLOR") == "" && terminal(out)
}

func (g *global) style(out io.Writer) live.Style { return live.NewStyle(out, g.colour(out)) }

// show makes the display of progress on standard error.
func (g *global) show() live.Show {
	return live.Show{
		Out: g.Err, In: g.In, Style: g.style(g.Err), Terminal: terminal(g.Err), Now: time.Now,
		Interrupt: func() { _ = syscall.Kill(os.Getpid(), syscall.SIGINT) },
		Abort:     func() { os.Exit(exitInterrupted) },
	}
}

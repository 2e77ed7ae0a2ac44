package cli

import (
	"io"
	"os"

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

package command

import (
	"fmt"
	"io"

	"github.com/spf13/pflag"
)

// Streams are where a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Global is what every command shares.
type Global struct {
	Streams

	Version    string
	StateDir   string
	Fleet      string
	Kubeconfig string
	Context    string
	Namespace  string
	NoColor    bool
	Server     ServerFlags
}

// Flags adds the flags of all commands.
func (g *Global) Flags(f *pflag.FlagSet) {
	f.StringVar(&g.StateDir, "state-dir", "", "folder of local fleets (default: one of the user's, outside of this folder, for the fleets of this folder or the nearest one above)")
	f.StringVar(&g.Fleet, "fleet", "", "local fleet to talk to, when several run")
	f.StringVar(&g.Kubeconfig, "kubeconfig", "", "kubeconfig of the hub, instead of a local fleet's")
	f.StringVar(&g.Context, "context", "", "context of the kubeconfig")
	f.StringVarP(&g.Namespace, "namespace", "n", "", "namespace of Applications on the hub (default: argocd)")
	g.Server.register(f)
	f.BoolVar(&g.NoColor, "no-color", false, "print no colours (also: NO_COLOR)")
}

// Moved says on the error stream that a command has another name now.
func (g *Global) Moved(from, to string) {
	_, _ = fmt.Fprintf(g.Err, "%s is %s now\n", from, to)
}

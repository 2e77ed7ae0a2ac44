package plugin

import (
	"encoding/hex"
	"fmt"

	"github.com/zeebo/blake3"
)

// Setup names the plugins and how they are run: renderings of processes with
// other plugins are not the same, as a plugin claims sources. It is for
// render.Options.Setup.
func (r *Runner) Setup() string {
	h := blake3.New()
	_, _ = fmt.Fprintf(h, "%q\n", r.o.Path)
	for _, p := range r.o.Plugins {
		_, _ = fmt.Fprintf(h, "%q\n", []any{p.ID(), p.Init, p.Generate, p.Discover, p.PreserveFileMode})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

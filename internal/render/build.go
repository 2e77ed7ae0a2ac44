package render

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// build names the engine that runs: its version and those of all libraries,
// which render. A build without a version of its own is told by the
// executable's size and time.
var build = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return executable()
	}
	var b strings.Builder
	fmt.Fprintln(&b, info.GoVersion, info.Main.Version)
	for _, d := range info.Deps {
		fmt.Fprintln(&b, d.Path, d.Version, d.Sum)
		if d.Replace != nil {
			fmt.Fprintln(&b, d.Replace.Path, d.Replace.Version, d.Replace.Sum)
		}
	}
	exact := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			exact = true
			fmt.Fprintln(&b, s.Value)
		case "vcs.modified":
			if s.Value == "true" {
				fmt.Fprintln(&b, executable())
			}
		}
	}
	if released := info.Main.Version != "" && info.Main.Version != "(devel)"; !exact && !released {
		fmt.Fprintln(&b, executable())
	}
	return b.String()
})

func executable() string {
	name, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	info, err := os.Stat(name)
	if err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

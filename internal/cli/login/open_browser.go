package login

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"runtime"
)

// browse opens an address in the browser of whoever sits at this machine.
// Nobody is told whether one opens: the address is printed, too.
func browse(ctx context.Context, address *url.URL) {
	name, args := opener(runtime.GOOS, os.Getenv)
	if name == "" {
		return
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), name, append(args, address.String())...)
	if cmd.Start() == nil {
		_ = cmd.Process.Release() // it may last as long as the browser
	}
}

// opener is the program that opens addresses; empty where there is no screen,
// on which it would take the terminal.
func opener(system string, getenv func(string) string) (name string, args []string) {
	switch system {
	case "darwin":
		return "open", nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	}
	if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return "", nil
	}
	return "xdg-open", nil
}

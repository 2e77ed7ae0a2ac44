package background_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/causeway-gitops/causeway/internal/cli/live"
)

// TestTerminalsAreNotAsked has this program draw in colours at a terminal that
// answers nothing.
func TestTerminalsAreNotAsked(t *testing.T) {
	if os.Getenv("DRAW_AND_END") != "" {
		fmt.Println(live.NewStyle(os.Stdout, true).Word("Synced"), live.NewStyle(os.Stdout, true).Word("Failed"))
		return
	}
	screen, program := pty(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTerminalsAreNotAsked$")
	cmd.Env = append(os.Environ(), "DRAW_AND_END=1", "TERM=xterm-256color", "NO_COLOR=", "CI=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // who does not have the terminal does not ask it
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = program.Close()
	shown, _ := io.ReadAll(screen) // ends with an error when nobody writes there any more
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %q", err, shown)
	}
	text := string(shown)
	if !strings.Contains(text, "Synced") || !strings.Contains(text, "\x1b[38;5;") {
		t.Errorf("no colours: %q", text)
	}
	for _, question := range []string{"\x1b]11;?", "\x1b[6n"} {
		if strings.Contains(text, question) {
			t.Errorf("the terminal is asked: %q", text)
		}
	}
}

// pty opens a terminal: what is written to one end is read at the other.
func pty(t *testing.T) (screen, program *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return screen, program
}

//go:build !linux

package process

import "os/exec"

// await waits for a command. Other systems free its number at once.
func await(cmd *exec.Cmd) (result func() error) {
	err := cmd.Wait()
	return func() error { return err }
}

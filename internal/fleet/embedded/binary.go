package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const (
	binaryName     = "causeway-kube"
	binaryVariable = "CAUSEWAY_KUBE"
	moduleLine     = "module github.com/causeway-gitops/causeway\n"
)

// ErrNoBinary says that causeway-kube is not there.
var ErrNoBinary = errors.New("cannot find " + binaryName + ": run `make build`, or name the binary in " + binaryVariable)

// FindBinary returns the path of causeway-kube: what CAUSEWAY_KUBE names, or else the first found beside the running
// executable and in PATH. The working directory has no say: it may be somebody else's checkout, with a program of that
// name. Tests, which lie elsewhere than what they test, look into bin/ of the source tree that they run in.
func FindBinary() (string, error) {
	if named := os.Getenv(binaryVariable); named != "" {
		if !executable(named) {
			return "", fmt.Errorf("%s=%s is no executable file: %w", binaryVariable, named, ErrNoBinary)
		}
		return named, nil
	}
	for _, dir := range places() {
		if path := filepath.Join(dir, binaryName); executable(path) {
			return path, nil
		}
	}
	if path, err := exec.LookPath(binaryName); err == nil { // none from an entry that begins in the working directory
		return path, nil
	}
	return "", ErrNoBinary
}

func places() []string {
	var dirs []string
	if self, err := os.Executable(); err == nil {
		dirs = append(dirs, filepath.Dir(self))
	}
	if here, err := os.Getwd(); err == nil && inTest() {
		if root := moduleRoot(here); root != "" {
			dirs = append(dirs, filepath.Join(root, "bin"))
		}
	}
	return dirs
}

// inTest is replaced where it is tested what others find.
var inTest = testing.Testing

// moduleRoot returns the folder of this project's source that dir is in, or nothing.
func moduleRoot(dir string) string {
	for {
		body, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(body, []byte(moduleLine)) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

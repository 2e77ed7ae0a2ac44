package provider_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	registry = "registry.terraform.io"
	ours     = "causeway-gitops/causeway"
	former   = "hashicorp/kubernetes"
	// testVersion is the one of what the tests build themselves.
	testVersion = "0.1.0"
	small       = "-s -w"
)

var platform = runtime.GOOS + "_" + runtime.GOARCH

// mirror fills a filesystem mirror with the provider and stand-ins for those
// that a configuration may have used before, and returns the file that tells
// terraform of it.
func mirror(dir string) (string, error) {
	root := filepath.Join(dir, "mirror")
	if err := provide(root); err != nil {
		return "", err
	}
	if err := build("./testdata/former", packed(root, former)); err != nil {
		return "", err
	}
	twin := packed(root, "hashicorp/helm")
	if err := os.MkdirAll(filepath.Dir(twin), 0o750); err != nil {
		return "", err
	}
	if err := os.Link(packed(root, former), twin); err != nil {
		return "", err
	}
	config := filepath.Join(dir, "terraformrc")
	text := fmt.Sprintf("disable_checkpoint = true\nprovider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", root)
	return config, os.WriteFile(config, []byte(text), 0o600)
}

// provide puts the provider into a mirror: the one that `make terraform` has
// built, unless go would build another one now. To link it takes longer than
// many tests.
func provide(root string) error {
	made, err := filepath.Glob(filepath.Join("../../../../bin/terraform", registry, ours, "*", platform, "terraform-provider-causeway_v*"))
	if err != nil {
		return err
	}
	for _, program := range made {
		if !current(program) {
			continue
		}
		folder, err := filepath.Abs(filepath.Dir(program))
		if err != nil {
			return err
		}
		version := filepath.Join(root, registry, ours, filepath.Base(filepath.Dir(folder)))
		if err := os.MkdirAll(version, 0o750); err != nil {
			return err
		}
		return os.Symlink(folder, filepath.Join(version, platform))
	}
	return build("../..", packed(root, ours))
}

// current reports whether go has nothing to do for a program of `make terraform`:
// its dry run would only touch what is there. All else it says counts as work.
func current(program string) bool {
	path, err := filepath.Abs(program)
	if err != nil {
		return false
	}
	_, version, _ := strings.Cut(filepath.Base(program), "_v")
	out, err := exec.Command("go", "build", "-n", "-ldflags", small+" -X main.version="+version, "-o", path, "../..").CombinedOutput()
	if err != nil {
		return false
	}
	touched := false
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "touch "):
			touched = true
		default:
			return false
		}
	}
	return touched
}

// packed is where terraform looks for a provider in a mirror.
func packed(root, address string) string {
	return filepath.Join(root, registry, address, testVersion, platform, "terraform-provider-"+filepath.Base(address)+"_v"+testVersion)
}

func build(source, program string) error {
	if out, err := exec.Command("go", "build", "-ldflags", small, "-o", program, source).CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the provider %s: %w\n%s", source, err, out)
	}
	return nil
}

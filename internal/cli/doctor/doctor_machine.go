package doctor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/local"
)

// oldestGit is the oldest version that has what the engine asks of git.
var oldestGit = [2]int{2, 32}

func checkMachine(ctx context.Context, g *command.Global) []finding {
	found := []finding{{"causeway", fine, g.Version, ""}, checkKube(), checkGit(ctx)}
	state, err := target.StateFolder(g)
	if err != nil {
		return append(found, finding{"state folder", fail, err.Error(), ""})
	}
	return append(append(found, checkStateDir(state)), checkFleets(state)...)
}

func checkKube() finding {
	path, err := embedded.FindBinary()
	if err != nil {
		return finding{"causeway-kube", warn, "not found: `up` cannot start clusters", "run `make build`, or name it in CAUSEWAY_KUBE"}
	}
	return finding{"causeway-kube", fine, table.Short(path), ""}
}

var gitVersion = regexp.MustCompile(`(\d+)\.(\d+)`)

func checkGit(ctx context.Context) finding {
	out, err := exec.CommandContext(ctx, "git", "--version").Output()
	if err != nil {
		return finding{"git", fail, "cannot run git: " + err.Error(), "install git and put it into PATH"}
	}
	text := strings.TrimSpace(string(out))
	m := gitVersion.FindStringSubmatch(text)
	if m == nil {
		return finding{"git", warn, text + ": cannot tell the version", ""}
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	if major < oldestGit[0] || major == oldestGit[0] && minor < oldestGit[1] {
		return finding{"git", fail, text, fmt.Sprintf("install git %d.%d or newer", oldestGit[0], oldestGit[1])}
	}
	return finding{"git", fine, text, ""}
}

// checkStateDir reports whether fleets can be kept: in the folder, or in the
// one that it would be made in.
func checkStateDir(dir string) finding {
	at := dir
	for {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return finding{"state folder", fail, at + " is no folder", "name another with --state-dir"}
		}
		if err == nil {
			break
		}
		at = filepath.Dir(at)
	}
	probe, err := os.CreateTemp(at, ".causeway-doctor-")
	if err != nil {
		return finding{"state folder", fail, table.Short(dir) + ": " + err.Error(), "make it writable, or name another with --state-dir"}
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	return finding{"state folder", fine, table.Short(dir), ""}
}

func checkFleets(dir string) []finding {
	homes, err := local.Homes(dir)
	if err != nil {
		return []finding{{"local fleets", warn, err.Error(), ""}}
	}
	var found []finding
	for _, home := range homes {
		state := "stopped; `causeway up` starts it again with its state"
		if home.Running() {
			state = "running"
		}
		found = append(found, finding{"fleet " + home.Fleet(), fine, state, ""})
	}
	return found
}

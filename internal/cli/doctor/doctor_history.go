package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
)

// checkHistory tells where the history of syncs is, and whether it can be read.
func checkHistory(ctx context.Context, h *target.Hub) []finding {
	const check = "history"
	if h.Fleet != nil {
		return []finding{checkHistoryFile(ctx, filepath.Join(h.Home.Cache(), chronicle.File))}
	}
	ctx, cancel := context.WithTimeout(ctx, target.CheckPatience)
	defer cancel()
	from, err := h.Historian(ctx, "")
	if err != nil {
		return []finding{{check, warn, err.Error(), ""}}
	}
	defer func() { _ = from.Close() }()
	// No Application has this name: the answer is empty, and tells that there is one.
	if _, err := from.List(ctx, h.Namespace, "-", 1); err != nil {
		return []finding{{check, warn, err.Error(), "see the engine's log, and whether it runs with --store off"}}
	}
	return []finding{{check, fine, "the engine answers for it", ""}}
}

func checkHistoryFile(ctx context.Context, path string) finding {
	const check = "history"
	about, err := os.Stat(path)
	if os.IsNotExist(err) {
		return finding{check, warn, "there is none at " + table.Short(path), "it comes with the first sync; with --store off or elsewhere it is not looked for here"}
	}
	if err != nil {
		return finding{check, warn, err.Error(), ""}
	}
	s, err := chronicle.OpenFile(path, filepath.Join(filepath.Dir(path), chronicle.KeyFile))
	if err != nil {
		return finding{check, fail, err.Error(), "its syncs cannot be listed or rolled back to; take the file away to begin a new one"}
	}
	defer func() { _ = s.Close() }()
	version, err := s.Schema(ctx)
	if err != nil {
		return finding{check, fail, err.Error(), "its syncs cannot be listed or rolled back to; take the file away to begin a new one"}
	}
	return finding{check, fine, fmt.Sprintf("%s, %d KiB, tables of version %d", table.Short(path), (about.Size()+1023)>>10, version), ""}
}

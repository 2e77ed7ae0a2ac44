package command

import (
	"strings"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/source/mirror"
)

// Permits reports whether a file may say that a folder stands for an address.
func (n Given) Permits(m source.Mirror) bool {
	if n.top == "" {
		return true
	}
	rel, inside, err := bounded.Within(n.top, m.Path)
	return err == nil && inside && !mirror.Private(rel)
}

// Refusal is the error about mirrors that a file may not name; nil for none.
func (n Given) Refusal(mirrors []string) error {
	if len(mirrors) == 0 {
		return nil
	}
	return gitops.Problemf(gitops.Refused, "cannot use --clusters %s: its spec.mirrors names folders that do not lie in the checkout %s, or that Git or a local fleet keeps for itself: %s",
		n.Path, n.top, strings.Join(mirrors, ", ")).Do("give those that you mean as --mirror URL=PATH; a file of the checkout cannot")
}

package hub

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/causeway-gitops/causeway/internal/policy"
)

// DefaultNamespace is the control namespace where nobody names one.
const DefaultNamespace = "argocd"

// Namespaces are those whose Applications are the concern of an installation.
type Namespaces struct {
	// Control is the namespace of the installation itself.
	Control string
	// Others are names, globs, and regular expressions between slashes.
	Others []string
}

// ReadNamespaces are those that named says, and what argocd-cmd-params-cm says
// where that is nil.
func ReadNamespaces(hub *rest.Config, control string, named []string, log *slog.Logger) (Namespaces, error) {
	var params Params
	if named == nil {
		var err error
		if params, err = ReadParams(context.Background(), hub, control, log); err != nil {
			return Namespaces{Control: control}, err
		}
	}
	return params.Namespaces(control, named)
}

func SplitList(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// checkNamespaces refuses patterns that cannot be read: they would match
// nothing, silently.
func checkNamespaces(patterns []string, where string) error {
	for _, pattern := range patterns {
		if err := policy.CheckNamespacePattern(pattern); err != nil {
			return fmt.Errorf("cannot use %q in %s: %w; write a namespace, a glob, or a regular expression of Go between slashes", pattern, where, err)
		}
	}
	return nil
}

func isRegexp(pattern string) bool {
	return len(pattern) > 1 && strings.HasPrefix(pattern, "/") && strings.HasSuffix(pattern, "/")
}

// Covers reports whether Applications of a namespace are the installation's concern.
func (n Namespaces) Covers(namespace string) bool {
	return namespace == n.Control || policy.NamespaceListed(n.Others, namespace)
}

// Watched are the namespaces whose Applications are read: those that are
// named, or all where a pattern may match any.
func (n Namespaces) Watched() map[string]cache.Config {
	out := map[string]cache.Config{n.Control: {}}
	for _, pattern := range n.Others {
		if isRegexp(pattern) || strings.ContainsAny(pattern, `*?[]{}\!`) {
			return map[string]cache.Config{cache.AllNamespaces: {}}
		}
		out[pattern] = cache.Config{}
	}
	return out
}

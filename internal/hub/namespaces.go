package hub

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/policy"
)

// paramsMap is the ConfigMap of Argo CD with what its programs are started
// with; namespacesKey has the namespaces of Applications.
const (
	ParamsMap     = "argocd-cmd-params-cm"
	NamespacesKey = "application.namespaces"
)

// paramsTime is how long reading them may take.
const paramsTime = 10 * time.Second

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
// where that is nil. It is read once: a change needs a restart, as in Argo CD.
func ReadNamespaces(hub *rest.Config, control string, named []string, log *slog.Logger) (Namespaces, error) {
	out := Namespaces{control, named}
	if named != nil {
		return out, checkNamespaces(named, "--application-namespaces")
	}
	clients, err := kubernetes.NewForConfig(hub)
	if err != nil {
		return out, fmt.Errorf("cannot connect to the hub: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), paramsTime)
	defer cancel()
	cm, err := clients.CoreV1().ConfigMaps(control).Get(ctx, ParamsMap, metav1.GetOptions{})
	switch {
	case apierrors.IsForbidden(err):
		log.WarnContext(ctx, "Applications of other namespaces are not looked for: the ConfigMap that names them may not be read", "configmap", ParamsMap, "error", err)
		return out, nil
	case client.IgnoreNotFound(err) != nil:
		return out, fmt.Errorf("cannot reach the hub: %w", err)
	case err == nil:
		out.Others = SplitList(cm.Data[NamespacesKey])
	}
	return out, checkNamespaces(out.Others, NamespacesKey+" of ConfigMap "+ParamsMap)
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

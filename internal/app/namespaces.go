package app

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/causeway-gitops/causeway/internal/policy"
)

// paramsMap is the ConfigMap of Argo CD with what its programs are started
// with; namespacesKey has the namespaces of Applications.
const (
	paramsMap     = "argocd-cmd-params-cm"
	namespacesKey = "application.namespaces"
)

// withParams adds what argocd-cmd-params-cm says where the configuration says
// nothing. It is read once: a change needs a restart, as in Argo CD.
func withParams(cfg Config) (Config, error) {
	if cfg.ApplicationNamespaces != nil {
		return cfg, checkNamespaces(cfg.ApplicationNamespaces, "--application-namespaces")
	}
	clients, err := kubernetes.NewForConfig(cfg.Hub)
	if err != nil {
		return cfg, fmt.Errorf("cannot connect to the hub: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	cm, err := clients.CoreV1().ConfigMaps(cfg.Namespace).Get(ctx, paramsMap, metav1.GetOptions{})
	switch {
	case apierrors.IsForbidden(err):
		cfg.Log.WarnContext(ctx, "Applications of other namespaces are not looked for: the ConfigMap that names them may not be read", "configmap", paramsMap, "error", err)
		return cfg, nil
	case client.IgnoreNotFound(err) != nil:
		return cfg, fmt.Errorf("cannot reach the hub: %w", err)
	case err == nil:
		cfg.ApplicationNamespaces = splitList(cm.Data[namespacesKey])
	}
	return cfg, checkNamespaces(cfg.ApplicationNamespaces, namespacesKey+" of ConfigMap "+paramsMap)
}

func splitList(text string) []string {
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

// covers reports whether Applications of a namespace are the engine's concern.
func (c *Config) covers(namespace string) bool {
	return namespace == c.Namespace || policy.NamespaceListed(c.ApplicationNamespaces, namespace)
}

// watched are the namespaces whose Applications are read: those that are
// named, or all where a pattern may match any.
func (c *Config) watched() map[string]cache.Config {
	out := map[string]cache.Config{c.Namespace: {}}
	for _, pattern := range c.ApplicationNamespaces {
		if isRegexp(pattern) || strings.ContainsAny(pattern, `*?[]{}\!`) {
			return map[string]cache.Config{cache.AllNamespaces: {}}
		}
		out[pattern] = cache.Config{}
	}
	return out
}

// ours lets through the Applications of the engine's namespaces.
func (e *Engine) ours() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(o client.Object) bool { return e.cfg.covers(o.GetNamespace()) })
}

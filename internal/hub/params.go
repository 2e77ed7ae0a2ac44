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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// ParamsMap is the ConfigMap of Argo CD with what its programs are started
// with; NamespacesKey has the namespaces of Applications.
const (
	ParamsMap     = v1alpha1.ParamsName
	NamespacesKey = "application.namespaces"
)

// paramsTime is how long reading them may take.
const paramsTime = 10 * time.Second

// Params is what argocd-cmd-params-cm says, by its keys.
type Params map[string]string

// ReadParams reads them once: a change needs a restart, as in Argo CD. Where the
// ConfigMap is not there or may not be read, nothing is said.
func ReadParams(ctx context.Context, hub *rest.Config, control string, log *slog.Logger) (Params, error) {
	clients, err := kubernetes.NewForConfig(hub)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to the hub: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, paramsTime)
	defer cancel()
	cm, err := clients.CoreV1().ConfigMaps(control).Get(ctx, ParamsMap, metav1.GetOptions{})
	switch {
	case apierrors.IsForbidden(err):
		log.WarnContext(ctx, "a ConfigMap of the installation may not be read: Applications of other namespaces are looked for only where a flag names these, and git generators match files as Git does", "configmap", ParamsMap, "error", err)
		return nil, nil
	case client.IgnoreNotFound(err) != nil:
		return nil, fmt.Errorf("cannot reach the hub: %w", err)
	case err != nil:
		return nil, nil
	}
	return cm.Data, nil
}

// Namespaces are those that named says, and what the ConfigMap says where that is nil.
func (p Params) Namespaces(control string, named []string) (Namespaces, error) {
	if named != nil {
		return Namespaces{control, named}, checkNamespaces(named, "--application-namespaces")
	}
	others := SplitList(p[NamespacesKey])
	return Namespaces{control, others}, checkNamespaces(others, NamespacesKey+" of ConfigMap "+ParamsMap)
}

// DoublestarFiles reports whether the files of git generators are matched by path globs.
// As in Argo CD, only the word true says so, in whatever case.
func (p Params) DoublestarFiles() bool {
	return strings.EqualFold(p[v1alpha1.ParamDoublestarFiles], "true")
}

package policy

import (
	"fmt"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Acting says as whom syncs write to a destination.
type Acting int

// How an installation has syncs act.
const (
	// ActAsEngine uses the engine's own credentials of the cluster.
	ActAsEngine Acting = iota
	// ActIfNamed uses the account that the project names, else the engine's own.
	ActIfNamed
	// ActAlways writes nothing where the project names no account.
	ActAlways
)

// ParseActing reads the keys of argocd-cm about impersonation. It is off
// unless enabled, and a must unless that is switched off.
func ParseActing(data map[string]string) Acting {
	if data[v1alpha1.SettingImpersonation] != "true" {
		return ActAsEngine
	}
	if data[v1alpha1.SettingImpersonationEnforced] == "false" {
		return ActIfNamed
	}
	return ActAlways
}

// Account is the user that a sync to a target acts as; empty for the engine
// itself. appNamespace is where the Application lives.
func Account(p *v1alpha1.AppProject, t Target, appNamespace string, acting Acting) (string, error) {
	if acting == ActAsEngine {
		return "", nil
	}
	account, err := ServiceAccount(p, t, appNamespace)
	if err != nil || account != "" || acting == ActIfNamed {
		return account, err
	}
	return "", denied("cannot sync: project %q names no service account for namespace %q of cluster %s", p.Name, t.Namespace, nameOf(t)).
		Do("add an entry with server " + t.Server + " to spec.destinationServiceAccounts of the project")
}

// ServiceAccount is the account that a sync acts as; empty when the project
// names none for this destination. appNamespace is where the Application lives.
func ServiceAccount(p *v1alpha1.AppProject, t Target, appNamespace string) (string, error) {
	for i, item := range p.Spec.DestinationServiceAccounts {
		if !serverOf(item.Server).readable() || broken(item.Namespace) {
			return "", denied("cannot sync: spec.destinationServiceAccounts[%d] of project %q has a broken pattern", i, p.Name).Do("correct it: nobody knows whom it was to concern")
		}
		if !isServer(item.Server, t.Server, match) || !match(item.Namespace, t.Namespace, 0) {
			continue
		}
		account := item.DefaultServiceAccount
		if !isAccount(account) {
			return "", denied("cannot act as service account %q of project %q", account, p.Name).
				Do("write [namespace:]name in spec.destinationServiceAccounts of the project")
		}
		if strings.Contains(account, ":") {
			return "system:serviceaccount:" + account, nil
		}
		namespace := t.Namespace
		if namespace == "" {
			namespace = appNamespace
		}
		return fmt.Sprintf("system:serviceaccount:%s:%s", namespace, account), nil
	}
	return "", nil
}

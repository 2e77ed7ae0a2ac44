package policy

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Namespace checks whether Applications of a namespace may use the project.
func Namespace(p *v1alpha1.AppProject, app, control string) error {
	if app == "" || app == control {
		return nil
	}
	for _, pattern := range p.Spec.SourceNamespaces {
		if namespaceMatches(pattern, app) {
			return nil
		}
	}
	return denied("cannot use project %q from namespace %q", p.Name, app).Do("add the namespace to spec.sourceNamespaces of the project")
}

// namespaceMatches takes a glob, or a regular expression between slashes.
func namespaceMatches(pattern, namespace string) bool {
	if len(pattern) > 1 && strings.HasPrefix(pattern, "/") && strings.HasSuffix(pattern, "/") {
		re, err := regexp.Compile(pattern[1 : len(pattern)-1])
		return err == nil && re.MatchString(namespace)
	}
	return match(pattern, namespace, 0)
}

// ServiceAccount is the account that a sync acts as; empty when the project
// names none for this destination. appNamespace is where the Application lives.
func ServiceAccount(p *v1alpha1.AppProject, t Target, appNamespace string) (string, error) {
	for _, item := range p.Spec.DestinationServiceAccounts {
		if !match(item.Server, t.Server, 0) || !match(item.Namespace, t.Namespace, 0) {
			continue
		}
		account := item.DefaultServiceAccount
		if strings.TrimSpace(account) == "" || strings.ContainsAny(account, "!*[]{}\\/") {
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

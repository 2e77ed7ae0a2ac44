package policy

import (
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// Namespace checks whether Applications of a namespace may use the project.
func Namespace(p *v1alpha1.AppProject, app, control string) error {
	if app == "" || app == control {
		return nil
	}
	if NamespaceListed(p.Spec.SourceNamespaces, app) {
		return nil
	}
	return denied("cannot use project %q from namespace %q", p.Name, app).Do("add the namespace to spec.sourceNamespaces of the project")
}

// NamespaceListed tells whether one of the patterns matches: globs, or regular
// expressions between slashes.
func NamespaceListed(patterns []string, namespace string) bool {
	for _, pattern := range patterns {
		if namespaceMatches(pattern, namespace) {
			return true
		}
	}
	return false
}

// namespaceMatches takes a glob, or a regular expression between slashes.
func namespaceMatches(pattern, namespace string) bool {
	if len(pattern) > 1 && strings.HasPrefix(pattern, "/") && strings.HasSuffix(pattern, "/") {
		re, err := regexp.Compile(pattern[1 : len(pattern)-1])
		return err == nil && re.MatchString(namespace)
	}
	return match(pattern, namespace, 0)
}

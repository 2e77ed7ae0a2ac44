package policy

import (
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/glob"
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

// NamespaceListed reports whether one of the patterns matches: globs, or regular
// expressions between slashes.
func NamespaceListed(patterns []string, namespace string) bool {
	for _, pattern := range patterns {
		if namespaceMatches(pattern, namespace) {
			return true
		}
	}
	return false
}

// mostSize bounds an expression: it is held against short texts, but often.
const mostSize = 10_000

// compiledExpressions are nil where nobody can read them.
var compiledExpressions = newMemo(readExpression, func(text string) int {
	size, _ := bounded.Size(text)
	return max(size, len(text))
})

func readExpression(text string) *bounded.Expression {
	re, err := bounded.CompileUpTo(text, mostSize)
	if err != nil {
		return nil
	}
	return re
}

// CheckNamespacePattern tells why a pattern for namespaces cannot be read.
func CheckNamespacePattern(pattern string) error {
	text, is := expression(pattern)
	if !is {
		_, err := glob.Compile(pattern)
		return err
	}
	_, err := bounded.CompileUpTo(text, mostSize)
	return err
}

// namespaceMatches takes a glob, or a regular expression between slashes.
func namespaceMatches(pattern, namespace string) bool {
	text, is := expression(pattern)
	if !is {
		return match(pattern, namespace, 0)
	}
	re := compiledExpressions.of(text)
	return re != nil && re.MatchString(namespace)
}

func namespaceReadable(pattern string) bool {
	text, is := expression(pattern)
	if !is {
		return !broken(pattern)
	}
	return compiledExpressions.of(text) != nil
}

// expression is what is between slashes.
func expression(pattern string) (text string, is bool) {
	if len(pattern) < 2 || !strings.HasPrefix(pattern, "/") || !strings.HasSuffix(pattern, "/") {
		return "", false
	}
	return pattern[1 : len(pattern)-1], true
}

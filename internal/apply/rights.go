package apply

import (
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// missingRight is how an API server tells of a right that is missing.
var missingRight = regexp.MustCompile(`User "([^"]+)" cannot (\S+) resource "([^"]+)"(?: in API group "([^"]*)")?(.*)`)

// accountPrefix begins the user names of service accounts.
const accountPrefix = "system:serviceaccount:"

// forbidden tells missing rights from a policy that says no.
func forbidden(err error) (kind gitops.ProblemKind, fix string) {
	m := missingRight.FindStringSubmatch(err.Error())
	switch {
	case m != nil && m[2] == "impersonate":
		return gitops.Refused, "let " + userName(m[1]) + " impersonate " + m[3] + " in the cluster"
	case m != nil:
		resource := strings.TrimSuffix(m[3]+"."+m[4], ".")
		return gitops.Refused, "give " + userName(m[1]) + " the right to " + m[2] + " " + resource + " in the cluster"
	case strings.Contains(err.Error(), " cannot "):
		return gitops.Refused, "give the engine's account this right in the cluster"
	}
	return gitops.Forbidden, "change the object, or the quota or policy that refuses it"
}

// userName is a user in the words of who grants rights.
func userName(user string) string {
	if account, ok := strings.CutPrefix(user, accountPrefix); ok {
		return "service account " + strings.Replace(account, ":", "/", 1)
	}
	return "user " + user
}

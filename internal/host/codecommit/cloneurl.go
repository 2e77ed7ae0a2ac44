package codecommit

import (
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

const (
	plain = "https://git-codecommit."
	// fips is where Git is served by validated cryptography. Not each region
	// has it. See https://docs.aws.amazon.com/codecommit/latest/userguide/regions.html.
	fips = "https://git-codecommit-fips."
)

// protocols choose a repository's address, of those that AWS names.
var protocols = map[string]func(https, ssh string) (string, error){
	"":           func(_, ssh string) (string, error) { return ssh, nil },
	"ssh":        func(_, ssh string) (string, error) { return ssh, nil },
	"https":      func(https, _ string) (string, error) { return https, nil },
	"https-fips": func(https, _ string) (string, error) { return validated(https) },
}

func validated(https string) (string, error) {
	if strings.HasPrefix(https, fips) {
		return https, nil
	}
	rest, ok := strings.CutPrefix(https, plain)
	if !ok {
		return "", gitops.Problemf(gitops.Invalid, "cannot clone %s by https-fips: the address has another form than CodeCommit's", https).Do("set cloneProtocol to https or ssh")
	}
	return fips + rest, nil
}

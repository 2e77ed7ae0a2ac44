package git

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

// What to do where it is not for who asks that a server is not read.
const (
	unknownHost       = "add the host's key to argocd-ssh-known-hosts-cm, or to the known_hosts of who runs this"
	clientCertificate = "check tlsClientCertData and tlsClientCertKey in the repository Secret: the server may ask for another client certificate"
)

// signs are parts of what git, ssh and curl say, and what they mean. The
// first that is found counts.
var signs = []struct {
	text string
	kind gitops.ProblemKind
	fix  string
}{
	{"Host key verification failed", gitops.Refused, unknownHost},
	{"Load key", gitops.Refused, "check sshPrivateKey in the repository Secret: it is not a private key"}, // the server denies what came then, too
	{"Permission denied (publickey", gitops.Refused, "check sshPrivateKey in the repository Secret"},
	{"Authentication failed", gitops.Refused, "check username and password in the repository Secret"},
	{"could not read Username", gitops.Refused, "check that the repository exists, or add a repository Secret with credentials"},
	{"could not read Password", gitops.Refused, "add a password to the repository Secret"},
	{"returned error: 401", gitops.Refused, "check the credentials in the repository Secret"},
	{"returned error: 403", gitops.Refused, "check what the credentials in the repository Secret may read"},
	{sendingOn, gitops.Refused, "write the address that the server sends on to as the repository's"},
	{"terminal prompts disabled", gitops.Refused, "add a repository Secret with credentials"},
	{"TLS fatal alert", gitops.Refused, clientCertificate}, // GnuTLS does not tell which
	{"alert certificate required", gitops.Refused, clientCertificate},
	{"alert bad certificate", gitops.Refused, clientCertificate},
	{"alert unknown ca", gitops.Refused, clientCertificate},
	{"certificate", gitops.Unreachable, "add the server's certificate to argocd-tls-certs-cm"},
	{"Permission denied", gitops.Refused, "check what the credentials in the repository Secret may read"},
	{"returned error: 404", gitops.NotFound, "check repoURL, and that its credentials may see it"},
	{"Repository not found", gitops.NotFound, "check repoURL, and that its credentials may see it"},
	{"repository '", gitops.NotFound, "check repoURL, and that its credentials may see it"},
	{"does not appear to be a git repository", gitops.NotFound, "check repoURL"},
	{"does not exist", gitops.NotFound, "check repoURL"},
}

// addressed is an address that git names: how a repository is called is no sign.
var addressed = regexp.MustCompile(`'[a-z+]+://[^']*'`)

// errWithheld says that a server answers, and does not give what was asked for.
var errWithheld = errors.New("the server does not give the object")

// withholding are sentences by which git says that. They have spaces in them,
// which no address and no branch that it names beside them has.
var withholding = []string{"not our ref", "unadvertised object", "find remote ref", "not support shallow", "dumb http transport"}

// errStarved says that git, or a program that it started here, had too little memory.
var errStarved = errors.New("git had too little memory")

// hungers reports whether git says so. What a server had too little of is its own.
func hungers(text string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "fatal: ") && (strings.Contains(line, "ut of memory") || strings.Contains(line, "annot allocate memory")) {
			return true
		}
	}
	return false
}

// explain turns a failed call of git into a Problem without secrets.
func explain(err error, what string, cred access.Credential) error {
	var f *failure
	if !errors.As(err, &f) {
		return err
	}
	if errors.Is(f.err, context.Canceled) {
		return context.Canceled
	}
	p := &gitops.Problem{Kind: gitops.Unreachable, Err: f.err}
	said := cred.Redact(tell(f))
	p.What = what + ": " + said
	text := addressed.ReplaceAllString(f.text, "''")
	for _, s := range signs {
		if f.timeout == 0 && strings.Contains(text, s.text) {
			p.Kind, p.Fix = s.kind, s.fix
			break
		}
	}
	if p.Kind == gitops.Refused && p.Fix != unknownHost && p.Fix != clientCertificate {
		p.Err = &access.Refusal{Err: f.err}
	}
	for _, text := range withholding {
		if f.timeout == 0 && strings.Contains(f.text, text) {
			p.Err = errors.Join(errWithheld, p.Err)
		}
	}
	if f.timeout == 0 && hungers(f.text) {
		p.Err = errors.Join(errStarved, p.Err)
	}
	if p.Kind == gitops.Refused && cred.App != nil {
		p.Fix = "check the GitHub App's installation and its permissions"
	}
	return p
}

// unnamed reports whether a server wants to know who asks.
func unnamed(err error) bool {
	var f *failure
	return errors.As(err, &f) && f.timeout == 0 && strings.Contains(f.text, "could not read Username")
}

// tell is the line of git's message that says most to a person.
func tell(f *failure) string {
	if f.timeout > 0 {
		return f.Error()
	}
	best := ""
	for l := range strings.SplitSeq(f.text, "\n") {
		l = strings.TrimSpace(l)
		switch {
		case l == "" || strings.HasPrefix(l, "Please make sure") || strings.HasPrefix(l, "and the repository exists"):
			continue
		case best == "" || (strings.HasPrefix(l, "fatal: ") && !strings.HasPrefix(l, "fatal: Could not read from remote")):
			best = l
		}
	}
	if best == "" {
		return f.err.Error()
	}
	for _, prefix := range []string{"fatal: ", "error: ", "remote: "} {
		best = strings.TrimPrefix(best, prefix)
	}
	return best
}

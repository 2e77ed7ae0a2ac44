package git

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
)

var errExit = errors.New("exit status 128")

// TestWhatServersSay tells by what git, ssh and curl say whose turn it is: the
// operator's, or nobody's but time's.
func TestWhatServersSay(t *testing.T) {
	const at = "fatal: unable to access 'https://git.example.org/"
	for name, tc := range map[string]struct {
		reason, text string
		kind         gitops.ProblemKind
		fix          string
	}{
		"HostKey":      {"an unknown host is the operator's to know", "Host key verification failed.\nfatal: Could not read from remote repository.", gitops.Refused, "argocd-ssh-known-hosts-cm"},
		"NoKey":        {"a key that does not open it", "git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.", gitops.Refused, "check sshPrivateKey"},
		"BadKey":       {"what is no key, though that is denied as well", "Load key \"/x\": error in libcrypto\ngit@h: Permission denied (publickey).", gitops.Refused, "it is not a private key"},
		"Password":     {"a wrong password", "remote: Invalid\nfatal: Authentication failed for 'https://h/r.git/'", gitops.Refused, "username and password"},
		"NoUser":       {"nobody signs in", "fatal: could not read Username for 'https://h': terminal prompts disabled", gitops.Refused, "add a repository Secret"},
		"NoPassword":   {"a user without a password", "fatal: could not read Password for 'https://me@h': terminal prompts disabled", gitops.Refused, "add a password"},
		"Unauthorized": {"the server wants to know", at + "r/': The requested URL returned error: 401", gitops.Refused, "check the credentials"},
		"Forbidden":    {"the server knows and refuses", at + "r/': The requested URL returned error: 403", gitops.Refused, "may read"},
		"SentOn":       {"nobody is followed with a credential", at + "r/': The requested URL returned error: 301", gitops.Refused, "sends on to"},
		"Alert":        {"the server wants another client certificate", at + "r/': OpenSSL: tlsv13 alert certificate required, errno 0", gitops.Refused, "tlsClientCertData"},
		"Authority":    {"whose certificate is not known", at + "r/': SSL certificate problem: unable to get local issuer certificate", gitops.Unreachable, "argocd-tls-certs-cm"},
		"NotFound":     {"what is not there, or is not shown", "remote: Repository not found.\nfatal: repository 'https://h/r.git/' not found", gitops.NotFound, "check repoURL"},
		"NoRepository": {"a folder that is none", "fatal: '/x' does not appear to be a git repository", gitops.NotFound, "check repoURL"},
		"Busy":         {"the server's own trouble passes", at + "r/': The requested URL returned error: 503", gitops.Unreachable, ""},
		"Resolve":      {"so does that of names", at + "r/': Could not resolve host: git.example.org", gitops.Unreachable, ""},
		"Address":      {"whatever the repository is called", at + "ops/certificate-manager.git/': Could not resolve host: git.example.org", gitops.Unreachable, ""},
		"AddressPath":  {"also where that reads like a fault", at + "what%20does not exist/': Failed to connect to git.example.org port 443", gitops.Unreachable, ""},
		"AddressSays":  {"and what is said behind it counts", at + "ops/certificate-manager.git/': The requested URL returned error: 404", gitops.NotFound, "check repoURL"},
	} {
		t.Run(name, func(t *testing.T) {
			err := explain(&failure{err: errExit, text: tc.text}, lookingUp, access.Credential{})
			var p *gitops.Problem
			if !errors.As(err, &p) || p.Kind != tc.kind || !strings.Contains(p.Fix, tc.fix) || tc.fix == "" && p.Fix != "" {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if !strings.HasPrefix(p.What, lookingUp+": ") {
				t.Errorf("it is not said what was done: %s", p.What)
			}
		})
	}
}

// TestRefusalsOfACredential tells those that another credential may mend, so that
// it is not tried again and again, from those of the host or the network.
func TestRefusalsOfACredential(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, text string
		cred         access.Credential
		refusal      bool
		fix          string
	}{
		"Password":    {"a password", "fatal: Authentication failed for 'https://h/'", access.Credential{}, true, "username and password"},
		"App":         {"an app's token", "fatal: Authentication failed for 'https://h/'", access.Credential{App: &access.App{}}, true, "GitHub App"},
		"AppAway":     {"an app whose server is away", "fatal: unable to access 'https://h/': Could not resolve host: h", access.Credential{App: &access.App{}}, false, ""},
		"Host":        {"a host's key is not the credential's", "Host key verification failed.", access.Credential{}, false, "known-hosts"},
		"Certificate": {"nor is what a server thinks of a certificate", "alert unknown ca", access.Credential{}, false, "tlsClientCertData"},
		"Missing":     {"what is not there is refused to nobody", "fatal: repository 'https://h/' not found", access.Credential{}, false, "repoURL"},
	} {
		t.Run(name, func(t *testing.T) {
			err := explain(&failure{err: errExit, text: tc.text}, lookingUp, tc.cred)
			var p *gitops.Problem
			var refusal *access.Refusal
			if !errors.As(err, &p) || errors.As(err, &refusal) != tc.refusal || !strings.Contains(p.Fix, tc.fix) || tc.fix == "" && p.Fix != "" {
				t.Errorf("%s: got %v, a refusal: %t", tc.reason, err, refusal != nil)
			}
			if !errors.Is(err, errExit) {
				t.Errorf("%s: the cause is lost", tc.reason)
			}
		})
	}
}

// TestSecretsOfMessages: git and servers repeat what they were sent.
func TestSecretsOfMessages(t *testing.T) {
	cred := access.Credential{Username: "me", Password: "hunter2hunter2"}
	err := explain(&failure{err: errExit, text: "fatal: unable to access 'https://me:hunter2hunter2@h/': hunter2hunter2 is wrong"}, lookingUp, cred)
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a password is told: %v", err)
	}
}

// TestCallsThatWereGivenUp says of a call that took too long nothing but that, and
// leaves who gave up alone.
func TestCallsThatWereGivenUp(t *testing.T) {
	late := &failure{err: context.DeadlineExceeded, text: "fatal: Authentication failed\nnot our ref\nfatal: Out of memory", timeout: time.Minute}
	err := explain(late, lookingUp, access.Credential{})
	if !gitops.IsProblem(err, gitops.Unreachable) || !strings.Contains(err.Error(), "no answer within 1m0s") || strings.Contains(err.Error(), "Authentication") {
		t.Errorf("what it had said by then counts: %v", err)
	}
	if notOurs(err) || errors.Is(err, errStarved) || unnamed(late) {
		t.Errorf("a server that does not answer says something: %v", err)
	}
	if err := explain(&failure{err: context.Canceled, text: "fatal: Authentication failed"}, lookingUp, access.Credential{}); !errors.Is(err, context.Canceled) || gitops.IsProblem(err, gitops.Refused) {
		t.Errorf("somebody gave up: %v", err)
	}
	known := gitops.Problemf(gitops.Invalid, "known")
	if err := explain(known, lookingUp, access.Credential{}); !errors.Is(err, known) {
		t.Errorf("what is explained already stays so: %v", err)
	}
}

// TestWhatIsToldOfMany has git say more than a person reads.
func TestWhatIsToldOfMany(t *testing.T) {
	for name, tc := range map[string]struct{ reason, text, want string }{
		"Fatal":   {"the line that ends it", "remote: hello\nwarning: x\nfatal: no such thing", "no such thing"},
		"Last":    {"the last one of several", "fatal: first\nfatal: second", "second"},
		"Remote":  {"the server's word, where git adds only that it failed", "ERROR: Repository not found.\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.", "ERROR: Repository not found."},
		"Only":    {"or git's where nobody said more", "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.", "Could not read from remote repository."},
		"Prefix":  {"who says it is not told", "error: RPC failed", "RPC failed"},
		"Server":  {"nor that it is a server", "remote: Not today", "Not today"},
		"Blank":   {"lines without text say nothing", "\n  \n\tfatal: x  \n", "x"},
		"Nothing": {"it ended without a word", "", "exit status 128"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tell(&failure{err: errExit, text: tc.text}); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestMemoryThatRanOut is git's own here, and not what a server had too little of.
func TestMemoryThatRanOut(t *testing.T) {
	for text, want := range map[string]bool{
		"fatal: Out of memory, malloc failed (tried to allocate 1 bytes)": true,
		"remote: x\nfatal: out of memory":                                 true,
		"fatal: mmap failed: Cannot allocate memory":                      true,
		"remote: fatal: Out of memory, malloc failed":                     false,
		"error: out of memory":                                            false,
		"fatal: unable to access 'https://h/': x":                         false,
		"": false,
	} {
		err := explain(&failure{err: errExit, text: text}, lookingUp, access.Credential{})
		if got := errors.Is(err, errStarved); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// TestOutputIsBounded: what git writes of a stranger's repository has no end of its own.
func TestOutputIsBounded(t *testing.T) {
	b := &bounded{limit: 4}
	if _, err := b.Write([]byte("1234")); err != nil {
		t.Errorf("as much as there is room for: %v", err)
	}
	if _, err := b.Write([]byte("5")); err == nil || !strings.Contains(err.Error(), "more than 4 bytes") || b.String() != "1234" {
		t.Errorf("one byte more: %v, %q", err, b.String())
	}
	cut := &bounded{limit: 4, cut: true}
	for _, part := range []string{"12", "345", "6"} {
		if n, err := cut.Write([]byte(part)); err != nil || n != len(part) {
			t.Errorf("%s stops git: %d, %v", part, n, err)
		}
	}
	if cut.String() != "1234" {
		t.Errorf("kept are %q", cut.String())
	}
	s := newStore(t)
	if _, err := s.command.run(t.Context(), "", session{}, nil, "no-such-command"); err == nil || !strings.Contains(err.Error(), "no-such-command") {
		t.Errorf("what git said is not told: %v", err)
	}
}

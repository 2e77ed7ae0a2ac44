package git

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
	"github.com/causeway-gitops/causeway/internal/source/web"
)

// Moved is the cause of an error where a server sends on who signs in. Git
// follows nobody then: what a credential opens is not the server's to say.
type Moved struct {
	// To is the address of the repository that it sends on to, without who asks.
	To string
}

// Error names the address.
func (m *Moved) Error() string { return "its server sends on to " + gitops.PublicAddress(m.To) }

// SentOn is the Problem where nobody follows.
func SentOn(to string) error {
	m := &Moved{to}
	p := gitops.Problemf(gitops.Refused, "%s: %s, and the repository's credential is not sent there", lookingUp, m.Error())
	p.Err = m
	return p.Do("write " + gitops.PublicAddress(to) + " as the repository's address, where it is to be read")
}

// What is asked of a server first, and how its answer is told that sends on.
const (
	question  = "/info/refs?service=git-upload-pack"
	sendingOn = "returned error: 30"
)

// spellings is how often a server may send on to another spelling of one address.
const spellings = 3

// redirected reports whether a server sends on, and git did not follow because
// a credential goes along.
func (r *Remote) redirected(err error, cred access.Credential) bool {
	var f *failure
	return errors.As(err, &f) && f.timeout == 0 && strings.Contains(f.text, sendingOn) && r.held(cred)
}

func (r *Remote) held(cred access.Credential) bool { return holdsBack(r.named(cred)) }

// elsewhere finds out where the server sends on. For another spelling of the same
// address, such as one with .git, that is what is asked from now on; all others
// are an error that has Moved for its cause.
func (r *Remote) elsewhere(ctx context.Context, cred access.Credential, why error) error {
	location, err := r.location(ctx, r.named(cred))
	if err != nil || location == "" {
		return why // as git tells it
	}
	to, ok := strings.CutSuffix(location, question)
	at, err := address.Parse(to)
	if !ok || err != nil || at.Scheme != "http" && at.Scheme != "https" {
		return gitops.Problemf(gitops.Refused, "%s: its server sends on to %s, which is no repository", lookingUp, gitops.PublicAddress(location)).
			Do("check repoURL, and the credentials in the repository Secret")
	}
	if at.Canonical() != r.at.Canonical() {
		return SentOn(at.String())
	}
	at.User, at.Password = r.at.User, r.at.Password
	r.spelled.Store(&at)
	return nil
}

// location asks the server as git does, and follows nobody: it is where the
// answer sends on, without who asks; empty where it does not.
func (r *Remote) location(ctx context.Context, cred access.Credential) (string, error) {
	transport, err := web.Transport(cred)
	if err != nil {
		return "", err
	}
	if t, ok := transport.(*http.Transport); ok && cred.Proxy == "" {
		t.Proxy = egress.ProxiedRequest // as git understands the environment
	}
	client := &http.Client{
		Transport: transport, Timeout: min(r.store.command.timeout, time.Minute),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	plain := r.spelling()
	plain.User, plain.Password = "", ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, plain.String()+question, http.NoBody)
	if err != nil {
		return "", err
	}
	sign(req, cred)
	res, err := client.Do(req)
	if err != nil {
		return "", err
	}
	_ = res.Body.Close() // nothing in it counts
	if res.StatusCode < http.StatusMultipleChoices || res.StatusCode >= http.StatusBadRequest {
		return "", nil
	}
	to, err := res.Location()
	if err != nil {
		return "", err
	}
	to.User, to.Fragment = nil, ""
	return to.String(), nil
}

// sign signs in as git would.
func sign(req *http.Request, cred access.Credential) {
	req.Header.Set("User-Agent", "git/"+web.Agent) // hosts answer programs by their names
	switch {
	case cred.BearerToken != "":
		req.Header.Set("Authorization", "Bearer "+line(cred.BearerToken.Reveal()))
	case cred.Password != "":
		req.SetBasicAuth(line(userOf(cred.Username)), line(cred.Password.Reveal()))
	}
}

// spelling is the address as the server wants it written.
func (r *Remote) spelling() address.Address {
	if at := r.spelled.Load(); at != nil {
		return *at
	}
	return r.at
}

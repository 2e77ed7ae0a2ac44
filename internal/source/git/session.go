package git

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/egress"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// session is how one call of git signs in: by variables and files that only
// the engine's user can read, never by arguments.
type session struct {
	args, env []string
	config    [][2]string
	files     string
	// memory bounds what git and its helpers hold, in bytes each; 0 does not.
	memory int
	// within bounds the time of a call where that is less than the command's; 0 does not.
	within time.Duration
	// guard connects for git where only public hosts may be spoken to; nil where
	// git does so by itself.
	guard *egress.Proxy
}

// helper answers git's question for a password from the environment. It is
// set for one host only. Redirects are not followed where it is, see Moved.
const helper = `!f() { test "$1" = get && printf 'username=%s\npassword=%s\n' "$CAUSEWAY_USERNAME" "$CAUSEWAY_PASSWORD"; }; f`

// open prepares a session; close it to remove its files.
func (c *Command) open(at address.Address, cred access.Credential) (session, error) {
	s := session{}
	if !needsSession(at, cred) {
		return s, nil
	}
	files, err := os.MkdirTemp(c.home, "session-")
	if err != nil {
		return s, fmt.Errorf("cannot write into the cache folder: %w", err)
	}
	s.files = files
	switch at.Scheme {
	case "ssh":
		err = s.ssh(cred)
	case "http", "https":
		err = errors.Join(s.web(at, cred), s.restrict(at, cred, c.dial))
	}
	if err != nil {
		s.close()
		return s, err
	}
	s.env = append(s.env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(s.config)))
	for i, kv := range s.config {
		s.env = append(s.env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, kv[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, kv[1]))
	}
	return s, nil
}

func needsSession(at address.Address, cred access.Credential) bool {
	return at.Scheme == "ssh" || ((at.Scheme == "http" || at.Scheme == "https") && (cred != access.Credential{} || at.Password != ""))
}

func (s *session) close() {
	if s.guard != nil {
		s.guard.Close()
	}
	if s.files != "" {
		_ = os.RemoveAll(s.files) // nothing to be done about a leftover in a 0700 folder
	}
}

func (s *session) set(key, value string) { s.config = append(s.config, [2]string{key, value}) }

func (s *session) file(name, content string) (string, error) {
	path := filepath.Join(s.files, name)
	if !strings.HasSuffix(content, "\n") {
		content += "\n" // ssh refuses a key without a last line end
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return "", fmt.Errorf("cannot write into the cache folder: %w", err)
	}
	return path, nil
}

func (s *session) ssh(cred access.Credential) error {
	command := "ssh -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15"
	if !cred.OwnSSH {
		command += " -F /dev/null"
	}
	if cred.SSHKey != "" {
		key, err := s.file("key", strings.ReplaceAll(cred.SSHKey.Reveal(), "\r\n", "\n"))
		if err != nil {
			return err
		}
		command += " -o IdentitiesOnly=yes -i " + quote(key)
	}
	switch {
	case cred.Insecure:
		command += " -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
	case cred.KnownHosts != "":
		hosts, err := s.file("known_hosts", cred.KnownHosts)
		if err != nil {
			return err
		}
		command += " -o StrictHostKeyChecking=yes -o GlobalKnownHostsFile=/dev/null -o UserKnownHostsFile=" + quote(hosts)
	default:
		command += " -o StrictHostKeyChecking=yes"
	}
	s.env = append(s.env, "GIT_SSH_COMMAND="+command, "GIT_SSH_VARIANT=ssh")
	return nil
}

// quote makes a path one word for the shell that git starts ssh with.
func quote(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

func (s *session) web(at address.Address, cred access.Credential) error {
	host := at.Scheme + "://" + at.Host
	username, password := cred.Username, cred.Password
	if password == "" && at.Password != "" {
		username, password = at.User, access.Secret(at.Password)
	}
	switch {
	case cred.BearerToken != "":
		s.header(host, "Bearer "+cred.BearerToken.Reveal())
	case password != "" && cred.ForceBasic:
		s.header(host, "Basic "+base64.StdEncoding.EncodeToString([]byte(username+":"+password.Reveal())))
	case password != "":
		s.set("credential."+host+".helper", helper)
		s.env = append(s.env, "CAUSEWAY_USERNAME="+line(userOf(username)), "CAUSEWAY_PASSWORD="+line(password.Reveal()))
	}
	if cred.Password = password; holdsBack(cred) {
		// A credential may open more of the host than this repository: where it
		// sends on is not followed with it, see Moved.
		s.set("http."+host+".followRedirects", "false")
	}
	if cred.Proxy != "" {
		s.env = append(s.env, "http_proxy="+cred.Proxy.Reveal(), "https_proxy="+cred.Proxy.Reveal(), "HTTPS_PROXY="+cred.Proxy.Reveal(), "NO_PROXY="+cred.NoProxy, "no_proxy="+cred.NoProxy)
	}
	return s.tls(host, cred)
}

// userOf is who signs in: servers that take a token as password ignore the name,
// but not its absence.
func userOf(username string) string { return cmp.Or(username, "git") }

// holdsBack reports whether a credential goes along over the web, and with it
// nobody is followed.
func holdsBack(cred access.Credential) bool {
	return cred.BearerToken != "" || cred.Password != "" || cred.TLSCert != ""
}

// header sends a header that the server did not ask for.
func (s *session) header(host, value string) {
	s.set("http."+host+".extraHeader", "Authorization: "+line(value))
}

// line drops line ends, which would start another header or answer.
func line(s string) string { return strings.NewReplacer("\r", "", "\n", "").Replace(s) }

func (s *session) tls(host string, cred access.Credential) error {
	if cred.Insecure {
		s.set("http."+host+".sslVerify", "false")
	}
	for _, f := range []struct{ key, name, content string }{
		{"sslCAInfo", "ca", cred.CA},
		{"sslCert", "cert", cred.TLSCert},
		{"sslKey", "tlskey", cred.TLSKey.Reveal()},
	} {
		if f.content == "" {
			continue
		}
		path, err := s.file(f.name, f.content)
		if err != nil {
			return err
		}
		s.set("http."+host+"."+f.key, path)
	}
	return nil
}

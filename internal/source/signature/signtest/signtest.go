// Package signtest makes OpenPGP keys, and signed commits and tags, for tests.
// It needs no gpg program.
package signtest

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// Signer is a person with a key.
type Signer struct {
	Name   string
	entity *openpgp.Entity
	config *packet.Config
	t      testing.TB
}

// New makes a key. It expires after a while, unless that is 0.
func New(t testing.TB, name string, made time.Time, expires time.Duration) *Signer {
	t.Helper()
	config := &packet.Config{
		Algorithm: packet.PubKeyAlgoEdDSA, Time: func() time.Time { return made }, KeyLifetimeSecs: uint32(expires.Seconds()),
	}
	e, err := openpgp.NewEntity(name, "", name+"@example.com", config)
	if err != nil {
		t.Fatal(err)
	}
	return &Signer{Name: name, entity: e, config: config, t: t}
}

// ID of the key.
func (s *Signer) ID() string { return fmt.Sprintf("%016X", s.entity.PrimaryKey.KeyId) }

// Revoke makes the key say that it does not count any more.
func (s *Signer) Revoke() {
	s.t.Helper()
	if err := s.entity.RevokeKey(packet.KeyCompromised, "lost", s.config); err != nil {
		s.t.Fatal(err)
	}
}

// Public is the armored public key.
func (s *Signer) Public() string {
	s.t.Helper()
	var out bytes.Buffer
	w, err := armor.Encode(&out, openpgp.PublicKeyType, nil)
	if err == nil {
		err = s.entity.Serialize(w)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return out.String()
}

func (s *Signer) sign(payload string) string {
	s.t.Helper()
	// A key that was lost signs all the same.
	revocations := s.entity.Revocations
	s.entity.Revocations = nil
	defer func() { s.entity.Revocations = revocations }()
	var out bytes.Buffer
	if err := openpgp.ArmoredDetachSign(&out, s.entity, strings.NewReader(payload), s.config); err != nil {
		s.t.Fatal(err)
	}
	return out.String() + "\n"
}

// Repository is a Git repository in a folder.
type Repository struct {
	Dir string
	t   testing.TB
}

// Init makes a repository with the branch main.
func Init(t testing.TB, dir string) *Repository {
	t.Helper()
	r := &Repository{Dir: dir, t: t}
	r.git("", "init", "--quiet", "--initial-branch=main")
	return r
}

func (r *Repository) git(input string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...) //nolint:noctx // as long as the test
	cmd.Dir, cmd.Stdin = r.Dir, strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Commit commits the work tree to main, signed unless nobody signs.
func (r *Repository) Commit(message string, by *Signer) string {
	r.t.Helper()
	r.git("", "add", "--all")
	head := "tree " + r.git("", "write-tree") + "\n"
	if out, err := exec.Command("git", "-C", r.Dir, "rev-parse", "--verify", "--quiet", "main").Output(); err == nil { //nolint:noctx // as above
		head += "parent " + strings.TrimSpace(string(out)) + "\n"
	}
	head += "author Ann <ann@example.com> 1700000000 +0000\ncommitter Ann <ann@example.com> 1700000000 +0000\n"
	return r.put(head, "\n"+message+"\n", by)
}

// put writes a commit and moves main to it.
func (r *Repository) put(head, body string, by *Signer) string {
	r.t.Helper()
	if by != nil {
		signature := strings.TrimSuffix(by.sign(head+body), "\n")
		head += "gpgsig " + strings.ReplaceAll(strings.TrimSuffix(signature, "\n"), "\n", "\n ") + "\n"
	}
	hash := r.git(head+body, "hash-object", "-t", "commit", "-w", "--stdin")
	r.git("", "update-ref", "refs/heads/main", hash)
	return hash
}

// Forge commits what somebody signed with another message.
func (r *Repository) Forge(message string, by *Signer) string {
	r.t.Helper()
	signed := r.git("", "cat-file", "commit", r.Commit("what was signed", by))
	hash := r.git(strings.Replace(signed+"\n", "what was signed", message, 1), "hash-object", "-t", "commit", "-w", "--stdin")
	r.git("", "update-ref", "refs/heads/main", hash)
	return hash
}

// Tag makes an annotated tag of main, signed unless nobody signs.
func (r *Repository) Tag(name string, by *Signer) {
	r.t.Helper()
	text := "object " + r.git("", "rev-parse", "main") + "\ntype commit\ntag " + name + "\ntagger Bob <bob@example.com> 1700000000 +0000\n\nrelease\n"
	if by != nil {
		text += by.sign(text)
	}
	r.git("", "update-ref", "refs/tags/"+name, r.git(text, "hash-object", "-t", "tag", "-w", "--stdin"))
}

// PlainTag makes a tag that is nothing but a name of main.
func (r *Repository) PlainTag(name string) {
	r.t.Helper()
	r.git("", "tag", name, "main")
}

// Pack writes all refs to one file, with what the tags are of.
func (r *Repository) Pack() {
	r.t.Helper()
	r.git("", "pack-refs", "--all")
}

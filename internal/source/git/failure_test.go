package git

import (
	"errors"
	"testing"

	"github.com/causeway-gitops/causeway/internal/source/access"
)

// TestNotOurs: what a server does not have is told from a server that is away,
// however repositories and branches are called.
func TestNotOurs(t *testing.T) {
	for text, want := range map[string]bool{
		"fatal: remote error: upload-pack: not our ref 1234":                                          true,
		"error: Server does not allow request for unadvertised object 1234":                           true,
		"fatal: couldn't find remote ref 1234":                                                        true,
		"fatal: dumb http transport does not support shallow capabilities":                            true,
		"fatal: unable to access 'https://git.example.org/shallow.git/': Could not resolve host":      false,
		"fatal: unable to access 'https://git.example.org/not%20our%20ref/': Connection refused":      false,
		"fatal: Could not read from remote repository (make-clones-shallow, find-remote-ref).":        false,
		"remote: HTTP Basic: Access denied\nfatal: Authentication failed for 'https://h/shallow.git'": false,
	} {
		err := explain(&failure{err: errors.New("exit status 128"), text: text}, "cannot fetch main-shallow (1234)", access.Credential{})
		if got := notOurs(err); got != want {
			t.Errorf("notOurs(%q) = %v, want %v", text, got, want)
		}
	}
}

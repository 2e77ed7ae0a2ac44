package offline

import (
	"github.com/causeway-gitops/causeway/internal/source"
)

// Credentials are what private repositories are opened with where there
// is no hub; the zero value opens public ones, and none over ssh.
type Credentials struct {
	// Logins uses what the person at this machine is signed in with.
	Logins bool
	// Known are repository Secrets; nil for none.
	Known *source.Credentials
	// Advice is what to do where a server lets nobody in.
	Advice string
}

// options are those of the fetch stage with them.
func (c Credentials) options(o source.Options) source.Options {
	o.Logins, o.NoKeys, o.SignIn = c.Logins, !c.Logins, c.Advice
	if c.Known != nil {
		o.Credentials = c.Known
	}
	return o
}

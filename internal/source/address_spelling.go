package source

import (
	"maps"
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// mostSpellings is in how many ways a project may write what its host may take for
// one repository. Each is read by itself, as hosts may also tell them apart. Many
// teams of a project write some: with a scheme or another, the ending .git or not.
const mostSpellings = 16

// spelling is how an address is written, as far as that is another clone.
type spelling struct {
	// alike is that of all that may be one repository; empty for what is not read
	// from a server.
	alike, written string
}

func spellingOf(at address.Address) spelling {
	if at.Scheme == "file" {
		return spelling{}
	}
	alike := at.Alike()
	if at.Scheme != "ssh" { // where another user has another home
		at.User = ""
	}
	at.Password = ""
	return spelling{alike, at.String()}
}

// respelled refuses one spelling more of what a project reads in many already: hosts
// that ignore case would have a clone for each. It passes when others are not asked
// for any more, so it is tried again. Sets whose project is only known from parameters
// read for none, and share it: what one of them writes is not held against the others.
func (r *Registry) respelled(s spelling, project string) error {
	if s.alike == "" || project == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	others := map[string]bool{}
	for _, p := range r.repos {
		if p.spelling.alike == s.alike && slices.Contains(p.projects(), project) {
			others[p.spelling.written] = true
		}
	}
	if len(others) < mostSpellings || others[s.written] {
		return nil
	}
	// Any of them would do; which one must not be another each time, as what is said is compared.
	one := slices.Max(slices.Collect(maps.Keys(others)))
	return gitops.Problemf(gitops.NotReady, "it is not read: project %q reads what may be this repository by %d other spellings of its address", project, len(others)).
		Do("write it as " + gitops.PublicAddress(one) + ": what nobody asks for any more counts for an hour")
}

package access

import (
	"strings"

	"github.com/causeway-gitops/causeway/internal/source/address"
)

func (c *Credentials) find(at address.Canonical, project string) (Credential, bool) {
	p := c.repositories.Load()
	if p == nil {
		return Credential{}, false
	}
	repository := best(*p, project, func(e entry) bool { return !e.Template && e.exact(at) })
	template := best(*p, project, func(e entry) bool { return e.Template && e.covers(at) })
	switch {
	case repository == nil && template == nil:
		return Credential{}, false
	case repository == nil:
		return template.own(), true
	case template == nil:
		return repository.own(), true
	}
	return repository.inherit(template.own()), true
}

// bestFirst orders repositories and templates so that the first match is the best: the longest
// path first, then by name, so that the order in which Secrets are listed never matters.
func bestFirst(a, b entry) int {
	if n := len(b.at.Path) - len(a.at.Path); n != 0 {
		return n
	}
	return strings.Compare(a.Secret, b.Secret)
}

// best is the first match of the project itself, else the first of all projects.
func best(entries []entry, project string, match func(entry) bool) *entry {
	var common *entry
	for i, e := range entries {
		if (e.Project != "" && e.Project != project) || !match(e) {
			continue
		}
		if e.Project != "" {
			return &entries[i]
		}
		if common == nil {
			common = &entries[i]
		}
	}
	return common
}

func (e entry) exact(at address.Canonical) bool {
	return e.sameHost(at) && e.at.Path == at.Path && e.at.Query == at.Query
}

// covers compares hosts as a whole and paths by their start, so that a
// template for github.com never opens github.com.example.org.
func (e entry) covers(at address.Canonical) bool {
	return e.sameHost(at) && strings.HasPrefix(at.Path+"/", e.path)
}

func (e entry) sameHost(at address.Canonical) bool {
	return kind(e.at.Scheme) == kind(at.Scheme) && e.at.Host == at.Host && e.at.Port == at.Port
}

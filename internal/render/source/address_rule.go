package source

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/glob"
)

// Rule says which addresses value files may be read from.
type Rule struct {
	// Schemes that are allowed.
	Schemes []string
	// Hosts are globs of the hosts that are allowed, in which a star stays
	// within the parts between dots, and two do not; nil allows all public ones.
	Hosts []string
	// Project is who reads.
	Project string
}

// DefaultSchemes are allowed where the installation says nothing.
var DefaultSchemes = []string{"http", "https"}

// Rule is what the installation says of addresses, for a project.
func (s *Settings) Rule(project string) Rule {
	out := Rule{Schemes: s.ValueSchemes, Hosts: s.ValueHosts, Project: project}
	if out.Schemes == nil {
		out.Schemes = DefaultSchemes
	}
	return out
}

// Check reports whether an address is allowed. named says that a host glob
// allows it: only then it may be a private one.
func (r Rule) Check(u *url.URL) (named bool, err error) {
	if !slices.Contains(r.Schemes, strings.ToLower(u.Scheme)) {
		return false, fmt.Errorf("scheme %s is not allowed, %s is", u.Scheme, strings.Join(r.Schemes, " or "))
	}
	host := strings.ToLower(u.Hostname())
	if host == "" {
		return false, errors.New("the address names no host")
	}
	if r.Hosts == nil {
		return false, nil
	}
	for _, pattern := range r.Hosts {
		if g, err := glob.Compile(strings.ToLower(pattern), '.'); err == nil && g.Match(host) {
			return true, nil
		}
	}
	return false, fmt.Errorf("host %s is not among the allowed ones", host)
}

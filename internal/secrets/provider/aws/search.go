package aws

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

const (
	// mostEntries and mostPages bound what is gone through for one search.
	mostEntries = 10_000
	mostPages   = 2_000
)

// search is one for entries.
type search struct {
	path, prefix string
	name         *regexp.Regexp
	tags         map[string]string

	entries, pages int
	token          string
	sum            provider.Sum
	out            map[string][]byte
}

func newSearch(find esv1.Find, prefix string) (*search, error) {
	if find.Name == nil && len(find.Tags) == 0 {
		return nil, errors.New("set find.name or find.tags")
	}
	s := &search{tags: find.Tags, prefix: prefix}
	s.begin()
	if find.Path != nil {
		s.path = *find.Path
	}
	if find.Name != nil {
		var err error
		if s.name, err = regexp.Compile(find.Name.RegExp); err != nil {
			return nil, fmt.Errorf("find.name.regexp: %w", err)
		}
	}
	return s, nil
}

// begin has nothing be found or counted yet.
func (s *search) begin() {
	s.entries, s.pages, s.token, s.sum, s.out = 0, 0, "", provider.Sum{}, map[string][]byte{}
}

// matches reports whether a name is one that is searched for.
func (s *search) matches(name string) (bool, error) {
	if s.entries++; s.entries > mostEntries {
		return false, fmt.Errorf("more than %d entries: set find.path or find.tags", mostEntries)
	}
	return strings.HasPrefix(name, s.prefix) && (s.name == nil || s.name.MatchString(name)), nil
}

// next is the token of the next page; nil when there is none.
func (s *search) next(token *string) (*string, error) {
	if token == nil || *token == "" {
		return nil, nil //nolint:nilnil // no token is what AWS means by it
	}
	if s.pages++; s.pages > mostPages || *token == s.token {
		return nil, errors.New("the list has no end: set find.path or find.tags")
	}
	s.token = *token
	return token, nil
}

func (s *search) found(name string, value []byte) error {
	s.out[name] = value
	return s.sum.Add(len(name) + len(value))
}

package aws

import (
	"strings"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// search is one for entries of a store, which may have a prefix.
type search struct {
	*provider.Search

	prefix string
}

func newSearch(find esv1.Find, prefix string) (*search, error) {
	s, err := provider.NewSearch(find)
	return &search{s, prefix}, err
}

// matches reports whether a name is one that is searched for.
func (s *search) matches(name string) (bool, error) {
	matches, err := s.Matches(name)
	return matches && strings.HasPrefix(name, s.prefix), err
}

// next is the token of the next page; nil when there is none.
func (s *search) next(token *string) (*string, error) {
	if token == nil || *token == "" {
		return nil, nil //nolint:nilnil // no token is what AWS means by it
	}
	return token, s.Next(*token)
}

package provider

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
)

const (
	// mostEntries and mostPages bound what is gone through for one search.
	mostEntries = 10_000
	mostPages   = 2_000
)

// Search is one for entries, in the pages of a list.
type Search struct {
	Path string
	Name *regexp.Regexp
	Tags map[string]string
	// Out is what was found.
	Out map[string][]byte

	entries, pages int
	token          string
	sum            Sum
}

// NewSearch is one for what an ExternalSecret says.
func NewSearch(find esv1.Find) (*Search, error) {
	if find.Name == nil && len(find.Tags) == 0 {
		return nil, errors.New("set find.name or find.tags")
	}
	s := &Search{Tags: find.Tags}
	s.Begin()
	if find.Path != nil {
		s.Path = *find.Path
	}
	if find.Name != nil {
		var err error
		if s.Name, err = regexp.Compile(find.Name.RegExp); err != nil {
			return nil, fmt.Errorf("find.name.regexp: %w", err)
		}
	}
	return s, nil
}

// Begin has nothing be found or counted yet.
func (s *Search) Begin() {
	s.entries, s.pages, s.token, s.sum, s.Out = 0, 0, "", Sum{}, map[string][]byte{}
}

// Matches reports whether a name is one that is searched for.
func (s *Search) Matches(name string) (bool, error) {
	if s.entries++; s.entries > mostEntries {
		return false, fmt.Errorf("more than %d entries: set find.path or find.tags", mostEntries)
	}
	return s.Name == nil || s.Name.MatchString(name), nil
}

// Next is an error when the token of a next page leads nowhere.
func (s *Search) Next(token string) error {
	if s.pages++; s.pages > mostPages || token != "" && token == s.token {
		return errors.New("the list has no end: set find.path or find.tags")
	}
	s.token = token
	return nil
}

// atOnce is how many entries of a search are read at the same time.
const atOnce = 8

// Read reads entries by their names, for servers that give one at a time. What is not
// there any more was not found. It is an error when the time ends before all are read: some
// of what there is would be taken for all.
func (s *Search) Read(whole context.Context, names []string, read func(ctx context.Context, ref Ref) (entry.Entry, error)) error {
	var mu sync.Mutex
	group, ctx := crew.WithContext(whole)
	group.SetLimit(atOnce)
	for _, name := range names {
		if ctx.Err() != nil {
			break // one could not be read, or there is no time left
		}
		group.Go(func() error {
			one, err := read(ctx, Ref{Key: name})
			if errors.Is(err, entry.ErrNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			return s.Found(name, one.Text)
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := whole.Err(); err != nil {
		return fmt.Errorf("the search did not end within the time that there is: %w", err)
	}
	return nil
}

// Found keeps the value of an entry.
func (s *Search) Found(name string, value []byte) error {
	s.Out[name] = value
	return s.sum.Add(len(name) + len(value))
}

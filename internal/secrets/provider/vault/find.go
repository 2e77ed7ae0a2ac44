package vault

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// Bounds of what is gone through for one search.
const (
	mostFolders = 1_000
	mostEntries = 10_000
)

// Find goes through the folders below a path, or all, and takes the entries whose
// path matches, or whose custom metadata are these.
func (p *Provider) Find(ctx context.Context, find esv1.Find) (map[string][]byte, error) {
	if !p.second() {
		return nil, errors.New("a KV engine of version 1 cannot be searched: use version v2, or extract")
	}
	if p.config.Path == "" {
		return nil, errors.New("a search needs the path of the KV engine: set spec.provider.vault.path")
	}
	if (find.Name == nil) == (len(find.Tags) == 0) {
		return nil, errors.New("set find.name or find.tags")
	}
	s := search{p: p, find: find, out: map[string][]byte{}}
	if find.Name != nil {
		var err error
		if s.name, err = regexp.Compile(find.Name.RegExp); err != nil {
			return nil, fmt.Errorf("find.name.regexp: %w", err)
		}
	}
	from := ""
	if find.Path != nil && strings.Trim(*find.Path, "/") != "" {
		from = strings.Trim(*find.Path, "/") + "/"
	}
	return s.out, s.folder(ctx, from)
}

type search struct {
	p                *Provider
	find             esv1.Find
	name             *regexp.Regexp
	out              map[string][]byte
	folders, entries int
	sum              provider.Sum
}

// folder goes through a folder and those in it.
func (s *search) folder(ctx context.Context, path string) error {
	if s.folders++; s.folders > mostFolders {
		return fmt.Errorf("more than %d folders: set find.path", mostFolders)
	}
	names, err := s.p.list(ctx, path)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "/") {
			err = s.folder(ctx, path+name)
		} else {
			err = s.entry(ctx, path+name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *search) entry(ctx context.Context, key string) error {
	if s.entries++; s.entries > mostEntries {
		return fmt.Errorf("more than %d entries: set find.path", mostEntries)
	}
	if s.name != nil && !s.name.MatchString(key) {
		return nil
	}
	tagged, err := s.tagged(ctx, key)
	if err != nil || !tagged {
		return err
	}
	one, err := s.p.entry(ctx, s.p.at(s.p.config.Path, "data", key), "")
	if errors.Is(err, entry.ErrNotFound) {
		return nil // its latest version is deleted
	}
	if err != nil {
		return err
	}
	s.out[key] = one.Text
	return s.sum.Add(len(key) + len(one.Text))
}

func (s *search) tagged(ctx context.Context, key string) (bool, error) {
	if len(s.find.Tags) == 0 {
		return true, nil
	}
	data, err := s.p.get(ctx, s.p.at(s.p.config.Path, "metadata", key), nil)
	if errors.Is(err, entry.ErrNotFound) {
		return false, nil // it went since its folder was listed
	}
	if err != nil {
		return false, err
	}
	custom, _ := data["custom_metadata"].(map[string]any)
	for tag, want := range s.find.Tags {
		if has, _ := custom[tag].(string); has != want {
			return false, nil
		}
	}
	return true, nil
}

// list are the names in a folder; those of folders end with a slash.
func (p *Provider) list(ctx context.Context, path string) ([]string, error) {
	at := p.at(p.config.Path, "metadata", path)
	data, err := p.get(ctx, at, url.Values{"list": {"true"}})
	if errors.Is(err, entry.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	keys, ok := data["keys"].([]any)
	if !ok {
		return nil, fmt.Errorf("cannot list %s: the answer has no keys", at)
	}
	names := make([]string, 0, len(keys))
	for _, key := range keys {
		name, ok := key.(string)
		if !ok || strings.Trim(name, "/.") == "" {
			return nil, fmt.Errorf("cannot list %s: the answer has a key that is none", at)
		}
		names = append(names, name)
	}
	return names, nil
}

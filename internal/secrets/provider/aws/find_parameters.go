package aws

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
)

// What Parameter Store gives at a time.
const (
	perDescription = 50
	perRead        = 10
)

// Find takes the parameters below a path whose name matches, or which have these tags,
// or both.
func (p *parameters) Find(ctx context.Context, find esv1.Find) (map[string][]byte, error) {
	s, err := newSearch(find, p.config.Prefix)
	if err != nil {
		return nil, err
	}
	if len(s.Tags) == 0 {
		err = p.below(ctx, s)
		if !lacksRight(err) {
			return s.Out, err
		}
	}
	names, err := p.describe(ctx, s)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(names, perRead) {
		left, err := p.some(ctx, s, some)
		if err != nil {
			return nil, err
		}
		for _, name := range left {
			if err := p.single(ctx, s, name); err != nil {
				return nil, err
			}
		}
	}
	return s.Out, nil
}

// folder is where a search begins; empty for one of all parameters. The prefix of a store
// may end within a name, and a role often may read no more than what is below it.
func (s *search) folder() string {
	if s.Path != "" || !strings.HasPrefix(s.prefix, "/") {
		return s.Path
	}
	return s.prefix[:strings.LastIndex(s.prefix, "/")]
}

// below reads all parameters below a path, page by page.
func (p *parameters) below(ctx context.Context, s *search) error {
	path, most := cmp.Or(s.folder(), "/"), int32(perRead)
	in := &ssm.GetParametersByPathInput{Path: &path, Recursive: &decrypted, WithDecryption: &decrypted, MaxResults: &most}
	for {
		out, err := ask(ctx, p.asker, "read the parameters below "+path, func(ctx context.Context) (*ssm.GetParametersByPathOutput, error) {
			return p.client.GetParametersByPath(ctx, in)
		})
		if err != nil {
			return err
		}
		if out.Parameters == nil {
			return fmt.Errorf("cannot read the parameters below %s: the answer has no Parameters", path)
		}
		if err := s.take(out.Parameters); err != nil {
			return err
		}
		if in.NextToken, err = s.next(out.NextToken); err != nil || in.NextToken == nil {
			return err
		}
	}
}

func (s *search) take(all []types.Parameter) error {
	for _, one := range all {
		name := text(one.Name)
		matches, err := s.matches(name)
		if err != nil {
			return err
		}
		if !matches {
			continue
		}
		if err := s.foundParameter(one); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) foundParameter(one types.Parameter) error {
	name := text(one.Name)
	if one.Value == nil {
		return fmt.Errorf("cannot read parameter %s: the answer has no value", name)
	}
	return s.Found(name, []byte(*one.Value))
}

// describe are the names of all that match: with tags, or where the values below a path
// may not be read.
func (p *parameters) describe(ctx context.Context, s *search) (names []string, err error) {
	s.Begin() // what was read below a path until that was refused does not count
	most := int32(perDescription)
	in := &ssm.DescribeParametersInput{MaxResults: &most}
	if folder := s.folder(); folder != "" {
		in.ParameterFilters = append(in.ParameterFilters, filter("Path", "Recursive", folder))
	}
	for _, key := range slices.Sorted(maps.Keys(s.Tags)) {
		in.ParameterFilters = append(in.ParameterFilters, filter("tag:"+key, "Equals", s.Tags[key]))
	}
	for {
		out, err := ask(ctx, p.asker, "list parameters", func(ctx context.Context) (*ssm.DescribeParametersOutput, error) {
			return p.client.DescribeParameters(ctx, in)
		})
		if err != nil {
			return nil, err
		}
		if out.Parameters == nil {
			return nil, errors.New("cannot list parameters: the answer has no Parameters")
		}
		for _, one := range out.Parameters {
			matches, err := s.matches(text(one.Name))
			if err != nil {
				return nil, err
			}
			if matches {
				names = append(names, text(one.Name))
			}
		}
		if in.NextToken, err = s.next(out.NextToken); err != nil || in.NextToken == nil {
			return names, err
		}
	}
}

func filter(key, option, value string) types.ParameterStringFilter {
	return types.ParameterStringFilter{Key: &key, Option: &option, Values: []string{value}}
}

// some reads parameters at a time, and returns those that it was given no value of. AWS
// calls these invalid, and does not say why.
func (p *parameters) some(ctx context.Context, s *search, names []string) (left []string, err error) {
	out, err := ask(ctx, p.asker, "read parameters", func(ctx context.Context) (*ssm.GetParametersOutput, error) {
		return p.client.GetParameters(ctx, &ssm.GetParametersInput{Names: names, WithDecryption: &decrypted})
	})
	if err != nil {
		return nil, err
	}
	left = slices.Clone(names)
	for _, one := range out.Parameters {
		at := slices.Index(left, text(one.Name))
		if at < 0 {
			continue
		}
		if err := s.foundParameter(one); err != nil {
			return nil, err
		}
		left = slices.Delete(left, at, at+1)
	}
	return left, nil
}

func (p *parameters) single(ctx context.Context, s *search, name string) error {
	one, err := p.one(ctx, name)
	if errors.Is(err, entry.ErrNotFound) {
		return nil // it went since it was listed
	}
	if err != nil {
		return err
	}
	return s.Found(name, []byte(*one.Value))
}

package aws

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
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
	if len(s.tags) == 0 {
		err = p.below(ctx, s)
		if code(err) != accessDenied {
			return s.out, err
		}
	}
	names, err := p.describe(ctx, s)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(names, perRead) {
		if err := p.some(ctx, s, some); err != nil {
			return nil, err
		}
	}
	return s.out, nil
}

// below reads all parameters below a path, page by page.
func (p *parameters) below(ctx context.Context, s *search) error {
	path, most := cmp.Or(s.path, "/"), int32(perRead)
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
		if one.Value == nil {
			return fmt.Errorf("cannot read parameter %s: the answer has no value", name)
		}
		if err := s.found(name, []byte(*one.Value)); err != nil {
			return err
		}
	}
	return nil
}

// describe are the names of all that match: with tags, or where the values below a path
// may not be read.
func (p *parameters) describe(ctx context.Context, s *search) (names []string, err error) {
	s.token, s.entries, s.out = "", 0, map[string][]byte{}
	most := int32(perDescription)
	in := &ssm.DescribeParametersInput{MaxResults: &most}
	if s.path != "" {
		in.ParameterFilters = append(in.ParameterFilters, filter("Path", "Recursive", s.path))
	}
	for _, key := range slices.Sorted(maps.Keys(s.tags)) {
		in.ParameterFilters = append(in.ParameterFilters, filter("tag:"+key, "Equals", s.tags[key]))
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

// some reads parameters at a time. Those that are not there went since they were listed.
func (p *parameters) some(ctx context.Context, s *search, names []string) error {
	out, err := ask(ctx, p.asker, "read parameters", func(ctx context.Context) (*ssm.GetParametersOutput, error) {
		return p.client.GetParameters(ctx, &ssm.GetParametersInput{Names: names, WithDecryption: &decrypted})
	})
	if err != nil {
		return err
	}
	if told := len(out.Parameters) + len(out.InvalidParameters); told < len(names) {
		return fmt.Errorf("cannot read parameters: the answer has %d of %d", told, len(names))
	}
	return s.take(out.Parameters)
}

package azure

import (
	"context"
	"errors"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/security/keyvault/azsecrets"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
)

// Find takes the secrets whose name begins with a path, matches, and which have these
// tags. What is disabled is not there, as with External Secrets.
func (v *Vault) Find(ctx context.Context, find esv1.Find) (map[string][]byte, error) {
	s, err := provider.NewSearch(find)
	if err != nil {
		return nil, err
	}
	all, err := v.list(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := s.Read(ctx, all, v.Read); err != nil {
		return nil, err
	}
	return s.Out, nil
}

func (v *Vault) list(ctx context.Context, s *provider.Search) (all []string, err error) {
	for pages := v.secrets.NewListSecretPropertiesPager(nil); pages.More(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, explain(ctx, &v.known, "list secrets", err)
		}
		if page.Value == nil {
			return nil, errors.New("cannot list secrets: the answer has no value")
		}
		for _, one := range page.Value {
			if one == nil {
				continue
			}
			name, _ := partsOf((*string)(one.ID))
			if !names.MatchString(name) {
				return nil, errors.New("cannot list secrets: the answer has one without a name")
			}
			matches, err := s.Matches(name)
			if err != nil {
				return nil, err
			}
			if matches && strings.HasPrefix(name, s.Path) && enabled(one) && tagged(one.Tags, s.Tags) {
				all = append(all, name)
			}
		}
		if page.NextLink != nil {
			if err := s.Next(*page.NextLink); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

func enabled(one *azsecrets.SecretProperties) bool {
	return one.Attributes == nil || one.Attributes.Enabled == nil || *one.Attributes.Enabled
}

func tagged(has map[string]*string, want map[string]string) bool {
	for key, value := range want {
		if got := has[key]; got == nil || *got != value {
			return false
		}
	}
	return true
}

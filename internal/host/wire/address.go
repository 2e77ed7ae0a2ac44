package wire

import (
	"net/url"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Address is an API's address, taken apart. It must be http or https and hold
// neither name, password, query nor fragment: what follows would be read as
// another host, or would be sent along with every request.
func Address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	bad := err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != ""
	if bad {
		return nil, gitops.Problemf(gitops.Invalid, "the api address of the Git host is no plain http address").Do(`write api like "https://git.example.com"`)
	}
	return u, nil
}

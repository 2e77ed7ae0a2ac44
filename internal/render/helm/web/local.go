package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/source"
)

// Local has files of the web on this machine, for projects. One that it lacks is
// fs.ErrNotExist.
type Local interface {
	File(ctx context.Context, address, project string) ([]byte, error)
}

// Behind asks Local first and the web for what that lacks; without a web, nothing is fetched. The rule holds for both.
type Behind struct {
	Local Local
	Web   helm.Files
}

var _ helm.Files = Behind{}

// File implements helm.Files.
func (b Behind) File(ctx context.Context, address string, rule source.Rule) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read a file from elsewhere: its address is broken").Do("correct the address")
	}
	if _, err := rule.Check(u); err != nil {
		return nil, refusal(u, err)
	}
	text, err := b.Local.File(ctx, address, rule.Project)
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	if b.Web != nil {
		return b.Web.File(ctx, address, rule)
	}
	p := gitops.Problemf(gitops.NotMirrored, "%s is not mirrored, and nothing may be fetched", shown(u))
	return nil, p.Do(fmt.Sprintf("mirror it: --mirror %s=FOLDER with the file in it", parent(u)))
}

// parent is the address of what holds a file.
func parent(u *url.URL) string {
	p := u.JoinPath("..")
	p.RawQuery, p.User, p.Fragment, p.RawFragment = "", nil, "", ""
	return p.String()
}

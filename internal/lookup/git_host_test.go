package lookup

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http/httptest"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// gitHost is a Git host whose pull requests a test changes.
type gitHost struct {
	pulls []gitops.PullRequest
	err   error
	asked int
}

func (h *gitHost) Forge(context.Context, string, *v1alpha1.SCMProviderGenerator) (generate.Forge, error) {
	return nil, errors.New("no forge here")
}

func (h *gitHost) Reviews(context.Context, string, *v1alpha1.PullRequestGenerator) (generate.Reviews, error) {
	return h, nil
}

func (h *gitHost) PullRequests(context.Context) ([]gitops.PullRequest, error) {
	h.asked++
	return h.pulls, h.err
}

func (h *gitHost) now(err error, pulls ...gitops.PullRequest) { h.pulls, h.err = pulls, err }

func pull(number int64, sha string) gitops.PullRequest {
	return gitops.PullRequest{Number: number, Branch: "feature", TargetBranch: "main", HeadSHA: strings.Repeat(sha, 40)}
}

// certificateOf is the certificate of a server in PEM form.
func certificateOf(s *httptest.Server) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
}

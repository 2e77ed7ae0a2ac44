package argocd

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/reach"
)

// byAddress has the rights to one address.
type byAddress struct {
	*world

	address string
}

func (b byAddress) Permit(_ context.Context, _ *auth.User, a reach.Access) error {
	if a.Name != b.address {
		return gitops.Problemf(gitops.Forbidden, "%s may not be read", a.Name)
	}
	return nil
}

// Two repositories may have one address that is shown: rights are to the one that
// is written, and that one is shown to nobody.
func TestRepositoriesAreJudgedAsTheyAreWritten(t *testing.T) {
	const shown, one, other = "https://git.example.com/r", "https://git.example.com/r?token=one", "https://git.example.com/r?token=other"
	all := []Repository{{Repo: shown, Name: "one", Written: one}, {Repo: shown, Name: "other", Written: other}}
	for address, want := range map[string]string{one: "one", other: "other", shown: ""} {
		w := newWorld()
		s := &server{reach: reach.New(byAddress{w, address}, w.index, nil)}
		s.Repositories = func() []Repository { return all }
		r, err := http.NewRequestWithContext(auth.With(t.Context(), &auth.User{Name: "reader"}), http.MethodGet, Prefix+"/v1/repositories", nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.mayRepositories(&call{Request: r})
		if err != nil {
			t.Fatal(err)
		}
		var names strings.Builder
		for _, r := range got {
			names.WriteString(r.Name)
		}
		if names.String() != want {
			t.Errorf("by the right to %s one reads %q, want %q", address, names.String(), want)
		}
	}
}

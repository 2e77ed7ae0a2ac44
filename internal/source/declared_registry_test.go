package source

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// closedFolder is the rule of a project that denies the repositories in one folder of a registry.
type closedFolder string

var errClosed = errors.New("the project denies it")

func (c closedFolder) of(context.Context, string) (Rule, error) { return c, nil }

func (closedFolder) Permits(string) (bool, error) { return true, nil }

func (c closedFolder) Admits(ref gitops.SourceRef) (bool, error) {
	if strings.HasPrefix(ref.RepoURL, "oci://") && strings.Contains(ref.RepoURL+"/"+ref.Chart, string(c)) {
		return false, errClosed
	}
	return true, nil
}

func (c closedFolder) Key() string { return string(c) }

// TestDeclaredRegistryIsHeldAgainstDenies has an address of the web that only its
// Secret says to be a registry: what the project denies there is not read.
func TestDeclaredRegistryIsHeldAgainstDenies(t *testing.T) {
	s := newOCIServer(t)
	for _, name := range []string{"blue/shop", "red/shop"} {
		s.push(t, name, "1.0.0", chartType, packed(t, "shop", "1.0.0"))
	}
	r := newRegistry(t, Options{Credentials: known(Credential{Type: "helm", EnableOCI: true, PlainHTTP: true}), Permits: closedFolder("/blue/").of})
	read := func(folder, chart string) error {
		_, err := r.Snapshot(t.Context(), gitops.SourceRef{RepoURL: "https://" + s.host + folder, Chart: chart, Revision: "1.0.0"})
		return err
	}
	if err := errors.Join(read("/red", "shop"), read("", "red/shop")); err != nil {
		t.Fatalf("what is not denied is not read: %v", err)
	}
	for _, err := range []error{read("/blue", "shop"), read("", "blue/shop")} {
		if !errors.Is(err, errClosed) {
			t.Errorf("it is read although it is denied: %v", err)
		}
	}
}

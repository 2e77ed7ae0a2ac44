package lookup

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestRememberedAnswersAreBounded has hosts say much: what there is no room for is
// used, and asked again; what is forgotten makes room.
func TestRememberedAnswersAreBounded(t *testing.T) {
	now := time.Unix(0, 0)
	h := NewHosts(nil, wake.FloodPause)
	h.now = func() time.Time { return now }
	of := func(key string) *answers { return h.answers(t.Context(), key, nil, generate.Reads{}) }
	asked := 0
	ask := func(a *answers, key string, bytes int) {
		t.Helper()
		got, err := remember(a, key, func() (string, error) {
			asked++
			return strings.Repeat("a", bytes), nil
		})
		if err != nil || len(got) != bytes {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	}
	twice := func(a *answers, key string, bytes int) bool {
		t.Helper()
		asked = 0
		ask(a, key, bytes)
		ask(a, key, bytes)
		return asked == 1
	}
	if twice(of("large"), "", mostOfAnswer+1) {
		t.Error("one that takes more than a quarter is remembered")
	}
	first := of("first")
	for i := range 9 {
		ask(first, strconv.Itoa(i), mostOfAnswer/2)
	}
	if held := h.room.held.Load(); held > mostRemembered || held < mostRemembered/2 {
		t.Errorf("%d bytes are held", held)
	}
	if twice(of("second"), "", mostOfAnswer) {
		t.Error("there is no room, and it is remembered")
	}

	// What was asked is held as long as the answers are.
	asking := func(keys ...string) (bytes int64) {
		for _, key := range keys {
			bytes += 2*int64(len(key)) + perAnswer
		}
		return bytes
	}
	first.wanted = true
	renewed := of("first")
	if renewed == first || h.room.held.Load() != asking("large", "first", "second") {
		t.Errorf("%d bytes of old answers are not given back", h.room.held.Load())
	}
	if ask(first, "late", 1); h.room.held.Load() != asking("large", "first", "second") {
		t.Error("what is forgotten remembers")
	}
	if !twice(renewed, "", mostOfAnswer/2) {
		t.Error("there is room, and it is not remembered")
	}
	now = now.Add(usual)
	of("third")
	if held := h.room.held.Load(); held != asking("third") {
		t.Errorf("%d bytes of answers that are too old are not given back", held)
	}
	if of(strings.Repeat("a", mostRemembered)); len(h.known) != 1 {
		t.Error("what there is no room for is remembered to be asked")
	}
}

// forgeWithoutAddresses has two repositories, of which one has a path.
type forgeWithoutAddresses struct{ generate.Hosts }

func (f forgeWithoutAddresses) Forge(context.Context, string, *v1alpha1.SCMProviderGenerator) (generate.Forge, error) {
	return f, nil
}

func (forgeWithoutAddresses) Repositories(context.Context) ([]gitops.HostRepository, error) {
	return []gitops.HostRepository{{Repository: "blue", Branch: "main"}, {Repository: "red", Branch: "main"}}, nil
}

func (forgeWithoutAddresses) Branches(_ context.Context, r gitops.HostRepository) ([]gitops.HostRepository, error) {
	return []gitops.HostRepository{r}, nil
}

func (forgeWithoutAddresses) HasPath(_ context.Context, r gitops.HostRepository, _ string) (bool, error) {
	return r.Repository == "red", nil
}

// TestAnswersAreOfARepository: one without an address has the branches and files of
// no other.
func TestAnswersAreOfARepository(t *testing.T) {
	forge, err := NewHosts(forgeWithoutAddresses{}, time.Second).Forge(t.Context(), "argocd", &v1alpha1.SCMProviderGenerator{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := forge.Repositories(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	for _, r := range all {
		branches, err := forge.Branches(t.Context(), r)
		if err != nil || len(branches) != 1 || branches[0].Repository != r.Repository {
			t.Errorf("%s has the branches %v, %v", r.Repository, branches, err)
		}
		if has, err := forge.HasPath(t.Context(), r, "deploy"); err != nil || has != (r.Repository == "red") {
			t.Errorf("%s has the path: %t, %v", r.Repository, has, err)
		}
	}
}

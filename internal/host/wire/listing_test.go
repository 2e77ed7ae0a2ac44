package wire

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// said is what a host says of a repository.
type said struct{ Name, URL, Description string }

// large has pages without end whose texts share one place here, as they would not
// from a host.
func large() func(int) ([]said, int, error) {
	text := strings.Repeat("a", 1<<20)
	return func(page int) ([]said, int, error) { return []said{{Description: text}}, page + 1, nil }
}

func kindOf(err error) gitops.ProblemKind {
	var p *gitops.Problem
	if errors.As(err, &p) {
		return p.Kind
	}
	return -1
}

func TestListingsAreBounded(t *testing.T) {
	pages := 0
	endless := large()
	got, err := Pages("the organisation", 1, func(page int) ([]said, int, error) {
		pages++
		return endless(page)
	})
	if kindOf(err) != gitops.Invalid || got != nil || pages > mostOfListing>>20 || !strings.Contains(err.Error(), "the organisation") || !strings.Contains(err.Error(), "128 MiB") {
		t.Errorf("%d entries after %d pages, %v", len(got), pages, err)
	}
	text := strings.Repeat("a", 1<<20)
	_, err = Map(t.Context(), "the organisation", make([]int, 200), func(context.Context, int) (said, bool, error) { return said{Name: text}, true, nil })
	if kindOf(err) != gitops.Invalid {
		t.Errorf("what is asked of each entry counts as well: %v", err)
	}
	if held := underWay.Load(); held != 0 {
		t.Errorf("%d bytes are not given back", held)
	}
}

// TestListingsShareTheirRoom has a listing come while others hold all: it is tried
// again, and then there is room.
func TestListingsShareTheirRoom(t *testing.T) {
	others := &listing{}
	others.held.Add(mostUnderWay)
	underWay.Add(mostUnderWay)
	few := func(int) ([]said, int, error) { return []said{{Name: "web"}}, 0, nil }
	_, err := Pages("it", 1, few)
	if kindOf(err) != gitops.NotReady || !strings.Contains(err.Error(), "tried again") {
		t.Errorf("there is no room: %v", err)
	}
	others.end()
	if got, err := Pages("it", 1, few); err != nil || len(got) != 1 {
		t.Errorf("there is room: %v, %v", got, err)
	}
	if held := underWay.Load(); held != 0 {
		t.Errorf("%d bytes are not given back", held)
	}
}

func TestListingsThatFailHoldNothing(t *testing.T) {
	for name, second := range map[string]func() error{
		"Error": func() error { return errors.New("not JSON") },
		"Panic": func() error { panic("null") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				_ = recover()
				if held := underWay.Load(); held != 0 {
					t.Errorf("%d bytes are not given back", held)
				}
			}()
			got, err := Pages("it", 1, func(page int) ([]said, int, error) {
				if page > 1 {
					return nil, 0, second()
				}
				return []said{{Name: "web"}}, 2, nil
			})
			if err == nil {
				t.Errorf("got %v", got)
			}
		})
	}
}

// TestLargeOrganisationsAreListed: a host says much of each repository, and little of
// that is kept.
func TestLargeOrganisationsAreListed(t *testing.T) {
	const pages, each = 200, 100
	entries := make([]said, each)
	for i := range entries {
		entries[i] = said{Name: "repository", URL: strings.Repeat("a", 100), Description: strings.Repeat("b", 20<<10)}
	}
	got, err := Pages("it", 1, func(page int) ([]gitops.HostRepository, int, error) {
		kept, err := Convert(entries, func(s said) (gitops.HostRepository, bool, error) {
			return gitops.HostRepository{Repository: s.Name, URL: s.URL}, true, nil
		})
		return kept, (page + 1) % (pages + 1), err
	})
	if err != nil || len(got) != pages*each {
		t.Errorf("%d repositories, %v", len(got), err)
	}
}

func TestConvert(t *testing.T) {
	got, err := Convert([]int{1, 2, 3}, func(i int) (string, bool, error) { return strings.Repeat("a", i), i != 2, nil })
	if err != nil || strings.Join(got, " ") != "a aaa" {
		t.Errorf("%v, %v", got, err)
	}
	broken := errors.New("broken")
	if got, err := Convert([]int{1}, func(int) (int, bool, error) { return 0, true, broken }); !errors.Is(err, broken) || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}

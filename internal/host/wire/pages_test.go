package wire_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/host/wire"
)

func TestPages(t *testing.T) {
	pages := map[string][]int{"": {1, 2}, "b": {3}, "c": {}}
	next := map[string]string{"": "b", "b": "c"}
	got, err := wire.Pages("it", "start", func(p string) ([]int, string, error) {
		if p == "start" {
			p = ""
		}
		return pages[p], next[p], nil
	})
	if diff := cmp.Diff([]int{1, 2, 3}, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s, %v", diff, err)
	}
	for name, read := range map[string]func(int) ([]int, int, error){
		"endless": func(p int) ([]int, int, error) { return nil, p + 1, nil },
		"itself":  func(p int) ([]int, int, error) { return nil, p, nil },
		"error":   func(int) ([]int, int, error) { return []int{1}, 0, errors.New("not JSON") },
	} {
		var p *gitops.Problem
		if got, err := wire.Pages("it", 1, read); !errors.As(err, &p) || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestConvert(t *testing.T) {
	one, two := 1, 2
	double := func(i *int) (int, bool, error) { return *i * 2, *i > 1, nil }
	if got, err := wire.Convert([]*int{&one, &two}, double); len(got) != 1 || got[0] != 4 || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := wire.Convert([]*int{&two, nil}, double); err == nil {
		t.Errorf("of a null: %v", got)
	}
}

func TestMap(t *testing.T) {
	all := make([]int, 50)
	for i := range all {
		all[i] = i
	}
	got, err := wire.Map(t.Context(), "it", all, func(_ context.Context, i int) (int, bool, error) { return i * 2, i%10 == 3, nil })
	if diff := cmp.Diff([]int{6, 26, 46, 66, 86}, got); diff != "" || err != nil {
		t.Errorf("order is kept (-want +got):\n%s, %v", diff, err)
	}
	broken := errors.New("broken")
	if _, err := wire.Map(t.Context(), "it", all, func(context.Context, int) (int, bool, error) { return 0, true, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestExplain(t *testing.T) {
	if wire.Explain("it", nil) != nil {
		t.Error("no error stays none")
	}
	if err := wire.Explain("it", context.Canceled); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var p *gitops.Problem
	if err := wire.Explain("it", context.DeadlineExceeded); !errors.As(err, &p) || p.Kind != gitops.Unreachable {
		t.Error(err)
	}
}

func TestPath(t *testing.T) {
	for path, want := range map[string]string{"a/b": "a/b", "/a/": "a", "": "", "a..b/c": "a..b/c"} {
		if got, err := wire.Path(path); got != want || err != nil {
			t.Errorf("%q: %q, %v", path, got, err)
		}
	}
	for _, path := range []string{"..", "a/../../b"} {
		if _, err := wire.Path(path); err == nil {
			t.Errorf("%q leads out", path)
		}
	}
}

func FuzzAddress(f *testing.F) {
	for _, s := range []string{"https://h", "http://h:1/api/v3/", "https://u:p@h", "https://evil?.example.com", "https://evil#.example.com", "ftp://h", "", "https://"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := wire.Address(text)
		if err == nil && (u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "") {
			t.Errorf("%q passes", text)
		}
	})
}

package past

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/chronicle"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/syncs"
)

// kept is a history of one application.
type kept struct {
	list []history.Sync
	err  error
}

func (k kept) List(context.Context, string, string, int) ([]history.Sync, error) {
	return k.list, k.err
}

func (kept) Trace(context.Context, string) (*syncs.Trace, error)                 { return nil, nil }
func (kept) Diff(context.Context, string, string) (*chronicle.Difference, error) { return nil, nil }
func (kept) Close() error                                                        { return nil }

// TestSyncsAreFoundByWhatListsShow: the number that the Application gives, or the beginning of a trace.
func TestSyncsAreFoundByWhatListsShow(t *testing.T) {
	former := numbered("4444aaaa", 12)
	former.App.UID = "of one that was deleted"
	list := []history.Sync{numbered("12abcdef", 1234), former, numbered("1234ffff", 4), {ID: "1234eeee"}, numbered("5678abcd", 12)}
	cases := map[string]struct{ reason, id, want string }{
		"newest":     {"without one, the last", "", "12abcdef"},
		"number":     {"of this application, and not of a former one of its name", "12", "5678abcd"},
		"digits":     {"a number comes before a trace that begins so", "1234", "12abcdef"},
		"trace":      {"a trace that no number is", "1234f", "1234ffff"},
		"of several": {"of two the newer one", "1234E", "1234eeee"},
		"former":     {"a trace is nobody else's", "4444", "4444aaaa"},
		"whole":      {"all of it", "5678ABCD", "5678abcd"},
		"longer":     {"more than there is", "5678abcd0", ""},
		"short":      {"too few digits may be of any", "567", ""},
		"negative":   {"no number is below zero", "-4", ""},
		"huge":       {"nor is it of any size", "99999999999999999999", ""},
		"zeros":      {"zeros before it make no other number", "0012", "5678abcd"},
	}
	app := clitest.Settled()
	app.UID = "u"
	for name, c := range cases {
		p := &Application{Hub: &target.Hub{Namespace: "argocd"}, App: app, From: kept{list: list}}
		got, err := p.Find(t.Context(), c.id)
		if c.want == "" {
			if err == nil || !strings.Contains(err.Error(), "in its history: see causeway history shop") {
				t.Errorf("%s: %s: %v, %v", name, c.reason, got, err)
			}
			continue
		}
		if err != nil || got.ID != c.want {
			t.Errorf("%s: %s: %v, %v", name, c.reason, got, err)
		}
	}
	away := errors.New("the database is away")
	if _, err := (&Application{App: app, From: kept{err: away}}).Find(t.Context(), "12"); !errors.Is(err, away) {
		t.Errorf("that nobody can tell is not that there is none: %v", err)
	}
}

func numbered(id string, number int64) history.Sync {
	return history.Sync{ID: id, History: &number, App: history.App{Name: "shop", UID: "u"}}
}

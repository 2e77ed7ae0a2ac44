package secrets

import (
	"fmt"
	"slices"
	"strings"
	"time"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/cli/table"
)

// reasons of conditions, as External Secrets has them.
const reasonSynced = "SecretSynced"

// Lacking reports whether the Secret is known not to be there, and should be.
func (s *Secret) Lacking() bool {
	return s.Ready && s.Reason == reasonSynced && s.Exists != nil && !*s.Exists && s.Kind == secretKind && s.Policy != string(esv1.CreateNone)
}

// Needy reports whether somebody should look at it.
func (s *Secret) Needy() bool { return !s.Ready || s.Lacking() }

// Status says in a word or two whether the Secret holds what it should, and how long ago it did otherwise.
func (s *Secret) Status(now time.Time) string {
	switch {
	case s.Lacking():
		return "Missing"
	case s.Ready && s.Reason == reasonSynced:
		return "Ready"
	case s.Ready || s.Reason == reasonPending:
		return s.Reason
	case s.Last == nil:
		return "Error"
	}
	return "Stale " + table.Age(*s.Last, now)
}

// overdueAfter is how late a refresh is before that is told: it takes a while, and retries have pauses.
const overdueAfter = 10 * time.Minute

// Due says when values are fetched next.
func (s *Secret) Due(now time.Time) string {
	switch {
	case s.When == string(esv1.RefreshCreatedOnce) && s.Last != nil:
		return "never"
	case s.Reason == reasonPending:
		return "-"
	case !s.Ready:
		return "retried"
	case s.When == string(esv1.RefreshOnChange):
		return "on change"
	case s.Next == nil:
		return "-"
	case now.Sub(*s.Next) > overdueAfter:
		return "overdue " + table.Age(*s.Next, now)
	case !s.Next.After(now):
		return "now"
	}
	return "in " + table.Age(now, *s.Next)
}

// Changes is when values became what they are: the engine says so of Secrets that it makes, and else it is when the
// Secret was created.
func (s *Secret) Changes() *time.Time {
	if s.Changed != nil {
		return s.Changed
	}
	return s.Created
}

// Age is how old the values are.
func (s *Secret) Age(now time.Time) string {
	if at := s.Changes(); at != nil {
		return table.Age(*at, now)
	}
	return "-"
}

// VersionText are the versions of entries: one alone where all have the same.
func (s *Secret) VersionText() string {
	var seen, named []string
	for i := range s.Keys {
		k := &s.Keys[i]
		if text := k.Entry + " " + k.Version; k.Version != "" && !slices.Contains(named, text) {
			named = append(named, text)
			seen = append(seen, k.Version)
		}
	}
	slices.Sort(seen)
	if seen = slices.Compact(seen); len(seen) == 1 {
		return seen[0]
	}
	return strings.Join(named, ", ")
}

// Short is the store with its provider.
func (s *Store) Short() string {
	switch {
	case s.Name == "":
		return ""
	case s.Problem != "":
		return s.Name + " (" + s.Problem + ")"
	}
	return fmt.Sprintf("%s (%s)", s.Name, s.Provider)
}

// Whole is Short with the kind, and where the store is.
func (s *Store) Whole() string {
	text := s.Short()
	if text == "" {
		return ""
	}
	if s.Address != "" {
		text = fmt.Sprintf("%s (%s at %s)", s.Name, s.Provider, s.Address)
	}
	return s.Kind + "/" + text
}

// RefreshedText is how long ago values were fetched.
func (s *Secret) RefreshedText(now time.Time) string {
	if s.Last == nil {
		return "-"
	}
	return table.Age(*s.Last, now)
}

// Reads names the entries that are read, each once.
func (s *Secret) Reads() string {
	var out []string
	for i := range s.Keys {
		if text := s.Keys[i].Short(); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}

// ReadsAll says of each key where it comes from.
func (s *Secret) ReadsAll() string {
	out := make([]string, 0, len(s.Keys))
	for i := range s.Keys {
		text := s.Keys[i].Source()
		if s.Keys[i].Key != "" {
			text = s.Keys[i].Key + ": " + text
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// Users names who uses the Secret.
func (s *Secret) Users() []string {
	out := make([]string, 0, len(s.UsedBy))
	for _, w := range s.UsedBy {
		out = append(out, w.String())
	}
	return out
}

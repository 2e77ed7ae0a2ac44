package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Outcome is what became of what somebody wanted.
type Outcome string

// The outcomes.
const (
	// Allowed: they might, and it was begun. What it was begun for and failed
	// has a second entry.
	Allowed Outcome = "allowed"
	// Denied: they might not.
	Denied Outcome = "denied"
	// Failed: they might, and it was not done.
	Failed Outcome = "failed"
)

// Entry is one thing that somebody did, or wanted to do. All its texts and
// numbers are such that every reader of JSON writes them in the same way.
type Entry struct {
	// Sequence counts from 1 without gaps.
	Sequence int64     `json:"sequence"`
	Time     time.Time `json:"time"`
	Who      Who       `json:"who"`
	From     Origin    `json:"from,omitzero"`
	// Verb is sync, delete, sign-in, prune, …; Resource is what it is done to,
	// in the words of policies.
	Verb      string `json:"verb"`
	Resource  string `json:"resource,omitempty"`
	Project   string `json:"project,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Cluster   string `json:"cluster,omitempty"`
	// Changes are what is written, or the objects that are deleted.
	Changes []Change `json:"changes,omitempty"`
	// More counts changes beyond those that are listed.
	More int64 `json:"more,omitempty"`
	// Digest is of the changes where none are listed, as somebody has added too
	// many: SHA-256 of their JSON.
	Digest string `json:"digest,omitempty"`
	// Reason is what the person gave as one.
	Reason  string  `json:"reason,omitempty"`
	Outcome Outcome `json:"outcome"`
	// Of is the entry that began what this one says has failed.
	Of int64 `json:"of,omitempty"`
	// Message says why it was denied or failed.
	Message string `json:"message,omitempty"`
	// Operation is the mark of an operation, or the id of a sync.
	Operation string `json:"operation,omitempty"`
	// Trace is the sender's, of the header traceparent, or one of the request's own.
	Trace string `json:"trace,omitempty"`
	// Count is how many attempts like this one an entry stands for, where
	// there were too many for an entry each.
	Count int64 `json:"count,omitempty"`
	// Checkpoint tells what was before the first entry that is left.
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`
	// Gaps are runs of entries before this one that are gone from the middle.
	Gaps []Gap `json:"gaps,omitempty"`
	// Previous is the hash of the entry before this one; empty of the first.
	Previous string `json:"previous,omitempty"`
	// Hash is of everything else.
	Hash string `json:"hash,omitempty"`
}

// Who did something.
type Who struct {
	// Name of a user; Engine for what happens by itself; empty for nobody known.
	Name string `json:"name,omitempty"`
	// Via is the way in which they signed in.
	Via string `json:"via,omitempty"`
	// Subject is whom an issuer says it is: several may have one name. Empty
	// where nobody but the name tells.
	Subject string `json:"subject,omitempty"`
	// Key is the name of the API key that was sent; empty for none.
	Key string `json:"key,omitempty"`
}

// Engine is who does what happens by itself.
const Engine = "causeway"

// Origin is where a request came from.
type Origin struct {
	Address string `json:"address,omitempty"`
	// Forwarded is what a proxy, or anybody, said in X-Forwarded-For.
	Forwarded string `json:"forwarded,omitempty"`
	Agent     string `json:"agent,omitempty"`
}

// Change is a value that is written. Old and New are JSON, cut to a bound;
// empty where there was or is none.
type Change struct {
	Path string `json:"path"`
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
}

// Checkpoint vouches for entries that were deleted, as old ones are.
type Checkpoint struct {
	// Through is the sequence of the last one that is gone, Hash its hash.
	Through int64  `json:"through"`
	Hash    string `json:"hash"`
	// Count is how many went this time.
	Count int64 `json:"count"`
}

// Gap vouches for entries that were deleted while earlier ones stay: who adds
// very many loses their own.
type Gap struct {
	// From and Through are the sequences of the first and the last that are gone.
	From    int64 `json:"from"`
	Through int64 `json:"through"`
	// Hash is of the last one.
	Hash string `json:"hash"`
}

// Account is on whose share of the room an entry counts: a person with all of
// their keys, all who are not known together, and what the engine does for a
// project. It is empty for what vouches for others.
func (e *Entry) Account() string {
	switch {
	case e.Checkpoint != nil || len(e.Gaps) > 0:
		return ""
	case e.Who.Name == Engine && e.Who.Via == "":
		return "engine/" + e.Project
	case e.Who.Name == "" || e.Verb == "sign-in" && e.Outcome != Allowed:
		return "nobody" // a name that somebody typed is no proof of it
	case e.Who.Subject != "":
		return "person/" + e.Who.Via + "/" + e.Who.Subject
	}
	return "person/" + e.Who.Via + "/" + e.Who.Name
}

// Details is how many bytes its changes take, about.
func (e *Entry) Details() int {
	size := 0
	for _, c := range e.Changes[:min(len(e.Changes), mostChanges)] {
		size += min(len(c.Path), mostName) + min(len(c.Old), mostValue) + min(len(c.New), mostValue)
	}
	return size
}

// Condensed is the entry with the digest of its changes in place of these: that
// of their JSON, as the entry would have had it.
func (e *Entry) Condensed() (Entry, error) {
	out := e.Bounded()
	text, err := json.Marshal(out.Changes)
	if err != nil {
		return out, fmt.Errorf("cannot encode the changes of an entry of the audit: %w", err)
	}
	out.Changes, out.More, out.Digest = nil, out.More+int64(len(out.Changes)), Hash(text)
	return out, nil
}

// Bounds of what an entry holds, in bytes.
const (
	mostName    = 256
	mostAgent   = 200
	mostValue   = 400
	mostReason  = 500
	mostMessage = 1000
	mostChanges = 50
)

// Bounded returns the entry with its texts cut to their bounds, and without
// characters that readers of JSON write in different ways. They are copies, which
// keep nothing of the requests that they come from.
func (e *Entry) Bounded() Entry {
	out := *e
	out.Time = e.Time.UTC().Truncate(time.Millisecond)
	for _, text := range []*string{
		&out.Who.Name, &out.Who.Via, &out.Who.Subject, &out.Who.Key, &out.From.Address, &out.From.Forwarded, &out.Verb, &out.Resource, &out.Project, &out.Namespace, &out.Name, &out.Cluster, &out.Operation, &out.Trace,
	} {
		*text = cut(*text, mostName)
	}
	out.From.Agent, out.Reason, out.Message = cut(e.From.Agent, mostAgent), cut(e.Reason, mostReason), cut(e.Message, mostMessage)
	out.Changes = make([]Change, 0, min(len(e.Changes), mostChanges))
	for _, c := range e.Changes[:min(len(e.Changes), mostChanges)] {
		out.Changes = append(out.Changes, Change{Path: cut(c.Path, mostName), Old: cut(c.Old, mostValue), New: cut(c.New, mostValue)})
	}
	out.More += int64(len(e.Changes) - len(out.Changes))
	return out
}

// cut keeps a text within a bound, on one line.
func cut(text string, most int) string {
	const mark = "…"
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD")))
	if len(text) <= most {
		return strings.Clone(text)
	}
	end := most - len(mark)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}

package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Bounds of what an event names, all of which its sender chooses.
const (
	// listed is how much of a list is taken: an element of three bytes would
	// take up a hundred, and be work.
	listed = 10_000
	// maxAddresses are those of one repository. Hosts tell four at most.
	maxAddresses = 16
	// maxMoved is how many references are told apart.
	maxMoved = 100
	// maxText is how long an address or a name is.
	maxText = 4096
)

// unfit is why an event is refused, in words for who set it up.
type unfit string

func (u unfit) Error() string { return string(u) }

const (
	errAddresses = unfit("the event names its repository by more than 16 addresses, which no Git host does")
	errLong      = unfit("the event names a repository in more than 4,096 characters, which no Git host does")
)

// list is the beginning of a list.
type list[T any] struct {
	items []T
	// cut tells that there is more.
	cut bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *list[T]) UnmarshalJSON(data []byte) error {
	*l = list[T]{}
	d := json.NewDecoder(bytes.NewReader(data))
	begin, err := d.Token()
	if err != nil || begin == nil {
		return err
	}
	if begin != json.Delim('[') {
		return errors.New("it has another value where a list is expected")
	}
	for d.More() {
		if len(l.items) == listed {
			l.cut = true
			return nil
		}
		var one T
		if err := d.Decode(&one); err != nil {
			return err
		}
		l.items = append(l.items, one)
	}
	return nil
}

// addresses drops empty and repeated ones. An event without any is ignored.
func addresses(urls ...string) ([]string, error) {
	var out []string
	for _, u := range urls {
		u = strings.TrimSpace(u)
		switch {
		case u == "" || slices.Contains(out, u):
			continue
		case len(u) > maxText:
			return nil, errLong
		case len(out) == maxAddresses:
			return nil, errAddresses
		}
		out = append(out, u)
	}
	if len(out) == 0 {
		return nil, errIgnored
	}
	return out, nil
}

// moved has each reference once; none where they are too many, or not all known.
func moved(all []Moved, whole bool) []Moved {
	var out []Moved
	for _, m := range all {
		switch {
		case slices.Contains(out, m):
			continue
		case !whole || m.Ref == "" || len(m.Ref)+len(m.Revision) > maxText || len(out) == maxMoved:
			return nil
		}
		out = append(out, m)
	}
	return out
}

package compute

import (
	"regexp"
	"strings"

	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
)

const (
	// longestFailure is in bytes.
	longestFailure = 1_000
	// leastHidden is how long a value is, in bytes, to be looked for in an error.
	leastHidden = 4
)

// called is before what a function of a template says, which may quote what it was
// given; quoted is such a part.
var (
	called = "error calling "
	quoted = regexp.MustCompile(`"(\\.|[^"\\])*"`)
)

// failure is the text of an error without values.
func failure(err error, secrets []string) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	if before, after, found := strings.Cut(text, called); found {
		text = before + called + quoted.ReplaceAllLiteralString(after, redact.Mask)
	}
	text = redact.NewKnown(secrets).Text(text)
	if len(text) > longestFailure {
		text = strings.ToValidUTF8(text[:longestFailure], "") + "…"
	}
	return text
}

func (j Job) secrets() []string {
	var all []string
	add := func(value []byte) {
		if len(value) >= leastHidden {
			all = append(all, string(value))
		}
	}
	addEntry := func(e entry.Entry) {
		add(e.Text)
		for _, value := range e.Fields {
			add(value)
		}
	}
	for _, set := range j.From {
		for _, value := range set.Data {
			add(value)
		}
		if set.Entry != nil {
			addEntry(*set.Entry)
		}
	}
	for _, one := range j.Values {
		addEntry(one.Entry)
	}
	return all
}

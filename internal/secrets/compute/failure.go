package compute

import (
	"encoding/base64"
	"maps"
	"regexp"
	"slices"
	"strconv"
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
// given, in any marks: quoted is such a part. What fail says, shouted, is nothing but
// what it was given.
var (
	called  = "error calling "
	quoted  = regexp.MustCompile("(?s)[\"'`].*[\"'`]")
	shouted = "fail: "
	// ranged is before what text/template itself quotes of a value, without marks.
	ranged = regexp.MustCompile(`(?s)(range can't iterate over|can't use|send-only channel) .*`)
)

// failure is the text of an error without values. A template may have made anything
// of them: of what fail says, that is shown which the templates say literally.
func failure(err error, secrets, templates []string) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	if before, after, found := strings.Cut(text, called); found {
		said, shouts := strings.CutPrefix(after, shouted)
		switch {
		case !shouts:
			after = quoted.ReplaceAllLiteralString(after, redact.Mask)
		case !literal(said, templates):
			after = shouted + redact.Mask
		}
		text = before + called + after
	}
	text = ranged.ReplaceAllString(text, "$1 "+redact.Mask)
	text = redact.NewKnown(secrets).Text(text)
	if len(text) > longestFailure {
		text = strings.ToValidUTF8(text[:longestFailure], "") + "…"
	}
	return text
}

// literal reports whether a text stands in one of the templates in quotation marks.
func literal(text string, templates []string) bool {
	return slices.ContainsFunc(templates, func(t string) bool {
		return strings.Contains(t, strconv.Quote(text)) || strings.Contains(t, "`"+text+"`")
	})
}

// templates of a job.
func (j Job) templates() (all []string) {
	if j.Template != nil {
		for _, one := range j.Template.Requests {
			if !one.Hidden {
				all = slices.AppendSeq(all, maps.Values(one.Templates))
			}
		}
	}
	for _, set := range j.From {
		for _, one := range set.Rewrite {
			if one.Transform != nil {
				all = append(all, one.Transform.Template)
			}
		}
	}
	return all
}

// secrets of a job are what it was given, and what was made of that: the values of
// properties and fields, what was decoded, and all of it in base64.
func (j Job) secrets(made map[string][]byte) []string {
	var all []string
	add := func(value []byte) {
		if len(value) >= leastHidden {
			all = append(all, string(value), base64.StdEncoding.EncodeToString(value))
		}
	}
	for _, value := range made {
		add(value)
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
